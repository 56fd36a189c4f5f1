"""A graph at a moment, and what it holds now (Q1-Q5, R36-R38)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from strawberry.types import Info
from strawberry.types.unset import UNSET

from app.domain.forest import ShownRow
from app.domain.ids import GRAPH_PREFIX, event_id, node_ref
from app.domain.problems import BadUserInput, NotFound, TooComplex
from app.domain.waiting import cycles
from app.graphql.context import Context
from app.graphql.events import EventList, event_page, one_event
from app.graphql.listing import NodeList
from app.graphql.reading import Reading
from app.graphql.ready import ready
from app.graphql.types.columns import of_graph
from app.graphql.types.difference import Difference
from app.graphql.types.enums import EventOrder, GraphSource, NodeOrder
from app.graphql.types.events import Event
from app.graphql.types.inputs import After, AsOfInput, Before, FilterEvents, FilterNodes, First, Last, Order, OrderOfEvents, given
from app.graphql.types.pages import Connection
from app.graphql.types.scalars import Timestamp
from app.graphql.types.sums import GraphCounts, counts_of
from app.graphql.types.timeline import BUCKETS, TimelineBucket
from app.graphql.walks import page_of
from app.services.cursors import arrival_cursor
from app.services.liveness import is_live

if TYPE_CHECKING:
    from app.graphql.types.node import Node

MOST_CYCLES = 1_000


@strawberry.type(description="What a graph holds now.")
class Retention:
    first_event_id: strawberry.ID | None = strawberry.field(description="The first held event; null if none is held.")
    last_event_id: strawberry.ID | None = strawberry.field(description="The last held event; null if none is held.")
    first_event_created: Timestamp | None = strawberry.field(description="The time of the first held event.")
    last_event_created: Timestamp | None = strawberry.field(description="The time of the last held event.")
    event_count: int = strawberry.field(description="How many events are held.")


@strawberry.type(description="A loop of nodes that wait on each other.")
class BlockingCycle:
    reading: strawberry.Private[Reading]
    rows: strawberry.Private[list[ShownRow]]

    @strawberry.field(description="The nodes on it, each waiting for the next, the last for the first; smallest ref first.")
    def nodes(self) -> list[Annotated[Node, strawberry.lazy("app.graphql.types.node")]]:
        return ready(self.reading, self.rows)


def _url(reading: Reading) -> str:
    return f"{reading.context.origin}/l/{reading.at.info.id.removeprefix(GRAPH_PREFIX)}"


def _live(reading: Reading) -> bool:
    return is_live(reading.at.info.heard, reading.context.services.clock())


def _events_cursor(reading: Reading) -> str | None:
    if reading.asked is not None:
        return None
    info = reading.at.info
    return arrival_cursor(info.id, info.standing.arrived)


@strawberry.type(description="A graph at one moment. Everything nested under it is of that moment.")
class Graph:
    reading: strawberry.Private[Reading]

    id: strawberry.ID = of_graph("The graph's id.", lambda reading: reading.at.info.id)
    key: strawberry.ID = of_graph(
        "For a client's cache (not shown to people): unlike `id`, another one at another `asOf`.", lambda reading: reading.key
    )
    as_of_event_id: strawberry.ID | None = of_graph(
        "The event that this state is just after; null if the graph holds none.", lambda reading: reading.as_of_event_id
    )
    as_of_time: Timestamp = of_graph("When staleness is judged.", lambda reading: reading.at.moment.time_ms)
    source: GraphSource = of_graph("How it came here.", lambda reading: reading.at.info.source)
    title: str | None = of_graph("What people call it.", lambda reading: reading.at.info.title)
    url: str = of_graph("A page that shows it.", _url)
    created: Timestamp = of_graph("When it was made.", lambda reading: reading.at.info.created)
    last_event: Timestamp = of_graph(
        "The time of its newest held event, or `created` if it holds none.", lambda reading: reading.at.info.last_event
    )
    live: bool = of_graph("Whether its producer was heard from within the last three minutes.", _live)
    events_cursor: str | None = of_graph(
        "Where its stream of events stands in this answer: a subscription with this `cursor` goes on exactly here. Null with `asOf`.",
        _events_cursor,
    )

    @strawberry.field(description="What it holds now.")
    def retention(self) -> Retention:
        info = self.reading.at.info
        return Retention(
            first_event_id=_event_id(info.first_event_id),
            last_event_id=_event_id(info.last_event_id),
            first_event_created=_time(info.first_event_created),
            last_event_created=_time(info.last_event_created),
            event_count=info.event_count,
        )

    @strawberry.field(description="What its nodes come to.")
    async def counts(self) -> GraphCounts:
        return counts_of(await self.reading.at.counts())

    @strawberry.field(description="By id or by the provider's own reference, exactly one of them. Error NOT_FOUND or NODE_NOT_YET_CREATED.")
    async def node(
        self,
        info: Info[Context, None],
        id: Annotated[strawberry.ID | None, strawberry.argument(description="Its id.")] = UNSET,
        ref: Annotated[str | None, strawberry.argument(description="The provider's own reference.")] = UNSET,
    ) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        named = _one_ref(given(id), given(ref))
        reading = self.reading
        needs = info.context.needs(info)
        await reading.load(needs)
        apart = needs.whole and info.context.selects(info, "descendants")  # a long page by itself is shown in pieces
        row = (await reading.by_columns(needs.key_set)).row(named) if apart else await reading.node(named, needs)
        if row is None:
            row = await reading.at.node_or_problem(named)
        for kind in needs.parts_here:
            await reading.load_parts(kind, [named])
        return ready(reading, row, apart=apart)

    @strawberry.field(description="Its nodes.")
    async def nodes(
        self,
        info: Info[Context, None],
        first: First = UNSET,
        after: After = UNSET,
        last: Last = UNSET,
        before: Before = UNSET,
        filter: FilterNodes = UNSET,
        order: Order = NodeOrder.NEWEST,
    ) -> Connection[Annotated[Node, strawberry.lazy("app.graphql.types.node")]]:
        arguments: dict[str, Any] = {"first": first, "after": after, "last": last, "before": before, "filter": filter, "order": order}
        return await page_of(info, self.reading, NodeList.of("nodes", arguments), None)

    @strawberry.field(description="Those of its nodes that have no parent.")
    async def roots(
        self,
        info: Info[Context, None],
        first: First = UNSET,
        after: After = UNSET,
        last: Last = UNSET,
        before: Before = UNSET,
        filter: FilterNodes = UNSET,
        order: Order = NodeOrder.TREE,
    ) -> Connection[Annotated[Node, strawberry.lazy("app.graphql.types.node")]]:
        arguments: dict[str, Any] = {"first": first, "after": after, "last": last, "before": before, "filter": filter, "order": order}
        return await page_of(info, self.reading, NodeList.of("roots", arguments), None)

    @strawberry.field(description="Events up to this moment.")
    async def events(
        self,
        first: First = UNSET,
        after: After = UNSET,
        last: Last = UNSET,
        before: Before = UNSET,
        filter: FilterEvents = UNSET,
        order: OrderOfEvents = EventOrder.DESC,
    ) -> Connection[Event]:
        arguments: dict[str, Any] = {"first": first, "after": after, "last": last, "before": before, "filter": filter, "order": order}
        return Connection(found=await event_page(self.reading, EventList.of(arguments), None), show=Event.of)

    @strawberry.field(description="Any held event.")
    async def event(self, id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")]) -> Event | None:
        return Event(reading=self.reading, row=await one_event(self.reading, id))

    @strawberry.field(description="What differs between an earlier (or later) moment and this one. Null only with an error.")
    async def difference(
        self,
        info: Info[Context, None],
        from_: Annotated[AsOfInput, strawberry.argument(name="from", description="The other moment.")],
    ) -> Difference | None:
        return Difference(reading=self.reading, before=await info.context.reading(self.reading.at.info.id, from_.to_domain("from")))

    @strawberry.field(description="Held events (of now) counted in equal spans of time, for a scrubber.")
    async def timeline(
        self,
        buckets: Annotated[int | None, strawberry.argument(description="How many spans: 1 to 1,000.")] = BUCKETS,
        from_: Annotated[
            Timestamp | None, strawberry.argument(name="from", description="Where the first begins; at the first held event without.")
        ] = UNSET,
        to: Annotated[Timestamp | None, strawberry.argument(description="Where the last ends; at the newest event without.")] = UNSET,
    ) -> list[TimelineBucket]:
        found = await self.reading.at.timeline(BUCKETS if buckets is None else buckets, given(from_), given(to))
        self.reading.context.spend(len(found))
        return [TimelineBucket.of(span) for span in found]

    @strawberry.field(description="Loops of nodes that wait on each other, each once, smallest ref first.")
    async def blocking_cycles(self, info: Info[Context, None]) -> list[BlockingCycle]:
        needs = info.context.needs(info, level=1)
        needs.columns.add("blocked_on")
        found = cycles(await self.reading.forest(needs.key_set), MOST_CYCLES)
        if found is None:
            raise TooComplex(f"There are more than {MOST_CYCLES:,} loops.", MOST_CYCLES + 1, MOST_CYCLES)
        return [BlockingCycle(reading=self.reading, rows=rows) for rows in found]


def _one_ref(node_id: str | None, ref: str | None) -> str:
    if (node_id is None) == (ref is None):
        raise BadUserInput("id", "Give id or ref, exactly one of them.")
    named = ref if node_id is None else node_ref(node_id)
    if named is None:
        raise NotFound("There is no such node.")
    return named


def _event_id(own_id: str | None) -> strawberry.ID | None:
    return None if own_id is None else strawberry.ID(event_id(own_id))


def _time(ms: int | None) -> Timestamp | None:
    return None if ms is None else Timestamp(ms)
