"""How much history a graph keeps (R67, I36): the oldest events are dropped as new ones come, what they led to stays."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import structlog

from app.domain.keyframe import KeyframeRefused
from app.domain.problems import Problem, StoreUnavailable
from app.services.projectors import Held, Projectors, packed
from app.store import checkpoints, generations, trims
from app.store.appending import Ground
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import Standing

_REMEMBERED = 10
"""How many times the events that a graph keeps it remembers ids of dropped ones (I36)."""

_ALL = 10**12
"""More events than any graph keeps."""

_SECONDS = 30.0
"""For one piece of clearing."""

_log = structlog.get_logger()


def due(standing: Standing, keep: int) -> int:
    """How many of the oldest held events go where a graph keeps `keep` (R67; 0: all)."""
    if not keep:
        return 0
    gone = standing.arrival - standing.held
    return max((standing.arrival // keep - 1) * keep - gone, 0)


class Retention:
    """Drops what graphs do not keep, and clears it away in the background."""

    def __init__(self, store: Store, projectors: Projectors, keep: int) -> None:
        """`keep`: how many events a graph keeps that does not say itself."""
        self._store = store
        self._projectors = projectors
        self._keep = keep
        self._clearing: dict[str, asyncio.Task[None]] = {}

    async def trim(self, ground: Ground, held: Held, deadline: Deadline) -> Held:
        """The graph without the events that it does not keep. Raises: Stale, with nothing dropped."""
        keep = self._own(ground)
        count = due(held.standing, keep)
        if not count:
            return held
        standing = held.standing
        last, first = await self._cut(held, count, deadline)
        projector = await self._projectors.after(held.g, last, deadline)
        await self._projectors.on(projector, held.g, last, deadline)
        try:
            kept = await asyncio.to_thread(packed, projector)
        except KeyframeRefused as error:
            _log.warning("history_not_trimmed", graph=ground.graph_id, why=str(error))
            return held
        await checkpoints.put(self._store, ground, kept, deadline)
        recorded = await self._projectors.on(projector, held.g, first, deadline)
        assert recorded is not None
        self._projectors.let_go(projector)
        to = standing._replace(floor=first, revision=standing.revision + 2, held=standing.held - count)
        ground = await trims.move_floor(self._store, ground, to, last, recorded, deadline)
        self.clear_soon(ground.graph_id, keep)
        return replace(held, standing=to, marks=tuple(mark for mark in held.marks if mark.order > kept.place.order))

    def clear_soon(self, graph_id: str, keep: int) -> None:
        """Has dropped rows cleared away in the background. What is not done when this process ends, a later trim does."""
        running = self._clearing.get(graph_id)
        if running is None or running.done():
            self._clearing[graph_id] = task = asyncio.create_task(self._clear(graph_id, keep))
            task.add_done_callback(lambda _: self._clearing.pop(graph_id, None) if self._clearing.get(graph_id) is task else None)

    async def cleared(self, ground: Ground) -> generations.Dropped:
        """Has all cleared away that was dropped of a graph. Gives what it remembers of that. Raises: StoreUnavailable."""
        running = self._clearing.get(ground.graph_id)
        if running is not None:
            await asyncio.wait({running})
        await self._clear(ground.graph_id, self._own(ground) or _ALL)
        left = await trims.left(self._store, ground.graph_id, Deadline.after(_SECONDS))
        if left is None or left.cleared < left.trimmed:
            raise StoreUnavailable
        return generations.Dropped(left.trimmed, left.cleared, left.remembered)

    def parts(self, ground: Ground, dropped: generations.Dropped) -> range:
        """The parts of the ids that a graph remembers in which there may still be any."""
        newest = dropped.remembered // trims.PART
        oldest = (dropped.remembered - _REMEMBERED * (self._own(ground) or _ALL)) // trims.PART - 2
        return range(max(oldest, 0), newest + 1) if dropped.remembered else range(0)

    def _own(self, ground: Ground) -> int:
        return self._keep if ground.keep is None else ground.keep

    async def settled(self) -> None:
        """Waits until all is cleared away that was to be."""
        while self._clearing:
            await asyncio.gather(*self._clearing.values())

    async def close(self) -> None:
        """Stops clearing after the pieces at hand."""
        tasks = list(self._clearing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _cut(self, held: Held, count: int, deadline: Deadline) -> tuple[int, int]:
        """Places of the last of the `count` oldest held events, and of the one after it."""
        seqs: list[int] = []
        async for page in trims.places(self._store, held.g, held.standing.floor - 1, held.standing.head, deadline):
            seqs += page
            if len(seqs) > count:
                break
        return seqs[count - 1], seqs[count]

    async def _clear(self, graph_id: str, keep: int) -> None:
        try:
            while (left := await trims.left(self._store, graph_id, Deadline.after(_SECONDS))) is not None and left.cleared < left.trimmed:
                async for page in trims.places(self._store, left.g, left.cleared, left.trimmed, Deadline.after(_SECONDS)):
                    for start in range(0, len(page), trims.PIECE):
                        piece = page[start : start + trims.PIECE]
                        left = await trims.clear(self._store, graph_id, left, piece, _REMEMBERED * keep, Deadline.after(_SECONDS))
                if left.cleared < left.trimmed:
                    return  # the last dropped event was cleared by somebody else
        except Problem as problem:
            _log.warning("history_not_cleared", graph=graph_id, why=str(problem))
