"""The order in which rows are read, so that no half commit shows: each stage of an append is read in between."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from neo4j import AsyncGraphDatabase

from app.domain.envelope import parse_line
from app.domain.filters import EventFilter
from app.domain.history import Batch
from app.domain.problems import NotFound
from app.domain.projector import Projector
from app.services.event_pages import EventPage
from app.services.graph_at import GraphAt, KeySet
from app.settings import StoreAddress
from app.store import appending, nodes, parts
from app.store.appending import Ground
from app.store.connection import Store
from app.store.graphs import standing
from app.store.intervals import STEP
from app.store.reading import Overtaken, Reading, Rows
from app.store.statements import statement, statement_names
from tests.grown import Grown, grow, reader, soon
from tests.strategies.logs import random_log

KINDS = ("task", "spawn", "wait", "message")


async def everything(at: GraphAt) -> Any:
    """All that can be read of a graph at its moment, each way in which it is read."""
    snapshots = [(await GraphAt.snapshot(at.later(soon()), keys)).by_ref for keys in KeySet]
    refs = list(snapshots[0])
    single = await at.nodes(refs)
    one_by_one = {ref: await at.node(ref) for ref in refs}
    whole = {kind: await at.parts(kind) for kind in KINDS}  # type: ignore[arg-type]
    of = {kind: await at.parts(kind, refs) for kind in KINDS}  # type: ignore[arg-type]
    walks = {
        ref: [await at.children(ref), await at.ancestors(ref, 9), await at.descendants(ref, 3), await at.blocking(ref)] for ref in refs
    }  # fmt: skip
    return snapshots, single, one_by_one, whole, of, walks


@pytest.mark.shared
@pytest.mark.parametrize("seed", [21, 22])
async def test_a_reader_at_the_head_sees_nothing_of_an_append_that_is_under_way(store: Store, seed: int) -> None:
    """Design, section 4: between adds, places and head, and after them, the old moment reads as before; the new one shows it all."""
    events = random_log(seed, 90)
    grown = await grow(store, events[:50])
    graphs = reader(store, snapshot_cache_nodes=0)
    before = await graphs.at(grown.viewer, grown.graph_id, None, soon())
    known = await everything(before)

    g, stands = (await standing(store, grown.graph_id, soon())) or ("", None)
    assert stands is not None
    projector, batch = Projector(), Batch()
    lines = [parse_line(json.dumps(each).encode()) for each in events]
    for number, each in enumerate(lines):
        projector.apply(each, (number + 1) * STEP, batch if number >= 50 else Batch())
    assert any(state is not None for state in batch.before.values()), "the append must change rows that are there"

    ground = Ground(grown.graph_id, g, stands, "a test")
    ground = await appending.adds(store, ground, batch, soon())
    assert await everything(before) == known
    ground = await appending.places(store, ground, batch, soon())
    assert await everything(before) == known
    again = await graphs.at(grown.viewer, grown.graph_id, None, soon())
    assert again.moment == before.moment
    assert await everything(again) == known
    await appending.head(store, ground, None, soon())
    assert await everything(before) == known
    after = await graphs.at(grown.viewer, grown.graph_id, None, soon())
    assert after.moment.seq == 90 * STEP
    assert {cell.ref for cell in projector.history.now if cell.kind == "node"} == set((await after.snapshot()).by_ref)


async def test_a_read_that_history_was_changed_under_is_refused(store: Store, store_address: StoreAddress) -> None:
    """Q5: an answer worked out while the revision moved is worked out again; every way of reading notices."""
    grown = await grow(store, random_log(23, 30), snapshot_cache_nodes=0)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    unread = at.later(soon())
    ref = next(iter((await at.snapshot()).by_ref))
    await move_revision(store_address, grown, 2)
    for read in (
        lambda at: at.snapshot(),
        lambda at: at.parts("task"),
        lambda at: at.parts("task", [ref]),
        lambda at: at.node(ref),
        lambda at: at.children(ref),
        lambda at: at.ancestors(ref, 3),
        lambda at: at.event("no such"),
        lambda at: at.events(EventPage(5)),
        lambda at: at.events(EventPage(5, filter=EventFilter(node=ref))),
    ):
        with pytest.raises(Overtaken):
            await read(unread.later(soon()))
    moved = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    assert moved.moment.revision == 2
    assert ref in (await moved.snapshot()).by_ref


async def test_a_graph_that_is_gone_is_not_found(store: Store, store_address: StoreAddress) -> None:
    """Q41: also where it goes between resolving the moment and reading."""
    grown = await grow(store, random_log(24, 10))
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    await run(store_address, "MATCH (g:Graph {id: $id}) DELETE g", id=grown.graph_id)
    with pytest.raises(NotFound):
        await at.snapshot()
    with pytest.raises(NotFound):
        await at.event("x")


async def test_slots_are_worked_out_again_when_an_append_outruns_their_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design, section 4: they must cover the highest `until` there is when the states are read, not when the head was."""
    monkeypatch.setattr("app.store.reading._ROOM", 0)
    events = random_log(25, 60)
    grown = await grow(store, events[:5])
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    known = {row["ref"]: row["since"] for row in (await at.snapshot()).rows}
    reading = Reading(store, at.moment, soon())
    early = (await reading.look())._replace(written=5 * STEP)
    await grown.append(events[5:])
    current = await reading.rows("read/nodes_now_full", g=reading.g, seq=reading.seq)
    assert {row[0] for row in current.values} != set(known), "later events must have replaced states"
    merged = await reading.merged(current, lambda _: reading.past("read/nodes_past_full", early), lambda row: row[0])
    assert {row[0]: row[1] for row in merged} == known


