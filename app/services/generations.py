"""New generations of a graph's rows: where a restart replaces its history, or a late event changes too much of it (O40)."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Sequence
from itertools import count
from typing import NamedTuple

from app.domain.envelope import Event, parse_line
from app.domain.history import Batch, Recorded
from app.domain.projector import Projector
from app.services.clock import Clock
from app.services.gathering import Base
from app.services.projectors import Held, fold, taken_up
from app.services.retention import Retention
from app.store import checkpoints, generations
from app.store.appending import Ground
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.generations import Arrived, Building, Dropped
from app.store.graphs import Standing
from app.store.intervals import BASE, STEP
from app.store.pace import Pace

_SECONDS = 30.0
"""For reading where it starts from."""


class _Placed(NamedTuple):
    """An event with its place, the number that it arrived under, and whether it came after one that it stands before."""

    seq: int
    arrival: int
    event: Event
    late: bool


class Generations:
    """Writes them beside the present one, piece by piece, and switches to them at once.

    Each piece has a deadline of its own: how long the whole takes depends on how much the graph holds. What is in memory does not: events
    are read, applied and written page by page.
    """

    def __init__(self, store: Store, retention: Retention, clock: Clock) -> None:
        self._store = store
        self._retention = retention
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
        building = await generations.begin(self._store, ground, ground.standing.written)
        await generations.put_base(self._store, building, base.stored)
        await generations.put_places(self._store, building, base.batch)
        writing = _Writing(self._store, building, base.projector)
        async for page in generations.events(self._store, ground):
            await writing.put([each for each in await _read(page) if each.event.order > base.stored.place.order])
        switched = await writing.switch(self._clock(), 0, None)
        return Held(base.projector, account, switched.g, switched.standing, unkept=writing.held)

    async def with_late(self, ground: Ground, account: str, new: Sequence[Event], late: Container[str]) -> tuple[Held, Ground]:
        """The graph with new events of which the first is late, however late (E12, I33). Raises: Stale.

        `new` are in order; `late`: ids of those that are. Every held event gets another place, with all the room to the next.
        """
        standing = ground.standing
        there = await checkpoints.listed(self._store, ground.g, Deadline.after(_SECONDS))
        start = next((place for place in reversed(there) if place.seq < standing.floor), None)
        first = STEP if start is None else (start.seq // STEP + 1) * STEP
        building = await generations.begin(self._store, ground, first + (standing.held + len(new)) * STEP)
        dropped = await self._retention.cleared(building.ground)
        await generations.put_remembered(self._store, building, self._retention.parts(building.ground, dropped))
        projector = Projector()
        if start is not None:
            stored = await checkpoints.read(self._store, ground.g, start, Deadline.after(_SECONDS))
            projector = await taken_up(stored)
            await generations.put_base(self._store, building, stored)
            now = projector.history.now
            await generations.put_places(self._store, building, Batch(before=dict.fromkeys(now), after=dict(now)))
        writing, places = _Writing(self._store, building, projector), count(first, STEP)
        coming = deque(_Placed(0, arrival, event, event.id in late) for arrival, event in enumerate(new, standing.arrival + 1))
        async for page in generations.events(self._store, ground):
            merged: list[_Placed] = []
            for each in await _read(page):
                while coming and coming[0].event.order < each.event.order:
                    merged.append(coming.popleft())
                merged.append(each)
            await writing.put([each._replace(seq=next(places)) for each in merged])
        await writing.put([each._replace(seq=next(places)) for each in coming])
        switched = await writing.switch(self._clock(), len(new), dropped)
        return Held(projector, account, switched.g, switched.standing, unkept=writing.held), switched


class _Writing:
    """The events of a generation that is being written, run after run."""

    def __init__(self, store: Store, building: Building, projector: Projector) -> None:
        self.held = 0
        self._store = store
        self._building = building
        self._projector = projector
        self._ends: list[Recorded] = []

    async def put(self, events: Sequence[_Placed]) -> None:
        """Applies and writes the events that come next."""
        if not events:
            return
        batch = Batch()
        await fold(self._projector, [(each.seq, each.event) for each in events], batch)
        late = {each.event.id for each in events if each.late}
        await generations.put_events(self._store, self._building, batch, [each.arrival for each in events], late)
        self._ends = [*(self._ends[:1] or batch.events[:1]), batch.events[-1]]
        self.held += len(events)

    async def switch(self, heard: int, came: int, dropped: Dropped | None) -> Ground:
        """Makes it what everybody sees; so many of its events are new."""
        before, ends = self._building.ground.standing, self._ends
        head = ends[1].seq if ends else BASE
        to = Standing(
            head=head, floor=ends[0].seq if ends else 0, revision=before.revision + 2, arrival=before.arrival + came,
            written=head, applied=head, held=self.held,
        )  # fmt: skip
        return await generations.switch(self._store, self._building, to, ends, heard, dropped)


async def _read(page: list[Arrived]) -> list[_Placed]:
    pace, read = Pace(), []
    for each in page:
        read.append(_Placed(each.seq, each.arrival, parse_line(each.line.encode()), bool(each.late)))
        if pace.due:
            await pace.rest()
    return read
