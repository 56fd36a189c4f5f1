"""What a node has to do with others: cut from the whole graph if that has been read, else by a walk over its own edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from strawberry.types import Info

from app.domain.forest import ShownRow, above
from app.domain.waiting import cycle
from app.graphql.context import Context
from app.graphql.listing import NodeList, NodePage, TablePage, levels_of
from app.graphql.needs import CHEAP_LEVELS, Needs
from app.graphql.reading import Reading
from app.graphql.ready import ready
from app.services.cursors import Mark

T = TypeVar("T")


async def page_of(info: Info[Context, None], reading: Reading, listed: NodeList, ref: str | None) -> T:
    """A page of a list of nodes, ready to be shown, with everything read that the selection under it needs.

    It is of the moment of its cursor's first page (Q15). Raises: CursorInvalid, SearchQueryInvalid, OutsideRetentionWindow.
    """
    reading = await moved(reading, listed.mark(reading, ref))
    needs = info.context.needs(info, level=1)
    rows = await _walked(reading, listed, ref, needs)
    page: NodePage | TablePage | None = None
    if rows is None and listed.is_whole and info.context.shows_columns(info):
        page = listed.page_of_table(reading, await reading.by_columns(needs.key_set), ref)
    if page is None:
        forest = await reading.forest(needs.key_set) if rows is None else None
        page = listed.page_of(reading, rows or (), ref) if forest is None else listed.page(reading, forest, ref)
    reading.context.spend(len(page.rows))
    await reading.load(needs)
    for kind in needs.parts_here:
        await reading.load_parts(kind, page.refs)
    return ready(reading, page)


async def _walked(reading: Reading, listed: NodeList, ref: str | None, needs: Needs) -> Sequence[ShownRow] | None:
    """The rows of a list, in tree order, by walking edges; None where that is no way to get them, or not a cheap one."""
    if reading.is_held(needs) or ref is None or needs.whole or listed.has_cursor or not listed.filter.is_empty:
        return None
    match listed.kind, listed.levels:
        case "children", _:
            return await reading.at.children(ref)
        case "descendants", int(levels) if levels <= CHEAP_LEVELS:
            return await reading.at.descendants(ref, levels)
        case "chain", int(levels):
            return await reading.at.blocking_chain(ref, levels)
    return None


async def moved(reading: Reading, mark: Mark | None) -> Reading:
    """The same graph at the moment that a cursor carries."""
    return reading if mark is None or mark == reading.mark else await reading.context.reading_at(reading, mark)


async def ancestors_of(info: Info[Context, None], reading: Reading, ref: str, max_depth: int | None) -> Sequence[ShownRow]:
    """Nearest first, at most `max_depth` (Q8). Raises: BadUserInput."""
    levels = levels_of(max_depth)
    held = await reading.held(info.context.needs(info, level=1))
    if held is not None:
        return above(held, ref, levels)
    return await reading.at.ancestors(ref, levels)


async def blocking_of(info: Info[Context, None], reading: Reading, ref: str) -> Sequence[ShownRow]:
    """The nodes whose active waits name this one, by ref (Q8)."""
    held = await reading.held(info.context.needs(info, level=1))
    if held is not None:
        return reading.waiters(held).get(ref, ())
    return await reading.at.blocking(ref)


async def cycle_of(info: Info[Context, None], reading: Reading, ref: str) -> list[ShownRow] | None:
    """The shortest loop through a node (Q8)."""
    needs = info.context.needs(info, level=1)
    return cycle(await reading.forest(needs.key_set), ref)
