"""Where a read stands: an event's place in the order and the time of judging (section 5 of the REST rules)."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.domain.times import NS_PER_MS


@dataclass(frozen=True, slots=True)
class AsOf:
    """A moment as it was asked for (R22): after an event, or at a time. Exactly one is given.

    `event` is the event's own id (without `evt_`); `time_ms` Unix milliseconds.
    """

    event: str | None = None
    time_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A resolved moment of one graph (R24-R26).

    `g` is the store's key of the graph's generation; `seq` the place of the event (0: before any); `event` its own id, None where none is
    held; `time_ns` when the clock's part is judged (stale, E113); `revision` the graph's revision, by which caches are keyed (Q5);
    `fixed` whether it was asked for as of an event; `nodes` how many nodes there are then, where it was told along with the event.
    """

    graph: str
    g: str
    seq: int
    event: str | None
    time_ns: int
    revision: int
    fixed: bool = False
    nodes: int | None = field(default=None, compare=False)

    @property
    def time_ms(self) -> int:
        """The time of judging in Unix milliseconds, rounded down."""
        return self.time_ns // NS_PER_MS
