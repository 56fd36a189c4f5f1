"""Lists of what differs between two moments, as they are asked for. Their cursors carry both moments (Q15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.domain.waiting import by_code_unit
from app.graphql.paged import Paged
from app.graphql.types.inputs import given
from app.services.cursors import Mark, list_name, read_cursor, write_cursor
from app.services.differences import Changed
from app.services.lists import Ask, Page, cut, places

if TYPE_CHECKING:
    from app.graphql.reading import Reading


@dataclass(frozen=True, slots=True)
class ChangeList:
    """The list as it is asked for."""

    ask: Ask

    @classmethod
    def of(cls, arguments: dict[str, Any]) -> ChangeList:
        """What the field asks for with its arguments (Q14). Raises: BadUserInput."""
        first, after, last, before = (given(arguments[name]) for name in ("first", "after", "last", "before"))
        return cls(Ask.of(first, after, last, before))


@dataclass(frozen=True, slots=True)
class ChangesFound(Paged[Changed]):
    """A page of changes from one moment (`before`) to another (`reading`)."""

    reading: Reading
    before: Reading
    name: str
    page: Page[Changed]

    def cursor(self, row: Changed) -> str:
        """The cursor of one of its rows."""
        return write_cursor(self.name, [row.group, row.ref, self.before.at.moment.event or ""], self.reading.mark)


async def change_page(reading: Reading, before: Reading, listed: ChangeList) -> ChangesFound:
    """The page, of the moments of its cursor's first page. Raises: CursorInvalid, OutsideRetentionWindow."""
    name = list_name("changes", reading.at.info.id, reading.asked, before.asked)
    marks = [None if text is None else read_cursor(text, name, int, str, str) for text in (listed.ask.after, listed.ask.before)]
    place = next((mark for mark in marks if mark is not None), None)
    if place is not None:
        reading = await _moved(reading, place.mark)
        before = await _moved(before, Mark(place.key[2], before.at.moment.time_ns))
    found = await reading.once(("changes", before.at.moment), lambda: reading.at.changed_since(before.at))
    for each in (reading, before):
        await each.forest()  # it has been read: nodes of the page are taken from it
    keys = [(row.group, by_code_unit(row.ref)) for row in found]
    after, end = (None if mark is None else (mark.key[0], by_code_unit(mark.key[1])) for mark in marks)
    page = cut(found, listed.ask, *places(keys, after, end))
    reading.context.spend(len(page.rows))
    return ChangesFound(reading, before, name, page)


async def _moved(reading: Reading, mark: Mark | None) -> Reading:
    return reading if mark is None or mark == reading.mark else await reading.context.reading_at(reading, mark)
