"""Connections: Relay's specification, and `nodes` as a short cut (Q14-Q17)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import strawberry

from app.graphql.ready import ready

T = TypeVar("T")

Show = Callable[[Any, Any], Any]
"""From a page and one of its rows to the schema's object."""


@strawberry.type(description="What lies before and after a page. Exact in both directions.")
class PageInfo:
    has_next_page: bool = strawberry.field(description="Whether the whole list has more after the page.")
    has_previous_page: bool = strawberry.field(description="Whether the whole list has more before the page.")
    start_cursor: str | None = strawberry.field(description="The cursor of the first row; null on an empty page.")
    end_cursor: str | None = strawberry.field(description="The cursor of the last row; null on an empty page.")


@strawberry.type(description="A row in a list.")
class Edge(Generic[T]):
    found: strawberry.Private[Any]
    row: strawberry.Private[Any]
    show: strawberry.Private[Show | None] = None

    @strawberry.field(description="Names this row's place in the list.")
    def cursor(self) -> str:
        return str(self.found.cursor(self.row))

    @strawberry.field(description="The row itself.")
    def node(self) -> T:
        shown: T = ready(self.found.reading, self.row) if self.show is None else self.show(self.found, self.row)
        return shown


@strawberry.type(description="A page of a list.")
class Connection(Generic[T]):
    """`found`: a `Paged`. `show`: None where rows are what the executor makes objects of."""

    found: strawberry.Private[Any]
    show: strawberry.Private[Show | None] = None

    @strawberry.field(description="The rows of the page, each with its cursor.")
    def edges(self) -> list[Edge[T]]:
        return [Edge(found=self.found, row=row, show=self.show) for row in self.found.rows]

    @strawberry.field(description="The rows of the page.")
    def nodes(self) -> list[T]:
        if self.show is None:
            return ready(self.found.reading, self.found.rows)
        return [self.show(self.found, row) for row in self.found.rows]

    @strawberry.field(description="What lies before and after the page.")
    def page_info(self) -> PageInfo:
        page = self.found.page
        return PageInfo(
            has_next_page=page.has_next,
            has_previous_page=page.has_previous,
            start_cursor=self.found.start_cursor,
            end_cursor=self.found.end_cursor,
        )

    @strawberry.field(description="How long the whole filtered list is.")
    async def total_count(self) -> int:
        return int(await self.found.total())
