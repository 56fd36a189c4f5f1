"""What the newest events of a graph have written: kept in memory, so that one late event costs one run over them and not two."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from operator import attrgetter, itemgetter

from app.domain.envelope import Event
from app.domain.history import Batch, Ended, Recorded, State
from app.domain.rows import Cell

MOST_EVENTS = 3_000
"""A tape that has twice as many is cut to so many."""

_by_seq = attrgetter("seq")
_by_until = attrgetter("until")
_by_place = itemgetter(0)


class Tape:
    """Every event after the place `after`, in order, and every state that ended with one of them.

    `began`: where the states began that a run of events left, and which cells they are of; others are known by their ends.
    """

    __slots__ = ("after", "began", "ended", "events")

    def __init__(self, after: int) -> None:
        self.after = after
        self.events: list[Recorded] = []
        self.ended: list[Ended] = []
        self.began: list[tuple[int, Cell]] = []

    def take(self, batch: Batch) -> None:
        """Adds what the next run of events writes; of too many the oldest are left out."""
        self.events += batch.events
        self.ended += batch.ended
        self.began += sorted((state.since, cell) for cell, state in batch.after.items() if state is not None)
        if len(self.events) > 2 * MOST_EVENTS:
            after = self.events[-MOST_EVENTS - 1].seq
            del self.events[:-MOST_EVENTS]
            del self.ended[: bisect_right(self.ended, after, key=_by_until)]
            del self.began[: bisect_right(self.began, after, key=_by_place)]
            self.after = after

    def place_after(self, seq: int) -> int:
        """The index of the first event after a place."""
        return bisect_right(self.events, seq, key=_by_seq)

    def place_of(self, event: Event) -> int:
        """The index at which an event belongs by its order (E10)."""
        return bisect_left(self.events, event.order, key=lambda recorded: recorded.event.order)

    def tail(self, index: int, now: Mapping[Cell, State]) -> Batch:
        """What the events from an index on have written; `now`: the states after the last. The states before them are left out."""
        place = self.events[index].seq
        ended = self.ended[bisect_left(self.ended, place, key=_by_until) :]
        touched = {over.cell for over in ended}
        touched.update(cell for _, cell in self.began[bisect_left(self.began, place, key=_by_place) :])
        return Batch(self.events[index:], ended, after={cell: now.get(cell) for cell in touched})

    def replaced(self, index: int, batch: Batch) -> Tape:
        """A tape with other events from an index on."""
        last = self.events[index - 1].seq if index else self.after
        ended = bisect_right(self.ended, last, key=_by_until)
        made = Tape(self.after)
        made.events, made.ended = self.events[:index], self.ended[:ended]
        # a state that ends only after the cut began before it, and nobody may have noted that
        earlier = [(over.since, over.cell) for over in self.ended[ended:] if self.after < over.since <= last]
        made.began = sorted([*self.began[: bisect_right(self.began, last, key=_by_place)], *earlier])
        made.take(batch)
        return made
