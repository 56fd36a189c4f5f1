"""From what single events changed to what a store writes: states that ended, and states that hold now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from app.domain.envelope import Event
from app.domain.rows import Cell, Row


class State(NamedTuple):
    """A cell's state and the `seq` of the event since which it holds."""

    since: int
    row: Row


class Ended(NamedTuple):
    """A state that is over: it held in the half-open span [since, until)."""

    cell: Cell
    since: int
    until: int
    row: Row


class Recorded(NamedTuple):
    """An event with its place and its change list as JSON text in REST's form (R57, R62-R65).

    `nodes` is how many nodes there are after it.
    """

    event: Event
    seq: int
    changes: bytes
    nodes: int


@dataclass(slots=True)
class Batch:
    """What a run of events writes.

    `events`: them, in order. `ended`: states that ended, those that began in the batch too. `before`: for every cell touched, its state
    before the batch (None: it was not there). `after`: its state after it (None: gone).
    """

    events: list[Recorded] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    before: dict[Cell, State | None] = field(default_factory=dict)
    after: dict[Cell, State | None] = field(default_factory=dict)


class History:
    """Since when each cell of a graph has been in its present state; collects batches."""

    def __init__(self, now: dict[Cell, State] | None = None) -> None:
        self.now: dict[Cell, State] = {} if now is None else now

    def record(self, batch: Batch, recorded: Recorded, changed: Mapping[Cell, Row | None]) -> None:
        """Adds to `batch` what the event at `recorded.seq` changed: the new row of every cell it touched (None: gone).

        A row equal to the one before is no change. A state that began and ended at the same place never was.
        """
        batch.events.append(recorded)
        self.take(batch, recorded.seq, changed)

    def take(self, batch: Batch, seq: int, changed: Mapping[Cell, Row | None]) -> None:
        """Adds to `batch` what changed at place `seq`, whether by an event or by a state taken up."""
        now = self.now
        for cell, row in changed.items():
            old = now.get(cell)
            if (old.row if old is not None else None) == row:
                continue
            batch.before.setdefault(cell, old)
            if old is not None:
                batch.ended.append(Ended(cell, old.since, seq, old.row))
            if row is None:
                del now[cell]
                batch.after[cell] = None
            else:
                batch.after[cell] = now[cell] = State(seq, row)