def test_statements_give_the_columns_that_their_readers_name() -> None:
    """Lists carry no names: both sides must agree on every one, in order."""
    wanted = {name: columns for kind, columns in parts.COLUMNS.items() for name in part_statements(kind)}
    wanted |= {f"read/nodes_{when}_{keys.name.lower()}": keys.columns for when in ("now", "past") for keys in KeySet}
    wanted |= {f"read/{name}": nodes.FULL for name in ("nodes_of_now", "nodes_of_past", "nodes_begun", "node_latest", "nodes_latest")}
    wanted |= {f"read/{name}": nodes.FULL for name in ("children", "descendants_2", "descendants_3", "ancestors", "waiters", "reach")}
    seen = 0
    for name in statement_names():
        if name in wanted:
            for found in re.findall(r"\[((?:\w\.\w+,?\s*){3,})\]", statement(name)):
                columns = tuple("on" if column == "target" else column for column in re.findall(r"\w\.(\w+)", found))
                assert columns == wanted[name], name
                seen += 1
    assert seen >= len(wanted)


def part_statements(kind: str) -> list[str]:
    return [f"read/{kind}s_{when}" for when in ("now", "past", "of_now", "of_past")]


async def move_revision(address: StoreAddress, grown: Grown, by: int) -> None:
    text = "MATCH (g:Graph {id: $id}) SET g.at = [g.at[0], g.at[1], g.at[2] + $by, g.at[3], g.at[4], g.at[5], g.at[6]]"
    await run(address, text, id=grown.graph_id, by=by)


async def run(address: StoreAddress, text: str, **params: Any) -> None:
    async with AsyncGraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        await driver.execute_query(text, params, database_=address.database)


async def test_an_ended_state_wins_over_a_row_seen_half_changed(store: Store) -> None:
    """Design, section 4: a row that is being replaced may show the old `since` and new values; the state that ended there is whole."""
    grown = await grow(store, random_log(26, 10))
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    reading = Reading(store, at.moment, soon())
    stands = (await reading.look())._replace(written=at.moment.seq + STEP)
    torn, newer, same = ["a", STEP, "new value"], ["b", at.moment.seq + 1, "new"], ["c", STEP, "same"]

    async def past(_: Any) -> Rows:
        return Rows([["a", STEP, "old value"], ["b", STEP, "old"], ["gone", STEP, "old"]], stands)

    merged = await reading.merged(Rows([torn, newer, same], stands), past, lambda row: row[0])
    assert sorted(merged) == [["a", STEP, "old value"], ["b", STEP, "old"], ["c", STEP, "same"], ["gone", STEP, "old"]]
