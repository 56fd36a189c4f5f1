"""What the newest events of a graph have written: kept in memory, so that one late event costs one run over them and not two."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter

from app.domain.envelope import Event
from app.domain.history import Batch, Ended, Recorded, State
from app.domain.rows import Cell

MOST_EVENTS = 3_000
"""A tape that has twice as many is cut to so many."""

_by_seq = attrgetter("seq")
_by_until = attrgetter("until")


class Tape:
    """Every event after the place `after`, in order, and every state that ended with one of them."""

    __slots__ = ("after", "ended", "events")

    def __init__(self, after: int, events: Sequence[Recorded] = (), ended: Sequence[Ended] = ()) -> None:
        self.after = after
        self.events = list(events)
        self.ended = list(ended)

    def take(self, batch: Batch) -> None:
        """Adds what the next run of events writes; of too many the oldest are left out."""
        self.events += batch.events
        self.ended += batch.ended
        if len(self.events) > 2 * MOST_EVENTS:
            self.after = self.events[-MOST_EVENTS - 1].seq
            del self.events[:-MOST_EVENTS]
            del self.ended[: bisect_right(self.ended, self.after, key=_by_until)]

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
        touched.update(cell for cell, state in now.items() if state.since >= place)
        return Batch(self.events[index:], ended, after={cell: now.get(cell) for cell in touched})

    def replaced(self, index: int, batch: Batch) -> Tape:
        """A tape with other events from an index on."""
        last = self.events[index - 1].seq if index else self.after
        made = Tape(self.after, self.events[:index], self.ended[: bisect_right(self.ended, last, key=_by_until)])
        made.take(batch)
        return made
