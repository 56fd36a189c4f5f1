"""Projectors kept in memory between appends: a bounded cache, never more than what the store says already."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass

import structlog
from cachetools import LRUCache

from app.domain import keyframe
from app.domain.envelope import Event, parse_line
from app.domain.history import Batch, Recorded
from app.domain.keyframe import KeyframeRefused
from app.domain.projector import Projector
from app.domain.projector.checkpoint import Checkpoint, checkpoint, resumed
from app.domain.tape import Tape
from app.services.marks import Mark
from app.store import appending, checkpoints
from app.store.appending import Ground, Look
from app.store.checkpoints import Place, Stored
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import Standing
from app.store.intervals import BASE, STEP
from app.store.pace import Pace

_log = structlog.get_logger()

MOST_NODES = 100_000
"""Nodes of all projectors and marks, and events of all tapes, in memory together."""


@dataclass(slots=True)
class Held:
    """A projector, and where its graph stood when the two were the same."""

    projector: Projector
    account: str
    g: str
    standing: Standing
    marks: tuple[Mark, ...] = ()
    """Earlier places to begin at when late events come, in order; only graphs to which some have come have any."""
    unkept: int = 0
    """Events folded since the last checkpoint that is kept in the store."""
    tape: Tape | None = None
    """What its newest events have written; only such graphs have one."""


class _Kept(LRUCache[str, Held]):
    """Says what makes way."""

    def __init__(self, most: int, gone: Callable[[Held], None]) -> None:
        super().__init__(most, getsizeof=_size)
        self._gone = gone

    def popitem(self) -> tuple[str, Held]:
        """Takes out the one not used for longest."""
        name, held = super().popitem()
        self._gone(held)
        return name, held


class Projectors:
    """The projectors of graphs that were written to, least used out first.

    A projector is taken out before it is carried on, and put back only when the store has all that it says: whatever goes wrong in between,
    the cache never holds one that is ahead of its graph.
    """

    def __init__(self, store: Store, most_nodes: int = MOST_NODES) -> None:
        self._store = store
        self._held = _Kept(most_nodes, self.let_go)
        self._going: set[asyncio.Task[None]] = set()

    def take(self, graph_id: str) -> Held | None:
        """Takes the graph's projector out, if it is here."""
        return self._held.pop(graph_id, None)

    def keep(self, graph_id: str, held: Held) -> None:
        """Puts it back. One that alone is larger than the cache is not kept."""
        if _size(held) <= self._held.maxsize:
            self._held[graph_id] = held
        else:
            self.let_go(held)

    def let_go(self, unneeded: Held | Projector | None) -> None:
        """Frees a projector that nobody needs any more, in the background: thousands of nodes take longer than others can wait."""
        if unneeded is None:
            return
        projector = unneeded.projector if isinstance(unneeded, Held) else unneeded
        task = asyncio.create_task(_taken_apart(projector))
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    async def at(self, held: Held | None, look: Look, upto: int, deadline: Deadline) -> Held:
        """The graph's projector after the event at place `upto`, carried on from `held` where that is of the same history."""
        same = held if held is not None and held.g == look.g and held.standing.revision == look.standing.revision else None
        if same is not None and same.projector.head_seq <= upto:
            projector, unkept = same.projector, same.unkept
        else:
            self.let_go(held)
            projector, unkept = await self.after(look.g, upto, deadline), 0
        async for events in self.again(look.g, projector.head_seq, upto, deadline):
            await fold(projector, events, batch := Batch())
            unkept += len(events)
            if same is not None and same.tape is not None:
                same.tape.take(batch)
        return Held(projector, look.account, look.g, look.standing, *(((), unkept) if same is None else (same.marks, unkept, same.tape)))

    async def save(self, ground: Ground, held: Held, deadline: Deadline) -> None:
        """Keeps the state of a projector in the store, where it can be taken up again just as it is. Raises: Stale."""
        held.unkept = 0
        try:
            await checkpoints.put(self._store, ground, await asyncio.to_thread(packed, held.projector), deadline)
        except KeyframeRefused as error:
            _log.warning("state_not_kept", graph=ground.graph_id, why=str(error))

    async def after(self, g: str, upto: int, deadline: Deadline) -> Projector:
        """A projector from the newest checkpoint at or before a place, or before all events. It may have to be carried on."""
        earlier = [place for place in await checkpoints.listed(self._store, g, deadline) if place.seq <= upto]
        return await self.standing_at(g, earlier[-1], deadline) if earlier else Projector()

    async def on(self, projector: Projector, g: str, upto: int, deadline: Deadline) -> Recorded | None:
        """Carries a projector on to the event at a place. Gives that event, if there was any to carry it on by."""
        batch = Batch()
        async for events in self.again(g, projector.head_seq, upto, deadline):
            await fold(projector, events, batch := Batch())
        return batch.events[-1] if batch.events else None

    async def rest(self, held: Held, upto: int, deadline: Deadline) -> Batch:
        """Carries a projector on to place `upto`. Gives what that writes."""
        batch = Batch()
        if not held.projector.head_seq and (kept := await checkpoints.listed(self._store, held.g, deadline)) and kept[0].seq == BASE:
            held.projector, batch = await based(await checkpoints.read(self._store, held.g, kept[0], deadline))
        async for events in self.again(held.g, held.projector.head_seq, upto, deadline):
            await fold(held.projector, events, batch)
        if held.tape is not None:
            held.tape.take(batch)
        return batch

    async def standing_at(self, g: str, place: Place, deadline: Deadline) -> Projector:
        """A projector from a checkpoint."""
        return await taken_up(await checkpoints.read(self._store, g, place, deadline))

    async def again(self, g: str, after: int, upto: int, deadline: Deadline) -> AsyncIterator[list[tuple[int, Event]]]:
        """Held events in (`after`, `upto`], in order, page by page, each with its place."""
        if after >= upto:
            return
        pace = Pace()
        async for page in appending.events_after(self._store, g, after, upto, deadline):
            events = []
            for seq, line in page:
                events.append((seq, parse_line(line.encode())))
                if pace.due:
                    await pace.rest()
            yield events


