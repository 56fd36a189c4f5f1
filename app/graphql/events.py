"""Lists of events as they are asked for, and single ones. Their cursors carry no moment: an ascending list goes on (Q15)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from app.domain.filters import EventFilter
from app.domain.ids import event_own_id
from app.domain.problems import NotFound
from app.graphql.paged import Paged
from app.graphql.types.enums import EventOrder
from app.graphql.types.inputs import given
from app.services.cursors import list_name, read_cursor, write_cursor
from app.services.event_pages import EventPage, EventRow
from app.services.lists import Ask, Slice

if TYPE_CHECKING:
    from app.graphql.reading import Reading


@dataclass(frozen=True, slots=True)
class EventList:
    """One list of events as it is asked for; the node that it belongs to is told apart."""

    ask: Ask
    ascending: bool = False
    filter: EventFilter = field(default_factory=EventFilter)

    @classmethod
    def of(cls, arguments: dict[str, Any]) -> EventList:
        """What a field asks for with its arguments (Q14, Q47). Raises: BadUserInput."""
        first, after, last, before, chosen, order = (
            given(arguments[name]) for name in ("first", "after", "last", "before", "filter", "order")
        )
        return cls(Ask.of(first, after, last, before), order is EventOrder.ASC, EventFilter() if chosen is None else chosen.to_domain())

    def name(self, reading: Reading, ref: str | None) -> str:
        """Tells this list from every other."""
        return list_name("events", reading.at.info.id, ref, self.ascending, self.filter, reading.asked)

    def of_node(self, ref: str | None) -> EventFilter | None:
        """The filter, with the node that the list belongs to. None: it asks for another node's, so for nothing."""
        if ref is None:
            return self.filter
        return replace(self.filter, node=ref) if self.filter.node in (None, ref) else None


@dataclass(frozen=True, slots=True)
class EventsFound(Paged[EventRow]):
    """A page of events."""

    reading: Reading
    name: str
    filter: EventFilter | None
    page: Slice[EventRow]

    def cursor(self, row: EventRow) -> str:
        """The cursor of one of its rows."""
        return write_cursor(self.name, [row["id"]])

    async def total(self) -> int:
        """How long the whole list is, counted when asked for (Q16)."""
        wanted, at = self.filter, self.reading.at
        return 0 if wanted is None else await self.reading.once(("event_count", wanted), lambda: at.event_count(wanted))


async def event_page(reading: Reading, listed: EventList, ref: str | None) -> EventsFound:
    """The page. `ref`: the node that the list belongs to; None: the graph. Raises: CursorInvalid, OutsideRetentionWindow."""
    name, wanted, ask = listed.name(reading, ref), listed.of_node(ref), listed.ask
    after, before = (None if text is None else str(read_cursor(text, name, str).key[0]) for text in (ask.after, ask.before))
    if wanted is None:
        return EventsFound(reading, name, None, Slice([], False, False))
    page = EventPage(ask.size, listed.ascending, ask.backward, after, before, wanted)
    found = await reading.once(page, lambda: reading.at.events(page))
    reading.context.spend(len(found.rows))
    return EventsFound(reading, name, wanted, found)


async def one_event(reading: Reading, public_id: str) -> EventRow:
    """Any held event. Raises: NotFound, OutsideRetentionWindow (R60, Q47)."""
    own_id = event_own_id(public_id)
    if own_id is None:
        raise NotFound("There is no such event.")
    return await reading.at.event(own_id)


async def just_after(reading: Reading, event: EventRow) -> Reading:
    """The graph just after an event (Q45)."""
    return await reading.context.reading_after_event(reading, event)


async def just_before(reading: Reading, event: EventRow) -> Reading | None:
    """The graph just after the event before; None for the first held one, as what that came from is no point (Q45, R67)."""
    previous = await reading.once(("before", event["seq"]), lambda: reading.at.event_before(event))
    return None if previous is None else await just_after(reading, previous)
