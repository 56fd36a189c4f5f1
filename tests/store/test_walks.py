"""Walks over edges at a place: an edge counts while it holds, and each node comes once."""

from __future__ import annotations

from app.domain.moments import AsOf
from app.store import walks
from app.store.connection import Store
from app.store.reading import Reading
from tests.grown import event, grow, soon


async def test_edges_count_only_while_they_hold(store: Store) -> None:
    """E32, E96-E101: a node that moved is under its old parent before, under the new one after; a wait holds until it ends."""
    events = [
        event(0, "session.started", "s", 0),
        event(1, "session.started", "t", 1),
        event(2, "agent.spawned", "s/x", 2, parent="s"),
        event(3, "wait.started", "s", 3, wait_id="w", on="acme:t"),
        event(4, "activity", "s/x", 4, parent="t"),
        event(5, "wait.ended", "s", 5, wait_id="w"),
    ]
    grown = await grow(store, events, pieces=2)
    parents = {2: "acme:s", 3: "acme:s", 4: "acme:t", 5: "acme:t"}
    for number in range(6):
        at = await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(event=f"{number:08d}"), soon())
        reading = Reading(store, at.moment, soon())
        parent = parents.get(number)
        for ref in ("acme:s", "acme:t"):
            below = ["acme:s/x"] if parent == ref else []
            assert [row["ref"] for row in await walks.below(reading, ref, 1)] == below
            assert [row["ref"] for row in await walks.below(reading, ref, 3)] == below
        assert [row["ref"] for row in await walks.ancestors(reading, "acme:s/x", 5)] == ([parent] if parent else [])
        waits = number in (3, 4)
        assert [row["ref"] for row in await walks.waiters(reading, "acme:t")] == (["acme:s"] if waits else [])
        reached = set(await walks.reach(reading, ["acme:s"]))
        assert ("acme:t" in reached) is waits
        assert "acme:s" in reached
    assert await walks.reach(reading, []) == {}


async def test_a_node_reached_by_many_ways_comes_once(store: Store) -> None:
    """Design, section 4: distinct ends, however many paths lead there (20 layers of 4, each waiting on all of the next)."""
    events, number = [], 0
    for layer in range(20):
        for place in range(4):
            events.append(event(number, "session.started", f"l{layer:02d}{place}", number))
            number += 1
    for layer in range(19):
        for place in range(4):
            for target in range(4):
                waiter, other = f"l{layer:02d}{place}", f"acme:l{layer + 1:02d}{target}"
                events.append(event(number, "wait.started", waiter, number, wait_id=f"w{target}", on=other))
                number += 1
    grown = await grow(store, events, pieces=2)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    reached = await walks.reach(Reading(store, at.moment, soon()), ["acme:l000"])
    assert len(reached) == 1 + 4 * walks.STEPS
    assert len(await at.blocking_chain("acme:l000", 1000)) == 19 * 4
    assert [row["ref"] for row in await at.blocking("acme:l190")] == [f"acme:l18{place}" for place in range(4)]


async def test_parents_of_the_past_cost_no_walk_anything(store: Store) -> None:
    """Bounded by what holds: 30 levels of two nodes, each of which has been under both of the level above (2^30 ways in the past)."""
    events, number = [], 0
    for name in ("p", "q"):
        events.append(event(number, "session.started", f"{name}00", number))
        number += 1
    for level in range(1, 31):
        for name in ("p", "q"):
            for parent in ("p", "q", name):
                events.append(event(number, "agent.spawned" if parent == "p" else "activity", f"{name}00/{level:02d}", number,
                                    parent=f"{parent}00" + (f"/{level - 1:02d}" if level > 1 else "")))  # fmt: skip
                number += 1
    grown = await grow(store, events, pieces=2)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    above = await at.ancestors("acme:p00/30", 64)
    assert [row["ref"] for row in above] == [f"acme:p00/{level:02d}" for level in range(29, 0, -1)] + ["acme:p00"]
    assert [row["ref"] for row in await at.descendants("acme:p00/10", 3)] == [f"acme:p00/{level}" for level in (11, 12, 13)]
