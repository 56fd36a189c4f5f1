"""New generations of a graph's rows: where a restart replaces its history, or a late event changes too much of it (O40)."""

from __future__ import annotations

from app.domain.envelope import Event, parse_line
from app.domain.history import Batch, Recorded
from app.services.clock import Clock
from app.services.gathering import Base
from app.services.projectors import Held, Projectors, fold
from app.store import checkpoints, generations
from app.store.appending import Ground
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.generations import Arrived
from app.store.intervals import BASE
from app.store.pace import Pace


class Generations:
    """Writes them beside the present one, piece by piece, and switches to them at once.

    Each piece has a deadline of its own: how long the whole takes depends on how much the graph holds.
    """

    def __init__(self, store: Store, projectors: Projectors, clock: Clock) -> None:
        self._store = store
        self._projectors = projectors
        self._clock = clock

    async def is_base(self, ground: Ground, base: Base, deadline: Deadline) -> bool:
        """Whether the graph starts from just this, and holds no event that a restart there would drop."""
        there = await checkpoints.listed(self._store, ground.g, deadline)
        if not there or there[0] != base.stored.place:
            return False
        if (await checkpoints.read(self._store, ground.g, there[0], deadline)).state != base.stored.state:
            return False
        async for page in generations.events(self._store, ground):
            return parse_line(page[0].line.encode()).order > base.stored.place.order
        return True

    async def restart(self, ground: Ground, account: str, base: Base) -> Held:
        """Has the graph start from another base; of its events those stay that come after it (E132, I31). Raises: Stale."""
        standing, after = ground.standing, base.stored.place.order
        building = await generations.begin(self._store, ground, standing.written)
        await generations.put_base(self._store, building, base.stored)
        await generations.put_places(self._store, building, base.batch)
        ends: list[Recorded] = []
        held = 0
        async for page in generations.events(self._store, ground):
            kept = [each for each in await _read(page) if each[1].order > after]
            if kept:
                batch = Batch()
                await fold(base.projector, [(arrived.seq, event) for arrived, event in kept], batch)
                await generations.put_events(self._store, building, batch, [arrived.arrival for arrived, _ in kept])
                ends = [*ends[:1], *(batch.events[:1] if not ends else ()), batch.events[-1]]
                held += len(kept)
        head = ends[-1].seq if ends else BASE
        floor = ends[0].seq if ends else 0
        to = standing._replace(head=head, floor=floor, revision=standing.revision + 2, written=head, applied=head, held=held)
        switched = await generations.switch(self._store, building, to, ends, self._clock())
        return Held(base.projector, account, switched.g, switched.standing, unkept=held)


async def _read(page: list[Arrived]) -> list[tuple[Arrived, Event]]:
    pace, read = Pace(), []
    for each in page:
        read.append((each, parse_line(each.line.encode())))
        if pace.due:
            await pace.rest()
    return read
