"""The root of subscriptions (Q22-Q28, Q48). Each gives messages, which are shown as the document asks when a caller can take them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any

import strawberry
from strawberry.types import Info
from strawberry.types.unset import UNSET

from app.domain.filters import EventFilter, GraphFilter
from app.domain.ids import event_own_id, graph_id, node_ref
from app.domain.problems import BadUserInput, NoSuchNode, NotFound
from app.graphql.context import Context
from app.graphql.subscriptions.messages import EventsMessage, GraphMessage, GraphsMessage, NodeMessage
from app.graphql.types.inputs import FilterEvents, FilterGraphs, given
from app.graphql.types.live import EventBatch, GraphsUpdate, GraphUpdate
from app.graphql.types.node import Node
from app.services.following import MOST, Follower
from app.services.graph_at import GraphAt
from app.services.graphs_watch import GraphsWatch
from app.services.node_watch import NodeWatch
from app.services.throttle import Throttle
from app.services.watching import GraphWatch

BATCH = 100
THROTTLE_MS = 250
GRAPHS_THROTTLE_MS = 1_000
MOST_THROTTLE_MS = 10_000

GraphId = Annotated[strawberry.ID, strawberry.argument(description="The graph's id, or the bare log id.")]
OfGraph = Annotated[strawberry.ID, strawberry.argument(description="Its id, or the bare log id.")]
Cursor = Annotated[str | None, strawberry.argument(description="Where an earlier subscription or `Graph.eventsCursor` stood.")]
ThrottleMs = Annotated[int | None, strawberry.argument(description="At most one message in so many milliseconds, up to 10,000.")]


@strawberry.type(description="What is told as it happens, over WebSocket or server-sent events.")
class Subscription:
    @strawberry.subscription(
        description="Every event as it arrives, from a cursor or after an event on, each exactly once and without gaps."
    )  # fmt: skip
    async def events(
        self,
        info: Info[Context, None],
        graph_id: GraphId,
        cursor: Cursor = UNSET,
        after: Annotated[strawberry.ID | None, strawberry.argument(description="An event: with what came after it.")] = UNSET,
        filter: FilterEvents = UNSET,
        batch_size: Annotated[int | None, strawberry.argument(description="The most events of a message: 1 to 1,000.")] = BATCH,
    ) -> AsyncGenerator[EventBatch, None]:
        context, live = info.context, info.context.services.live
        size = BATCH if batch_size is None else batch_size
        if not 1 <= size <= MOST:
            raise BadUserInput("batchSize", f"batchSize is from 1 to {MOST:,}.")
        chosen, last = given(filter), given(after)
        wanted = EventFilter() if chosen is None else chosen.to_domain()
        begin, last = (context.resume, None) if context.resume is not None else (given(cursor), last)
        own_id = None if last is None else event_own_id(last)
        if last is not None and own_id is None:
            raise BadUserInput("after", "This is not the id of an event.")
        at = await _graph(context, graph_id)
        seconds = context.services.settings.deadline
        with live.news.of_graph(at.info.id) as topic:
            follower = Follower(live.sources, topic, size, wanted)
            await follower.begin(at, begin, own_id)
            while True:
                message = EventsMessage(follower, await follower.next(seconds), seconds)
                yield message  # type: ignore[misc]  # shown as the field's own type: see `schema`
                follower.took(message.batch)

    @strawberry.subscription(
        description="The graph at its newest moment: at once, then after every change, with what changed since the message before "
        "(or since `cursor`)."
    )
    async def graph(
        self, info: Info[Context, None], id: OfGraph, cursor: Cursor = UNSET, throttle_ms: ThrottleMs = THROTTLE_MS
    ) -> AsyncGenerator[GraphUpdate, None]:
        context, live = info.context, info.context.services.live
        throttle = _throttle(throttle_ms, THROTTLE_MS, 50)
        begin = given(cursor) if context.resume is None else context.resume
        at = await _graph(context, id)
        seconds = context.services.settings.deadline
        with live.news.of_graph(at.info.id) as topic:
            watch = GraphWatch(live.sources, topic, throttle, compare=_asks_for(info, "changes"))
            watch.begin(at.info.id, begin)
            taken = begin
            while True:
                message = GraphMessage(watch, await watch.next(seconds), seconds, taken)
                yield message  # type: ignore[misc]
                watch.took()
                taken = message.cursor

    @strawberry.subscription(description="One node at the newest moment: at once, then whenever a field of it changes.")
    async def node(
        self,
        info: Info[Context, None],
        graph_id: GraphId,
        id: Annotated[strawberry.ID, strawberry.argument(description="The node's id.")],
        throttle_ms: ThrottleMs = THROTTLE_MS,
    ) -> AsyncGenerator[Node, None]:
        context, live = info.context, info.context.services.live
        throttle = _throttle(throttle_ms, THROTTLE_MS, 50)
        ref = node_ref(id)
        at = await _graph(context, graph_id)
        if ref is None:
            raise NoSuchNode
        seconds, told = context.services.settings.deadline, dict[str, Any]()
        with live.news.of_graph(at.info.id) as topic:
            watch = NodeWatch(live.sources, topic, throttle, ref)
            while True:
                found, _ = await watch.next(seconds)
                yield NodeMessage(watch, found, ref, told, seconds)  # type: ignore[misc]

    @strawberry.subscription(description="The graphs that the caller may read: at once, then those that are new, changed or gone.")
    async def graphs(
        self, info: Info[Context, None], filter: FilterGraphs = UNSET, throttle_ms: ThrottleMs = GRAPHS_THROTTLE_MS
    ) -> AsyncGenerator[GraphsUpdate, None]:
        context, live = info.context, info.context.services.live
        throttle = _throttle(throttle_ms, GRAPHS_THROTTLE_MS, 250)
        chosen = given(filter)
        wanted = GraphFilter() if chosen is None else chosen.to_domain()
        context.viewer.require("read")
        with live.news.of_account(context.viewer.account) as topic:
            watch = GraphsWatch(live.sources, topic, throttle, context.viewer, wanted)
            while True:
                yield GraphsMessage(watch, *await watch.next())  # type: ignore[misc]
                watch.took()


async def _graph(context: Context, named: str) -> GraphAt:
    """A graph that the caller may read, now. Raises: NotFound, Forbidden."""
    known = graph_id(named)
    if known is None:
        raise NotFound("There is no such graph.")
    return await context.services.graphs.at(context.viewer, known, None, context.deadline)


def _throttle(asked: int | None, usual: int, least: int) -> Throttle:
    """Raises: BadUserInput."""
    chosen = usual if asked is None else asked
    if not least <= chosen <= MOST_THROTTLE_MS:
        raise BadUserInput("throttleMs", f"throttleMs is from {least:,} to {MOST_THROTTLE_MS:,}.")
    return Throttle(chosen / 1_000)


def _asks_for(info: Info[Context, None], name: str) -> bool:
    """Whether the document selects a field of that name right under this one."""
    raw = info._raw_info
    return info.context.lookahead.selects(raw.field_nodes, name)
