"""Projectors kept in memory between appends: a bounded cache, never more than what the store says already."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from cachetools import LRUCache

from app.domain.envelope import Event, parse_line
from app.domain.history import Batch
from app.domain.projector import Projector
from app.store import appending
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import Standing
from app.store.intervals import STEP
from app.store.pace import Pace

MOST_NODES = 100_000
"""Nodes of all projectors in memory together."""


@dataclass(slots=True)
class Held:
    """A projector, and where its graph stood when the two were the same."""

    projector: Projector
    g: str
    standing: Standing


class Projectors:
    """The projectors of graphs that were written to, least used out first.

    A projector is taken out before it is carried on, and put back only when the store has all that it says: whatever goes wrong in between,
    the cache never holds one that is ahead of its graph.
    """

    def __init__(self, store: Store, most_nodes: int = MOST_NODES) -> None:
        self._store = store
        self._held: LRUCache[str, Held] = LRUCache(most_nodes, getsizeof=lambda held: max(held.projector.node_count, 1))

    def take(self, graph_id: str) -> Held | None:
        """Takes the graph's projector out, if it is here."""
        return self._held.pop(graph_id, None)

    def keep(self, graph_id: str, held: Held) -> None:
        """Puts it back. One that alone is larger than the cache is not kept."""
        if held.projector.node_count <= self._held.maxsize:
            self._held[graph_id] = held

    async def at(self, held: Held | None, g: str, standing: Standing, upto: int, deadline: Deadline) -> Held:
        """The graph's projector after the event at place `upto`, carried on from `held` where that is of the same history."""
        same = held is not None and held.g == g and held.standing.revision == standing.revision
        projector = held.projector if held is not None and same and held.projector.head_seq <= upto else Projector()
        async for events in self._again(g, projector.head_seq, upto, deadline):
            await fold(projector, events, Batch())
        return Held(projector, g, standing)

    async def rest(self, held: Held, upto: int, deadline: Deadline) -> Batch:
        """Carries a projector on to place `upto`. Gives what that writes."""
        batch = Batch()
        async for events in self._again(held.g, held.projector.head_seq, upto, deadline):
            await fold(held.projector, events, batch)
        return batch

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
