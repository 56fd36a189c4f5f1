"""What is read of a graph at a moment, against a fold of its log from scratch that shares no code with the product."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.domain.moments import AsOf
from app.domain.problems import NodeNotYetCreated, NotFound
from app.services.graph_at import GraphAt, KeySet, key_set
from app.store.connection import Store
from tests.grown import event, grow, reader, soon
from tests.oracle import read_log, state_after, tree_order
from tests.strategies.logs import random_log

PARTS = {"task": "tasks", "spawn": "spawns", "wait": "waits", "message": "messages"}
SAME = (
    "ref", "provider", "kind", "parent", "root", "session", "requested_by", "depth", "state", "stale", "attention", "title", "summary",
    "headline", "purpose", "agent_type", "background", "link_method", "spawn_call_id", "cwd", "created", "ended", "last_event",
    "child_count", "descendant_count", "background_agent_count",
)  # fmt: skip


def log_of(events: list[dict[str, Any]]) -> Any:
    return read_log("\n".join(json.dumps(each, ensure_ascii=False) for each in events).encode())


def shown(row: dict[str, Any], parts: dict[str, list[dict[str, Any]]], children: list[str], refs: set[str]) -> dict[str, Any]:
    """A row in the form in which the oracle shows a node."""
    node = {name: row.get(name) for name in SAME}
    pending, running, done = row["tasks_pending"], row["tasks_in_progress"], row["tasks_completed"]
    node["task_counts"] = {
        "total": row["tasks_total"], "pending": pending, "in_progress": running, "completed": done, "open": pending + running
    }  # fmt: skip
    node["blocked"] = None
    if row["blocked_node_count"] is not None:
        node["blocked"] = {
            "on": row["blocked_on"], "starting": row["blocked_starting"], "node_count": row["blocked_node_count"],
            "open_tasks": row["blocked_open_tasks"], "cycle": row["blocked_cycle"],
        }  # fmt: skip
    node["children"] = children
    for kind, name in PARTS.items():
        node[name] = [{key: value for key, value in part.items() if key not in ("ref", "since", "position")} for part in parts[kind]]
    for message in node["messages"]:
        peer = message.pop("peer")
        message["peer"], message["peer_name"] = (peer, None) if peer in refs else (None, peer)
        message["reply_to_message_id"] = message.pop("reply_to")
    return node


async def whole(at: GraphAt) -> dict[str, dict[str, Any]]:
    """The whole graph as the oracle shows it, from a snapshot and whole lists of parts."""
    snapshot = await at.snapshot(KeySet.FULL)
    parts = {kind: await at.parts(kind) for kind in PARTS}  # type: ignore[arg-type]
    refs = set(snapshot.by_ref)
    return {
        ref: shown(row, {kind: parts[kind].get(ref, []) for kind in PARTS}, [c["ref"] for c in snapshot.children.get(ref, ())], refs)
        for ref, row in snapshot.by_ref.items()
    }


@pytest.mark.shared
@pytest.mark.parametrize("seed", [1, 2])
async def test_the_state_read_at_every_event_is_the_fold_of_the_log_up_to_it(store: Store, seed: int) -> None:
    """E13, R25: nodes, parts, order and what the clock decides, at each held event, whatever came after it."""
    events = random_log(seed, 60)
    log = log_of(events)
    grown = await grow(store, events, pieces=7)
    graphs = reader(store, snapshot_cache_nodes=0)
    for n, each in enumerate(log.events, 1):
        at = await graphs.at(grown.viewer, grown.graph_id, AsOf(event=each["id"]), soon())
        wanted = state_after(log, n)
        assert await whole(at) == wanted, (seed, n)
        snapshot = await at.snapshot()
        assert [row["ref"] for row in snapshot.tree()] == tree_order(wanted)


async def test_the_state_now_is_the_fold_of_the_whole_log_judged_by_the_clock(store: Store) -> None:
    """R24: after the last held event, judged at the clock cut to the whole second."""
    events = random_log(11, 80)
    grown = await grow(store, events, pieces=3)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    assert at.moment.time_ns == 1_900_000_000_000_000_000
    assert await whole(at) == state_after(log_of(events), len(events), at.moment.time_ns)


@pytest.mark.parametrize("seed", [5])
async def test_what_is_read_node_by_node_is_what_the_whole_graph_says(store: Store, seed: int) -> None:
    """Q6-Q9: nodes, parts, ancestors, children, descendants, chains and waiters by statements of their own, at old moments and now."""
    events = random_log(seed, 70)
    grown = await grow(store, events, pieces=5)
    for as_of in (*(AsOf(event=events[n]["id"]) for n in range(0, len(events), 9)), None):
        full = await grown.graphs.at(grown.viewer, grown.graph_id, as_of, soon())
        snapshot = await full.snapshot()
        parts = {kind: await full.parts(kind) for kind in PARTS}  # type: ignore[arg-type]
        bare = await reader(store).at(grown.viewer, grown.graph_id, as_of, soon())
        refs = [*snapshot.by_ref, "acme:nobody"]
        assert await bare.nodes(refs) == snapshot.by_ref
        for kind in PARTS:
            assert await bare.parts(kind, refs) == parts[kind]  # type: ignore[arg-type]
        for ref in refs:
            assert await bare.node(ref) == snapshot.by_ref.get(ref)
            assert await bare.children(ref) == await full.children(ref) == list(snapshot.children.get(ref, ()))
            assert await bare.ancestors(ref, 2) == await full.ancestors(ref, 2)
            assert await bare.descendants(ref, 2) == await full.descendants(ref, 2)
            assert await bare.descendants(ref, 3) == await full.descendants(ref, 3)
            assert await bare.blocking_chain(ref, 64) == await full.blocking_chain(ref, 64)
            assert await bare.blocking_chain(ref, 1) == await full.blocking_chain(ref, 1)
            assert await bare.blocking(ref) == [
                row for row in sorted(snapshot.rows, key=lambda row: row["ref"]) if ref in (row["blocked_on"] or ())
            ]


async def test_a_deep_tree_is_walked_beyond_the_bound_of_one_statement(store: Store) -> None:
    """Q8: ancestors come nearest first, however deep; descendants without a depth are all of them."""
    events = [event(0, "session.started", "deep", 0)]
    events += [event(n, "agent.spawned", "deep" + "/a" * n, n, parent="deep" + "/a" * (n - 1)) for n in range(1, 151)]
    grown = await grow(store, events)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    lowest = "acme:deep" + "/a" * 150
    above = await at.ancestors(lowest, 1000)
    assert [row["depth"] for row in above] == list(range(149, -1, -1))
    assert [row["depth"] for row in await at.ancestors(lowest, 70)] == list(range(149, 79, -1))
    assert [row["depth"] for row in await at.descendants("acme:deep")] == list(range(1, 151))


async def test_a_long_chain_of_waits_is_followed_beyond_the_bound_of_one_statement(store: Store) -> None:
    """Q9: breadth first, as many steps as asked for."""
    events = [event(n, "session.started", f"s{n:03d}", n) for n in range(100)]
    events += [event(100 + n, "wait.started", f"s{n:03d}", 100 + n, wait_id=f"w{n}", on=f"acme:s{n + 1:03d}") for n in range(99)]
    grown = await grow(store, events)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    assert [row["ref"] for row in await at.blocking_chain("acme:s000", 1000)] == [f"acme:s{n:03d}" for n in range(1, 100)]
    assert [row["ref"] for row in await at.blocking_chain("acme:s000", 50)] == [f"acme:s{n:03d}" for n in range(1, 51)]


async def test_a_node_that_comes_later_is_told_from_one_that_never_does(store: Store) -> None:
    """R45, R46: only later events about that very node count, and only where a moment was asked for."""
    events = [event(0, "session.started", "one", 0), event(1, "agent.spawned", "two/agent", 10), event(2, "activity", "two", 20)]
    grown = await grow(store, events)
    early = await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(event="00000000"), soon())
    with pytest.raises(NodeNotYetCreated) as later:
        await early.node_or_problem("acme:two")  # made by the second event, but the third is the first about it
    assert later.value.extra == {"firstEventId": "evt_00000002"}
    with pytest.raises(NotFound):
        await early.node_or_problem("acme:three")
    now = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    assert (await now.node_or_problem("acme:two"))["kind"] == "session"
    with pytest.raises(NotFound):
        await now.node_or_problem("acme:three")


async def test_an_event_leads_to_the_graph_just_after_it(store: Store) -> None:
    """Q45, R60, R61: any held event, its moment judged at its own time, and its neighbours."""
    events = [event(n, "session.started", f"s{n}", 1000 * n) for n in range(5)]
    grown = await grow(store, events)
    now = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    third = await now.event("00000002")
    after = now.at_event(third)
    assert (after.moment.event, after.moment.time_ns) == ("00000002", third["time_ns"])
    assert set((await after.snapshot()).by_ref) == {"acme:s0", "acme:s1", "acme:s2"}
    before, next_one = await now.event_before(third), await now.event_after(third)
    assert before is not None
    assert next_one is not None
    assert (before["id"], next_one["id"]) == ("00000001", "00000003")
    assert await now.event_before(await now.event("00000000")) is None
    assert await now.event_after(await now.event("00000004")) is None
    with pytest.raises(NotFound):
        await now.event("00000009")


async def test_counts_are_those_of_every_node_at_the_moment(store: Store) -> None:
    """R37: all, by kind, by state with all six states, stale and blocked."""
    events = random_log(8, 80)
    grown = await grow(store, events)
    for n in (30, 80):
        at = await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(event=events[n - 1]["id"]), soon())
        rows = state_after(log_of(events), n).values()
        counts = await at.counts()
        assert counts == {
            "nodes": len(rows),
            "sessions": sum(row["kind"] == "session" for row in rows),
            "agents": sum(row["kind"] == "agent" for row in rows),
            "stale": sum(row["stale"] for row in rows),
            "blocked": sum(row["blocked"] is not None for row in rows),
            "by_state": {
                state: sum(row["state"] == state for row in rows)
                for state in ("working", "input_required", "idle", "completed", "failed", "canceled")
            },
        }


def test_the_smallest_key_set_with_the_columns_is_chosen() -> None:
    """A selection is rounded up to one of four sizes."""
    assert key_set({"ref", "state", "stale"}) is KeySet.STRUCTURE
    assert key_set({"ref", "title"}) is KeySet.VIEW
    assert key_set({"ref", "provider"}) is KeySet.CARD
    assert key_set({"ref", "cwd"}) is KeySet.FULL
