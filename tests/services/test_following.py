"""Where a stream of events stands while an append is under way (Q23, Q24)."""

from __future__ import annotations

from uuid import uuid4

from app.domain.envelope import parse_object
from app.domain.projector import Projector
from app.store import appending, graphs
from app.store.appending import Ground
from app.store.connection import Store
from tests.grown import event, grow, soon
from tests.store.contents import folded


async def test_what_readers_cannot_see_yet_has_not_arrived(store: Store) -> None:
    """Q24: numbers are given in the first stage of an append; a cursor stands before them until the last."""
    log = [event(n, "status", "one", 1_000 * n, state="working") for n in range(5)]
    grown = await grow(store, log[:3])
    projector = Projector()
    folded(projector, [parse_object(each) for each in log[:3]])
    batch = folded(projector, [parse_object(each) for each in log[3:]])

    async def arrived() -> tuple[int, int]:
        row = await graphs.one(store, grown.graph_id, soon())
        assert row is not None
        return row.standing.arrival, row.standing.arrived

    look = await appending.look(store, grown.graph_id, None, [], soon())
    assert look is not None
    assert await arrived() == (3, 3)
    ground = await appending.adds(store, Ground(grown.graph_id, look.g, look.standing, uuid4().hex), batch, soon())
    assert await arrived() == (5, 3)
    ground = await appending.places(store, ground, batch, soon())
    assert await arrived() == (5, 3)
    await appending.head(store, ground, None, soon())
    assert await arrived() == (5, 5)
    await grown.append([event(9, "status", "one", 1_500, state="idle")])  # late: among the others
    assert await arrived() == (6, 6)
    await grown.append([event(10, "status", "one", 9_000, state="idle")])
    assert await arrived() == (7, 7)
