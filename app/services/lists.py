"""Lists and their pages (Q14-Q17): sizes, places and flags, the same for every door that pages by cursors."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from app.domain.filters import Keeps
from app.domain.forest import Forest, ShownRow
from app.domain.ids import node_id
from app.domain.problems import BadUserInput, CursorInvalid
from app.domain.waiting import by_code_unit

T = TypeVar("T")

PAGE = 100
"""How many a list gives without being told (Q14)."""

MOST = 1_000
"""The most that a page may hold."""

MOST_DESCENDANTS = 25_000
"""The most for `descendants`."""


class Order(Enum):
    """Orders of nodes (R35, R55)."""

    NEWEST = "newest"
    TREE = "tree"
    ACTIVITY = "activity"


@dataclass(frozen=True, slots=True)
class Ask:
    """Which page is asked for: `size` rows from its beginning or, if `backward`, to its end. `after` and `before` are cursors."""

    size: int
    backward: bool = False
    after: str | None = None
    before: str | None = None

    @classmethod
    def of(cls, first: int | None, after: str | None, last: int | None, before: str | None, most: int = MOST) -> Ask:
        """What Relay's four arguments ask for (Q14). Raises: BadUserInput."""
        if first is not None and last is not None:
            raise BadUserInput("last", "Give first or last, not both.")
        for name, value in (("first", first), ("last", last)):
            if value is not None and not 0 <= value <= most:
                raise BadUserInput(name, f"{name} is from 0 to {most:,}.")
        if last is not None:
            return cls(last, True, after, before)
        return cls(PAGE if first is None else first, False, after, before)


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """A stretch of a list. `has_next` and `has_previous` tell whether the whole list has more on either side."""

    rows: Sequence[T]
    has_next: bool
    has_previous: bool


@dataclass(frozen=True, slots=True)
class Page(Slice[T]):
    """The same, and how long the whole list is."""

    total: int


def cut(rows: Sequence[T], ask: Ask, begin: int = 0, end: int | None = None) -> Page[T]:
    """The page of `rows` between the places `begin` and `end` that the cursors stand for.

    An empty page stands where it would begin, or where it would end if `ask` goes backward (Q14).
    """
    total = len(rows)
    end = total if end is None else end
    if ask.backward:
        stop = end
        start = max(stop - ask.size, min(begin, stop))
    else:
        start = begin
        stop = min(start + ask.size, max(end, start))
    page = rows if start == 0 and stop == total else rows[start:stop]
    return Page(page, stop < total, start > 0, total)


def places(keys: Sequence[Any], after: Any, before: Any) -> tuple[int, int]:
    """Where in ascending `keys` a page begins after the key `after` and ends before the key `before` (None: not given)."""
    return (0 if after is None else bisect_right(keys, after)), (len(keys) if before is None else bisect_left(keys, before))


def kept(rows: Sequence[T], keeps: Callable[[T], bool] | None) -> Sequence[T]:
    """The rows that a filter keeps, in their order."""
    return rows if keeps is None else [row for row in rows if keeps(row)]


def in_order(rows: Sequence[ShownRow], given: Order, wanted: Order, forest: Forest) -> Sequence[ShownRow]:
    """`rows`, which are in the order `given`, in the order `wanted`."""
    if wanted is given:
        return rows
    return sorted(rows, key=sort_key(forest, wanted))


def sort_key(forest: Forest, order: Order) -> Callable[[ShownRow], Any]:
    """What a row sorts by. Every key is that of one row alone, so a cursor that names it is a place in the list."""
    if order is Order.NEWEST:
        return lambda row: (-row["created"], by_code_unit(row["ref"]))
    if order is Order.ACTIVITY:
        return lambda row: (-row["last_event"], node_id(row["ref"]))
    place = tree_places(forest)
    return lambda row: place[row["ref"]]


def tree_places(forest: Forest) -> dict[str, int]:
    """Each node's place in the tree order."""
    return {row["ref"]: place for place, row in enumerate(forest.tree())}


def page_of_nodes(
    forest: Forest,
    rows: Sequence[ShownRow],
    given: Order,
    order: Order,
    keeps: Keeps | None,
    ask: Ask,
    after: str | None = None,
    before: str | None = None,
) -> Page[ShownRow]:
    """A page of nodes of `forest`, of which `rows` (in the order `given`) is the list before filtering.

    `after` and `before` are the refs that the cursors name; the moment is the cursor's own, so the nodes are there. Raises: CursorInvalid.
    """
    listed = in_order(kept(rows, keeps), given, order, forest)
    if after is None and before is None:
        return cut(listed, ask)
    key = sort_key(forest, order)
    begin, end = places([key(row) for row in listed], _named(forest, key, after), _named(forest, key, before))
    return cut(listed, ask, begin, end)


def _named(forest: Forest, key: Callable[[ShownRow], Any], ref: str | None) -> Any:
    if ref is None:
        return None
    row = forest.by_ref.get(ref)
    if row is None:
        raise CursorInvalid("The cursor names a node that is not in this list.")
    return key(row)