async def _taken_apart(projector: Projector) -> None:
    pace = Pace()
    for _ in projector.taken_apart():
        if pace.due:
            await pace.rest()


async def taken_up(stored: Stored) -> Projector:
    """A projector at a stored state: what the graph starts from, or a checkpoint. Raises: KeyframeRefused."""
    return (await based(stored))[0] if stored.place.seq == BASE else await asyncio.to_thread(lambda: resumed(_unpacked(stored)))


async def based(base: Stored) -> tuple[Projector, Batch]:
    """A projector that starts from a keyframe that came, and what that writes. Raises: KeyframeRefused."""
    # in a thread: it is one long piece of work, and the loop must get its turns
    return await asyncio.to_thread(lambda: Projector.from_keyframe(keyframe.unpacked(base.state, base.place.ts), BASE))


async def fold(projector: Projector, events: Iterable[tuple[int, Event]], batch: Batch) -> None:
    """Applies events at their places, letting others run before and in between."""
    pace = Pace()
    await pace.rest()
    for seq, event in events:
        projector.apply(event, seq, batch)
        if pace.due:
            await pace.rest()


def places(written: int, events: Iterable[Event]) -> Iterable[tuple[int, Event]]:
    """Gives new events their places after all that is written."""
    first = (written // STEP + 1) * STEP
    return ((first + number * STEP, event) for number, event in enumerate(events))


def _size(held: Held) -> int:
    return max(held.projector.node_count, 1) * (1 + len(held.marks)) + (0 if held.tape is None else len(held.tape.events))


def packed(projector: Projector) -> Stored:
    """The checkpoint of a projector's state, for the store. Raises: KeyframeRefused."""
    made = checkpoint(projector)
    return Stored(Place(made.seq, made.event_id, made.ts), keyframe.packed(made.state), keyframe.packed(made.rest))


def _unpacked(stored: Stored) -> Checkpoint:
    state, rest = (keyframe.unpacked_text(texts) for texts in (stored.state, stored.rest))
    return Checkpoint(*stored.place, state, rest)
