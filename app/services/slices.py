"""Pages of lists by an item's own id (R33, R59): what REST's cursors stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from app.domain.forest import below
from app.domain.ids import event_own_id
from app.domain.problems import CursorInvalid, NoSuchEvent, OutsideRetentionWindow
from app.services.event_pages import EventPage, EventRow
from app.services.graph_at import GraphAt, KeySet
from app.services.lists import Ask, cut

T = TypeVar("T")


class WrongCursor(CursorInvalid):
    """A cursor that is not in the list, or both of them (R33). `after`: whether it is `starting_after`."""

    def __init__(self, *, after: bool, both: bool = False) -> None:
        super().__init__("Give starting_after or ending_before, not both." if both else "The cursor names nothing in this list.")
        self.after = after


class CursorOutside(OutsideRetentionWindow):
    """A cursor older than what is held (R59). `after`: whether it is `starting_after`."""

    def __init__(self, problem: OutsideRetentionWindow, *, after: bool) -> None:
        super().__init__()
        self.message, self.extra, self.after = problem.message, problem.extra, after


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """A page, and whether the list goes on in the direction in which it is read (R33)."""

    rows: Sequence[T]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Cursors:
    """Which page is asked for: `size` items just after the one with the id `after`, or just before `before`."""

    size: int
    after: str | None = None
    before: str | None = None


def slice_of(rows: Sequence[T], asked: Cursors, id_of: Callable[[T], str]) -> Slice[T]:
    """The page of a list that is filtered and in order. Raises: WrongCursor."""
    if asked.after is not None and asked.before is not None:
        raise WrongCursor(after=False, both=True)
    named = asked.after if asked.before is None else asked.before
    if named is None:
        page = cut(rows, Ask(asked.size))
        return Slice(page.rows, page.has_next)
    place = next((place for place, row in enumerate(rows) if id_of(row) == named), None)
    if place is None:
        raise WrongCursor(after=asked.before is None)
    if asked.before is not None:
        page = cut(rows, Ask(asked.size, backward=True), 0, place)
        return Slice(page.rows, page.has_previous)
    page = cut(rows, Ask(asked.size), place + 1)
    return Slice(page.rows, page.has_next)


async def events_of(at: GraphAt, page: EventPage, asked: Cursors) -> Slice[EventRow]:
    """The page of a graph's events; `page` says their order and filter. Raises: WrongCursor, CursorOutside (R59)."""
    held = [await _held(at, text, after=after) for text, after in ((asked.after, True), (asked.before, False))]
    if asked.after is not None and asked.before is not None:
        raise WrongCursor(after=False, both=True)
    after, before = held
    for text, row, is_after in ((asked.after, after, True), (asked.before, before, False)):
        if text is not None and (row is None or not await _is_in(at, page, row)):
            raise WrongCursor(after=is_after)
    found = await at.events(
        replace(
            page,
            size=asked.size,
            backward=before is not None,
            after=None if after is None else after["id"],
            before=None if before is None else before["id"],
        )
    )
    return Slice(found.rows, found.has_next if before is None else found.has_previous)


async def _held(at: GraphAt, text: str | None, *, after: bool) -> EventRow | None:
    own_id = None if text is None else event_own_id(text)
    if own_id is None:
        return None
    try:
        return await at.event(own_id)
    except NoSuchEvent:
        return None
    except OutsideRetentionWindow as problem:
        raise CursorOutside(problem, after=after) from problem


async def _is_in(at: GraphAt, page: EventPage, row: EventRow) -> bool:
    root = page.filter.root
    within = None
    if root is not None:
        forest = await at.snapshot(KeySet.STRUCTURE)
        within = {root, *(each["ref"] for each in below(forest, root))} if root in forest.by_ref else set()
    return page.filter.keeps(row["type"], row["ref"], row["time_ms"], within)
