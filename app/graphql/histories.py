"""A node's history as it is asked for. Its cursors carry no moment: an ascending list goes on (Q15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.domain.problems import CursorInvalid
from app.graphql.paged import Paged
from app.graphql.types.enums import EventOrder
from app.graphql.types.inputs import given
from app.services.cursors import list_name, read_cursor, write_cursor
from app.services.lists import Ask, Page
from app.services.node_history import BEGINNING, HistoryPage, Version

if TYPE_CHECKING:
    from app.graphql.reading import Reading


@dataclass(frozen=True, slots=True)
class HistoryList:
    """The list as it is asked for; the node that it belongs to is told apart."""

    ask: Ask
    ascending: bool

    @classmethod
    def of(cls, arguments: dict[str, Any]) -> HistoryList:
        """What the field asks for with its arguments (Q14, Q47). Raises: BadUserInput."""
        first, after, last, before, order = (given(arguments[name]) for name in ("first", "after", "last", "before", "order"))
        return cls(Ask.of(first, after, last, before), order is EventOrder.ASC)


@dataclass(frozen=True, slots=True)
class HistoryFound(Paged[Version]):
    """A page of a node's history."""

    reading: Reading
    name: str
    page: Page[Version]

    def cursor(self, row: Version) -> str:
        """The cursor of one of its entries: the event that began it."""
        return write_cursor(self.name, [0, ""] if row.event is None else [1, row.event["id"]])


async def history_page(reading: Reading, listed: HistoryList, ref: str) -> HistoryFound:
    """The page. Raises: CursorInvalid, OutsideRetentionWindow."""
    name = list_name("history", reading.at.info.id, ref, listed.ascending, reading.asked)
    after, before = [await _place(reading, name, text) for text in (listed.ask.after, listed.ask.before)]
    asked = HistoryPage(listed.ask, listed.ascending, after, before)
    page = await reading.once((ref, asked), lambda: reading.at.history(ref, asked))
    reading.context.spend(len(page.rows))
    return HistoryFound(reading, name, page)


async def _place(reading: Reading, name: str, text: str | None) -> int | None:
    if text is None:
        return None
    begins, own_id = read_cursor(text, name, int, str).key
    if not begins:
        return BEGINNING
    place = await reading.at.place_of(own_id)
    if place is None:
        raise CursorInvalid("The cursor names an event that is not held.")
    return place
