"""Projectors kept in memory between appends: a bounded cache, never more than what the store says already."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cachetools import LRUCache

from app.domain.envelope import Event, parse_line
from app.domain.history import Batch, Recorded
from app.domain.keyframe import unpacked
from app.domain.projector import Projector
from app.domain.rewriting import Difference, difference
from app.services import marks as kept
from app.services.marks import Mark, marked, restored
from app.services.placing import merged
from app.store import appending, bases
from app.store.appending import Look
from app.store.bases import Base
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import Standing
from app.store.intervals import BASE, STEP
from app.store.pace import Pace

MOST_NODES = 100_000
"""Nodes of all projectors and marks in memory together."""


@dataclass(slots=True)
class Held:
    """A projector, and where its graph stood when the two were the same."""

    projector: Projector
    account: str
    g: str
    standing: Standing
    marks: tuple[Mark, ...] = ()
    """Earlier places to begin at when late events come, in order; only graphs to which some have come have any."""


class Late(NamedTuple):
    """A graph with late events in their places: its projector, marks that are still right, what changed, how many events came, its first
    (None: as before) and last event."""

    projector: Projector
    marks: tuple[Mark, ...]
    changed: Difference
    came: int
    ends: tuple[Recorded | None, Recorded]

    def standing(self, before: Standing) -> Standing:
        """Where the graph stands with them."""
        first, last = self.ends
        return before._replace(
            head=last.seq,
            floor=before.floor if first is None else first.seq,
            arrival=before.arrival + self.came,
            written=last.seq,
            applied=last.seq,
            held=before.held + self.came,
        )


class Projectors:
    """The projectors of graphs that were written to, least used out first.

    A projector is taken out before it is carried on, and put back only when the store has all that it says: whatever goes wrong in between,
    the cache never holds one that is ahead of its graph.
    """

    def __init__(self, store: Store, most_nodes: int = MOST_NODES) -> None:
        self._store = store
        self._held: LRUCache[str, Held] = LRUCache(most_nodes, getsizeof=_size)

    def take(self, graph_id: str) -> Held | None:
        """Takes the graph's projector out, if it is here."""
        return self._held.pop(graph_id, None)

    def keep(self, graph_id: str, held: Held) -> None:
        """Puts it back. One that alone is larger than the cache is not kept."""
        if _size(held) <= self._held.maxsize:
            self._held[graph_id] = held

    async def at(self, held: Held | None, look: Look, upto: int, deadline: Deadline) -> Held:
        """The graph's projector after the event at place `upto`, carried on from `held` where that is of the same history."""
        same = held if held is not None and held.g == look.g and held.standing.revision == look.standing.revision else None
        if same is not None and same.projector.head_seq <= upto:
            projector = same.projector
        else:
            projector, _ = await self._fresh(look.g, upto, deadline)
        async for events in self._again(look.g, projector.head_seq, upto, deadline):
            await fold(projector, events, Batch())
        return Held(projector, look.account, look.g, look.standing, () if same is None else same.marks)

    async def rest(self, held: Held, upto: int, deadline: Deadline) -> Batch:
        """Carries a projector on to place `upto`. Gives what that writes."""
        batch = Batch()
        if not held.projector.head_seq:
            held.projector, batch = await self._fresh(held.g, upto, deadline)
        async for events in self._again(held.g, held.projector.head_seq, upto, deadline):
            await fold(held.projector, events, batch)
        return batch

    async def with_late(self, held: Held, new: Sequence[Event], deadline: Deadline) -> Late:
        """The graph with new events of which the first is late (E12): two runs from the state before it, without them and with them."""
        marks = [mark for mark in held.marks if mark.order < new[0].order]
        before, again = [await restored(marks[-1]) if marks else (await self._fresh(held.g, BASE, deadline))[0] for _ in range(2)]
        coming = self._again(held.g, before.head_seq, held.standing.head, deadline)
        waiting: deque[tuple[int, Event]] = deque()
        tail: list[tuple[int, Event]] = []
        folded = 0
        async for events in coming:
            at = 0 if tail else next((number for number, (_, event) in enumerate(events) if event.order > new[0].order), len(events))
            waiting += events[:at]
            tail += events[at:]
            due = [waiting.popleft() for _ in range(len(waiting) - kept.MARK_BEFORE)]
            folded += len(due)
            for projector in (before, again):
                await fold(projector, due, Batch())
        if folded >= kept.MARK_EVERY:
            marks = [*marks, await marked(before)][-kept.MOST_MARKS :]
        for projector in (before, again):
            await fold(projector, waiting, Batch())
        old, rewritten = Batch(), Batch()
        after = before.head_seq
        await fold(before, tail, old)
        await fold(again, merged(tail, new, after), rewritten)
        first = None if after > BASE else rewritten.events[0]
        return Late(again, tuple(marks), difference(old, rewritten), len(new), (first, rewritten.events[-1]))

    async def _fresh(self, g: str, upto: int, deadline: Deadline) -> tuple[Projector, Batch]:
        """A projector before all events, and what its base writes, if the graph has one at place `upto` (E133)."""
        base = await bases.of(self._store, g, deadline) if upto >= BASE else None
        return (Projector(), Batch()) if base is None else await from_base(base)

    async def _again(self, g: str, after: int, upto: int, deadline: Deadline) -> AsyncIterator[list[tuple[int, Event]]]:
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


async def from_base(base: Base) -> tuple[Projector, Batch]:
    """A projector that starts from a base, and what that writes. Raises: KeyframeRefused."""
    # in a thread: it is one long piece of work, and the loop must get its turns
    return await asyncio.to_thread(lambda: Projector.from_keyframe(unpacked(base.texts, base.ts), BASE))


async def fold(projector: Projector, events: Iterable[tuple[int, Event]], batch: Batch) -> None:
    """Applies events at their places, letting others run in between."""
    pace = Pace()
    for seq, event in events:
        projector.apply(event, seq, batch)
        if pace.due:
            await pace.rest()


def places(written: int, events: Iterable[Event]) -> Iterable[tuple[int, Event]]:
    """Gives new events their places after all that is written."""
    first = (written // STEP + 1) * STEP
    return ((first + number * STEP, event) for number, event in enumerate(events))


def _size(held: Held) -> int:
    return max(held.projector.node_count, 1) * (1 + len(held.marks))
