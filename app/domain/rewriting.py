"""What late events change (E12): the rows in which two runs over the same start differ, one without them and one with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from app.domain.history import Batch, Ended, Recorded, State
from app.domain.rows import Cell, EdgeRow


class Edge(NamedTuple):
    """An edge of a cell: from `since` to `until` (None: it has not ended)."""

    cell: Cell
    since: int
    until: int | None
    row: EdgeRow


@dataclass(frozen=True, slots=True)
class Difference:
    """What is to be taken away (`off`) and what is to be there, whether anything has its key already or not (`on`).

    `past`: states that ended, taken away by cell and `since`. `now`: states that hold at the end. `events_on` are new;
    `events_set` are there already and have another place, change list or number of nodes.
    """

    past_off: list[tuple[Cell, int]]
    past_on: list[Ended]
    now_off: list[Cell]
    now_on: list[tuple[Cell, State]]
    edges_off: list[Edge]
    edges_on: list[Edge]
    events_on: list[Recorded]
    events_set: list[Recorded]

    @property
    def size(self) -> int:
        """How many rows are written or taken away."""
        rows = len(self.past_off) + len(self.past_on) + len(self.now_off) + len(self.now_on)
        return rows + len(self.edges_off) + len(self.edges_on) + len(self.events_on) + len(self.events_set)


def difference(old: Batch, new: Batch) -> Difference:
    """From what the run `old` has written to what the run `new` would have; both began in the same state."""
    start = {**new.before, **old.before}
    was = {cell: old.after.get(cell, state) for cell, state in start.items()}
    now = {cell: new.after.get(cell, state) for cell, state in start.items()}
    changed = [cell for cell in start if was[cell] != now[cell]]
    past, again = _past(old.ended), _past(new.ended)
    edges, edges_again = set(_edges(old.ended, was)), set(_edges(new.ended, now))
    known = {recorded.event.id: recorded for recorded in old.events}
    return Difference(
        past_off=[key for key in past if key not in again],
        past_on=[over for key, over in again.items() if past.get(key) != over],
        now_off=[cell for cell in changed if now[cell] is None and not _is_edge(cell)],
        now_on=[(cell, state) for cell in changed if (state := now[cell]) is not None and not _is_edge(cell)],
        edges_off=sorted(edges - edges_again, key=_edge_key),
        edges_on=sorted(edges_again - edges, key=_edge_key),
        events_on=[each for each in new.events if each.event.id not in known],
        events_set=[each for each in new.events if each.event.id in known and known[each.event.id][1:] != each[1:]],
    )


def _past(ended: Iterable[Ended]) -> dict[tuple[Cell, int], Ended]:
    return {(over.cell, over.since): over for over in ended if not _is_edge(over.cell)}


def _edges(ended: Iterable[Ended], at_end: dict[Cell, State | None]) -> Iterable[Edge]:
    for over in ended:
        if isinstance(over.row, EdgeRow):
            yield Edge(over.cell, over.since, over.until, over.row)
    for cell, state in at_end.items():
        if state is not None and isinstance(state.row, EdgeRow):
            yield Edge(cell, state.since, None, state.row)


def _is_edge(cell: Cell) -> bool:
    return cell.kind in ("parent", "waits_on")


def _edge_key(edge: Edge) -> tuple[Cell, int]:
    return edge.cell, edge.since
