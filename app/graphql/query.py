"""The root of queries."""

from __future__ import annotations

from typing import Annotated

import strawberry
from strawberry.types import Info
from strawberry.types.unset import UNSET

from app.domain.ids import graph_id
from app.domain.problems import NotFound
from app.graphql.context import Context
from app.graphql.graphs import GraphList, GraphPage, graph_page
from app.graphql.limits import most_body_bytes
from app.graphql.ready import ready
from app.graphql.rho_query import RhoQuery
from app.graphql.types.enums import KeyScope
from app.graphql.types.graph import Graph
from app.graphql.types.inputs import After, AsOfInput, Before, FilterGraphs, First, Last, given
from app.graphql.types.pages import Connection
from app.graphql.types.viewer import Server, ServerLimits, Viewer
from app.services.graph_info import GraphInfo
from app.services.viewer import CONTRACT_VERSION
from app.version import VERSION


@strawberry.type(description="What can be asked.")
class Query(RhoQuery):
    @strawberry.field(description="One graph, at one moment (now by default). Everything nested under it is of that moment.")
    async def graph(
        self,
        info: Info[Context, None],
        id: Annotated[strawberry.ID, strawberry.argument(description="Its id, or the bare log id.")],
        as_of: Annotated[AsOfInput | None, strawberry.argument(description="The moment; now without.")] = UNSET,
    ) -> Graph | None:
        moment = given(as_of)
        asked = None if moment is None else moment.to_domain("asOf")
        named = graph_id(id)
        if named is None:
            raise NotFound("There is no such graph.")
        reading = await info.context.reading(named, asked)
        await info.context.read_ahead(info, reading)
        return ready(reading, reading)

    @strawberry.field(description="The graphs that the caller may read, latest activity first.")
    async def graphs(
        self,
        info: Info[Context, None],
        first: First = UNSET,
        after: After = UNSET,
        last: Last = UNSET,
        before: Before = UNSET,
        filter: FilterGraphs = UNSET,
    ) -> Connection[Graph]:
        listed = GraphList.of({"first": first, "after": after, "last": last, "before": before, "filter": filter})
        info.context.check_cost(info)
        return Connection(found=await graph_page(info.context, listed), show=_graph)

    @strawberry.field(description="Who is asking, and what they may do.")
    def viewer(self, info: Info[Context, None]) -> Viewer:
        viewer = info.context.viewer
        return Viewer(account=viewer.account, scopes=[scope for scope in KeyScope if str(scope.value) in viewer.scopes])

    @strawberry.field(description="This server: versions, engine, limits in force.")
    def server(self, info: Info[Context, None]) -> Server:
        services = info.context.services
        settings = services.settings
        return Server(
            version=VERSION,
            engine=services.store.agent,
            api_versions=[CONTRACT_VERSION],
            limits=ServerLimits(
                page_size=settings.page_size,
                descendants_page_size=settings.descendants_page_size,
                depth=settings.depth,
                aliases=settings.aliases,
                tokens=settings.tokens,
                node_budget=settings.node_budget,
                body_bytes=most_body_bytes(settings, info.context.viewer),
                subscriptions_per_connection=settings.connection_subscriptions,
                subscriptions_per_key=settings.key_subscriptions,
                retention_events=settings.retention_events,
            ),
        )


async def _graph(found: GraphPage, row: GraphInfo) -> Graph:
    return Graph(reading=await found.context.reading(row.id, None))
