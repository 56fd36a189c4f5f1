"""The list of graphs."""

from __future__ import annotations

import strawberry

from app.graphql.graphs import GraphPage
from app.graphql.types.graph import Graph
from app.graphql.types.pages import CURSOR, EDGES, INFO, NODES, TOTAL, PageInfo, page_info
from app.services.graph_info import GraphInfo


@strawberry.type(description="A graph in the list.")
class GraphEdge:
    found: strawberry.Private[GraphPage]
    row: strawberry.Private[GraphInfo]

    @strawberry.field(description=CURSOR)
    def cursor(self) -> str:
        return self.found.cursor(self.row)

    @strawberry.field(description="The graph.")
    async def node(self) -> Graph:
        return Graph(reading=await self.found.reading(self.row))


@strawberry.type(description="A page of graphs.")
class GraphConnection:
    found: strawberry.Private[GraphPage]

    @strawberry.field(description=EDGES)
    def edges(self) -> list[GraphEdge]:
        return [GraphEdge(found=self.found, row=row) for row in self.found.rows]

    @strawberry.field(description=NODES)
    async def nodes(self) -> list[Graph]:
        return [Graph(reading=await self.found.reading(row)) for row in self.found.rows]

    @strawberry.field(description=INFO)
    def page_info(self) -> PageInfo:
        return page_info(self.found)

    @strawberry.field(description=TOTAL)
    def total_count(self) -> int:
        return self.found.page.total
