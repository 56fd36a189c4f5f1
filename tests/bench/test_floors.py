"""Floors give the very answers that they are timed against (O33)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from app.demo.stamps import unix_ms
from app.domain.history import Batch
from app.services.graph_at import GraphAt
from app.services.viewer import Viewer
from app.settings import StoreAddress
from app.store.access import LOCAL
from app.store.connection import driver_for
from bench.floors import ADDED, CURRENT, FORMS, WRITES, bare_rows, by_hand
from bench.logs import busy_tree, rounds
from bench.queries import READS
from bench.reads import UnequalAnswersError, same
from tests.application import Opened, opened
from tests.domain.logs import both, folded
from tests.grown import soon
from tests.oracle import state_after

LOCAL_VIEWER = Viewer(LOCAL, frozenset(("read", "write")), key_id="floors")


def log() -> list[dict[str, Any]]:
    """A tree that changes, with what the clock decides in it: an old approval, stale nodes, and a wait."""
    events = busy_tree(60, 80)
    last, refs = events[-1], list(dict.fromkeys(event["node"] for event in events))

    def after(number: int, kind: str, ref: str, **data: Any) -> dict[str, Any]:
        ts = f"{last['ts'][:-5]}.{900 + number}Z"
        return {**last, "id": f"7{number:025d}", "ts": ts, "type": kind, "node": ref, "data": data}

    return [
        *events,
        after(1, "status", refs[3], state="working"),
        after(2, "activity", refs[3], tool="Bash", label="git push", may_ask=True),
        after(3, "status", refs[4], state="working"),
        after(4, "wait.started", refs[5], wait_id="w", on=refs[3], reason="Waiting"),
    ]


async def grown(at: Opened) -> GraphAt:
    graph_id = (await at.services.graphs.create(LOCAL_VIEWER, None, "watch", 0, soon())).id
    done = await at.services.appends.append(LOCAL_VIEWER, graph_id, [orjson.dumps(event) for event in log()], soon())
    assert done.accepted == len(log())
    return await at.services.graphs.at(LOCAL_VIEWER, graph_id, None, soon())


async def test_every_floor_gives_the_answer_of_its_operation(store_address: StoreAddress, data_dir: Path) -> None:
    """O33: equal answers, whichever way the rows come."""
    async with opened(store_address, data_dir) as at, driver_for(store_address) as driver:
        graph = await grown(at)
        kinds = [(row["state"], row["stale"], row["blocked_node_count"]) for row in (await graph.snapshot()).rows]
        assert {state for state, _, _ in kinds} > {"working", "input_required"} - {"working"}
        assert any(stale for _, stale, _ in kinds)
        assert any(count for _, _, count in kinds)
        for name, read in READS.items():
            body = {"query": read.operation, "variables": {"id": graph.info.id}}
            answer = (await at.client.post("/graphql", json=body)).json()
            for form in FORMS:
                data = await by_hand(driver, store_address.database, name, form, graph.info.id, graph.info.g)
                assert answer == {"data": data}, (name, form)


def test_answers_that_differ_are_never_timed() -> None:
    """O33: one value is enough."""
    same(b'{"data": {"a": 1, "b": 2}}', b'{"data":{"b":2,"a":1}}', "equal")
    with pytest.raises(UnequalAnswersError, match="tree"):
        same(b'{"data": {"a": 1}}', b'{"data": {"a": 2}}', "tree")


@pytest.mark.parametrize("write", WRITES)
async def test_bare_rows_are_all_the_rows_of_an_append(store_address: StoreAddress, write: Any) -> None:
    """The floor of an append writes as many rows, with the same properties."""
    batch: Batch = folded(both(log())[0])[1]
    g = f"bare-{write.__name__}"
    rows = bare_rows(g, batch)
    assert len(rows["Event"]) == len(log())
    assert set(rows) <= {*ADDED.values(), *CURRENT.values(), "BareEdge"}
    async with driver_for(store_address) as driver:
        await write(driver, store_address.database, rows)
        for label, wanted in rows.items():
            if label == "BareEdge":
                continue
            async with driver.session(database=store_address.database) as session:
                result = await session.run(f"MATCH (x:{label}) WHERE x.g = $g RETURN x {{.*}} AS row", {"g": g})
                found = [record["row"] async for record in result]
            assert sorted(found, key=lambda row: row["key"]) == sorted(wanted, key=lambda row: row["key"])


def test_each_round_changes_so_many_different_nodes() -> None:
    """What readers are read against: 50 nodes an append, one event each, in order."""
    refs = [f"codex:s{n}" for n in range(80)]
    events: list[dict[str, Any]] = []
    runs = rounds(refs, 1_790_000_000_000, 50)
    for _ in range(3):
        some = next(runs)
        assert len({event["node"] for event in some}) == 50
        events += some
    assert [event["id"] for event in events] == sorted(event["id"] for event in events)


def test_a_busy_tree_is_of_its_size_and_leaves_nothing_as_it_was() -> None:
    """Old moments are read with every node changed since: 1,000 nodes in four levels, and their turn comes again and again."""
    events = busy_tree(50, 1_000)
    made = len(events) - 1_000
    naive = both(events)[1]
    early, late = state_after(naive, made), state_after(naive, len(events))
    assert len(early) == len(late) == 50
    assert max(node["depth"] for node in late.values()) == 3
    assert all(early[ref]["last_event"] < late[ref]["last_event"] for ref in early)
    assert unix_ms(events[made]["ts"]) > unix_ms(events[made - 1]["ts"])
