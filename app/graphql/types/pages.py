"""Connections: Relay's specification, and `nodes` as a short cut (Q14-Q17)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Protocol

import strawberry

from app.domain.forest import ShownRow
from app.graphql.listing import MessagePage, NodePage
from app.graphql.ready import ready
from app.services.lists import Page

if TYPE_CHECKING:
    from app.graphql.types.node import Node
    from app.graphql.types.parts import Message

EDGES = "The rows of the page, each with its cursor."
NODES = "The rows of the page."
INFO = "What lies before and after the page."
TOTAL = "How long the whole filtered list is."
CURSOR = "Names this row's place in the list."


class Paged(Protocol):
    """A page of any list."""

    @property
    def page(self) -> Page[Any]: ...
    @property
    def start_cursor(self) -> str | None: ...
    @property
    def end_cursor(self) -> str | None: ...


@strawberry.type(description="What lies before and after a page. Exact in both directions.")
class PageInfo:
    has_next_page: bool = strawberry.field(description="Whether the whole list has more after the page.")
    has_previous_page: bool = strawberry.field(description="Whether the whole list has more before the page.")
    start_cursor: str | None = strawberry.field(description="The cursor of the first row; null on an empty page.")
    end_cursor: str | None = strawberry.field(description="The cursor of the last row; null on an empty page.")


@strawberry.type(description="A node in a list.")
class NodeEdge:
    found: strawberry.Private[NodePage]
    row: strawberry.Private[ShownRow]

    @strawberry.field(description=CURSOR)
    def cursor(self) -> str:
        return self.found.cursor(self.row)

    @strawberry.field(description="The node.")
    def node(self) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")]:
        return ready(self.found.reading, self.row)


@strawberry.type(description="A page of nodes.")
class NodeConnection:
    found: strawberry.Private[NodePage]

    @strawberry.field(description=EDGES)
    def edges(self) -> list[NodeEdge]:
        return [NodeEdge(found=self.found, row=row) for row in self.found.rows]

    @strawberry.field(description=NODES)
    def nodes(self) -> list[Annotated[Node, strawberry.lazy("app.graphql.types.node")]]:
        return ready(self.found.reading, self.found.rows)

    @strawberry.field(description=INFO)
    def page_info(self) -> PageInfo:
        return page_info(self.found)

    @strawberry.field(description=TOTAL)
    def total_count(self) -> int:
        return self.found.page.total


@strawberry.type(description="A message in a list.")
class MessageEdge:
    found: strawberry.Private[MessagePage]
    row: strawberry.Private[ShownRow]

    @strawberry.field(description=CURSOR)
    def cursor(self) -> str:
        return self.found.cursor(self.row)

    @strawberry.field(description="The message.")
    def node(self) -> Annotated[Message, strawberry.lazy("app.graphql.types.parts")]:
        return ready(self.found.reading, self.row)


@strawberry.type(description="A page of messages.")
class MessageConnection:
    found: strawberry.Private[MessagePage]

    @strawberry.field(description=EDGES)
    def edges(self) -> list[MessageEdge]:
        return [MessageEdge(found=self.found, row=row) for row in self.found.rows]

    @strawberry.field(description=NODES)
    def nodes(self) -> list[Annotated[Message, strawberry.lazy("app.graphql.types.parts")]]:
        return ready(self.found.reading, self.found.rows)

    @strawberry.field(description=INFO)
    def page_info(self) -> PageInfo:
        return page_info(self.found)

    @strawberry.field(description=TOTAL)
    def total_count(self) -> int:
        return self.found.page.total


def page_info(found: Paged) -> PageInfo:
    """What lies before and after a page."""
    return PageInfo(
        has_next_page=found.page.has_next,
        has_previous_page=found.page.has_previous,
        start_cursor=found.start_cursor,
        end_cursor=found.end_cursor,
    )
