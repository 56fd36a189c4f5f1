"""Folding as it is asked for: a batch whose events are applied one by one, while the store is at work on those before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.domain.envelope import Event
from app.domain.history import Batch, Step
from app.domain.projector.projector import Projector


class Folding(Batch):
    """What events at their places write, all of which is known once `steps` have been taken."""

    __slots__ = ("_coming", "_projector")

    def __init__(self, projector: Projector, events: Sequence[tuple[int, Event]]) -> None:
        """`projector` is carried on by each step."""
        super().__init__()
        self._projector, self._coming = projector, events

    @property
    def upto(self) -> int:
        """The place of the last event, applied or not."""
        return self._coming[-1][0]

    @property
    def count(self) -> int:
        """How many events there will be."""
        return len(self._coming)

    def steps(self) -> Iterator[Step]:
        """Event by event; those that are not yet applied are applied."""
        yield from Batch.steps(self)
        for seq, event in self._coming[len(self.events) :]:
            before = len(self.ended)
            self._projector.apply(event, seq, self)
            yield Step(self.events[-1], self.ended[before:])
