"""The `Graph` row: made, found, listed, each with the events at its ends."""

from __future__ import annotations

from uuid import uuid4

from app.store import graphs
from app.store.connection import Store
from app.store.intervals import STEP
from app.store.keys import generation_key
from tests.grown import event, grow, soon
from tests.store.contents import new_graph


async def test_a_new_graph_stands_before_everything(store: Store) -> None:
    """R27: a graph without events has no first and no last one."""
    graph_id = await new_graph(store)
    row = await graphs.one(store, graph_id, soon())
    assert row is not None
    assert row.standing == graphs.Standing(0, 0, 0, 0, 0, 0, 0)
    assert (row.g, row.generation, row.account, row.source) == (generation_key(graph_id, 1), 1, "acc", "watch")
    assert (row.first, row.last, row.heard, row.title, row.retention_events) == (None, None, None, None, None)


async def test_a_graph_names_the_events_at_its_ends(store: Store) -> None:
    """The floor and the head are events; `held` counts what lies between."""
    grown = await grow(store, [event(n, "activity", "a", 10 * n, tool="x") for n in range(1, 6)], pieces=2)
    row = await graphs.one(store, grown.graph_id, soon())
    assert row is not None
    assert row.first == graphs.EventMark("00000001", "2027-01-01T00:00:00.010Z", 1798761600010, 1)
    assert row.last == graphs.EventMark("00000005", "2027-01-01T00:00:00.050Z", 1798761600050, 1)
    assert row.standing == graphs.Standing(head=5 * STEP, floor=STEP, revision=0, arrival=5, written=5 * STEP, applied=5 * STEP, held=5)
    assert await graphs.standing(store, grown.graph_id, soon()) == (row.g, row.standing)


async def test_an_account_lists_its_own_graphs_only(store: Store) -> None:
    """R10: another account's graphs are not there."""
    one, other = f"acc_{uuid4().hex}", f"acc_{uuid4().hex}"
    own = {await new_graph(store, one) for _ in range(3)}
    await new_graph(store, other)
    assert {row.id for row in await graphs.of_account(store, one, soon())} == own


async def test_there_is_no_graph_that_nobody_made(store: Store) -> None:
    """No row, no graph."""
    assert await graphs.one(store, "gph_000000000000", soon()) is None
    assert await graphs.standing(store, "gph_000000000000", soon()) is None
