"""The list of graphs as it is asked for (R39). Its cursors carry no moment: it is always of now (Q15)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.domain.filters import GraphFilter
from app.graphql.context import Context
from app.graphql.paged import Paged
from app.graphql.types.inputs import given
from app.services.cursors import list_name, read_cursor, write_cursor
from app.services.graph_info import GraphInfo
from app.services.lists import Ask, Page, cut, places
from app.services.liveness import is_live


@dataclass(frozen=True, slots=True)
class GraphList:
    """The list as it is asked for."""

    ask: Ask
    filter: GraphFilter = field(default_factory=GraphFilter)

    @classmethod
    def of(cls, arguments: dict[str, Any]) -> GraphList:
        """What the field asks for with its arguments. Raises: BadUserInput."""
        first, after, last, before, chosen = (given(arguments[name]) for name in ("first", "after", "last", "before", "filter"))
        return cls(Ask.of(first, after, last, before), GraphFilter() if chosen is None else chosen.to_domain())

    @property
    def name(self) -> str:
        """Tells this list from every other."""
        return list_name("graphs", self.filter)


@dataclass(frozen=True, slots=True)
class GraphPage(Paged[GraphInfo]):
    """A page of graphs."""

    context: Context
    name: str
    page: Page[GraphInfo]

    def cursor(self, row: GraphInfo) -> str:
        """The cursor of one of them."""
        return write_cursor(self.name, [row.last_event, row.id])


async def graph_page(context: Context, listed: GraphList) -> GraphPage:
    """The page. Raises: CursorInvalid."""
    found = await context.services.graphs.list(context.viewer, context.deadline)
    last_event, live, now = listed.filter.last_event, listed.filter.live, context.services.clock()
    rows = [
        row
        for row in found
        if (last_event is None or last_event.holds(row.last_event)) and (live is None or is_live(row.heard, now) is live)
    ]
    after, before = (
        None if text is None else _key(read_cursor(text, listed.name, int, str).key) for text in (listed.ask.after, listed.ask.before)
    )
    keys = [(-row.last_event, row.id) for row in rows]
    return GraphPage(context, listed.name, cut(rows, listed.ask, *places(keys, after, before)))


def _key(key: list[Any]) -> tuple[int, str]:
    last_event, own_id = key
    return -last_event, own_id
