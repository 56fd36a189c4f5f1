"""Nodes, edges and events of a snapshot (M13): walked to any depth, and across to Agent Graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import strawberry
from strawberry.types import Info
from strawberry.types.unset import UNSET

from app.domain.problems import NotFound
from app.domain.rho.building import ZERO
from app.domain.rho.vocabulary import EDGE_KINDS
from app.graphql.context import Context
from app.graphql.ready import ready
from app.graphql.rho.pages import RhoPage, page_of
from app.graphql.rho.reading import Fact, RhoRead
from app.graphql.rho.walks import above, below, blocking_cycle
from app.graphql.types.pages import Connection
from app.graphql.types.rho_enums import RhoEdgeKind, RhoEventType, RhoNodeKind
from app.graphql.types.rho_parts import RhoAttribute, RhoProvenance, attributes_of, provenance_of, words
from app.store.rho.reading import Direction

if TYPE_CHECKING:
    from app.graphql.types.node import Node
    from app.graphql.types.rho_graphs import RhoSnapshot

RhoFirst: TypeAlias = Annotated[
    int | None, strawberry.argument(description="How many, from the beginning or after `after`: 0 to 250; 50 without.")
]
RhoAfter: TypeAlias = Annotated[str | None, strawberry.argument(description="A cursor: the page begins just after it.")]
OfEdgeKind: TypeAlias = Annotated[list[RhoEdgeKind] | None, strawberry.argument(description="Of these kinds only.")]
Levels: TypeAlias = Annotated[int | None, strawberry.argument(description="At most so many levels: 1 to 64.")]


@strawberry.type(description="A node of a snapshot of a Rho graph. Other nodes are listed by id.")
class RhoNode:
    rho: strawberry.Private[RhoRead]
    fact: strawberry.Private[Fact]

    @strawberry.field(description="Its own id, unique in the snapshot.")
    def id(self) -> str:
        return self.fact.id

    @strawberry.field(description="What kind of thing it is.")
    def kind(self) -> RhoNodeKind:
        return RhoNodeKind(self.fact.value["kind"])

    @strawberry.field(description="What it is more exactly: its attribute `entity_type`, else `entity`.")
    def entity(self) -> str | None:
        return self.fact.entity

    @strawberry.field(description="Its attribute `status`.")
    def status(self) -> str | None:
        return self.fact.attributes.get("status")

    @strawberry.field(description="When it came about: RFC 3339, to the nanosecond.")
    def created_at(self) -> str:
        return str(self.fact.value["created_at"])

    @strawberry.field(description="When it was last changed; null where that is not set.")
    def effective_at(self) -> str | None:
        found = self.fact.value.get("effective_at")
        return None if found == ZERO else found

    @strawberry.field(description="All that it says of itself, by name.")
    def attributes(self) -> list[RhoAttribute]:
        return attributes_of(self.fact.value)

    @strawberry.field(description="One thing that it says of itself.")
    def attribute(self, key: Annotated[str, strawberry.argument(description="Its name.")]) -> str | None:
        return self.fact.attributes.get(key)

    @strawberry.field(description="Where it comes from.")
    def provenance(self) -> RhoProvenance:
        return provenance_of(self.fact.value)

    @strawberry.field(description="The edges that leave it.")
    async def out(
        self, kind: OfEdgeKind = UNSET, first: RhoFirst = UNSET, after: RhoAfter = UNSET
    ) -> Connection[Annotated[RhoEdge, strawberry.lazy("app.graphql.types.rho_facts")]]:
        return await self._edges("out_of", kind, first, after)

    @strawberry.field(name="in", description="The edges that come to it.")
    async def into(
        self, kind: OfEdgeKind = UNSET, first: RhoFirst = UNSET, after: RhoAfter = UNSET
    ) -> Connection[Annotated[RhoEdge, strawberry.lazy("app.graphql.types.rho_facts")]]:
        return await self._edges("into", kind, first, after)

    @strawberry.field(description="The nodes right below it.")
    async def contains(self, first: RhoFirst = UNSET, after: RhoAfter = UNSET) -> Connection[RhoNode]:
        rows = await self.rho.others(self.fact, "out_of", "contains")
        return nodes_page(self.rho, page_of(rows, _id, first, after, "contains", *self.fact.key))

    @strawberry.field(description="The nodes right above it.")
    async def contained_by(self) -> list[RhoNode]:
        return await self._others("into", "contains")

    @strawberry.field(description="The nodes anywhere above it.")
    async def ancestors(self, max_depth: Levels = 16) -> list[RhoNode]:
        return nodes_of(self.rho, await self.rho.nodes(self.fact.snapshot, await above(self.rho, self.fact, max_depth)))

    @strawberry.field(description="The nodes anywhere below it.")
    async def descendants(self, max_depth: Levels = 16, first: RhoFirst = UNSET, after: RhoAfter = UNSET) -> Connection[RhoNode]:
        ids = page_of(await below(self.rho, self.fact, max_depth), str, first, after, "descendants", *self.fact.key, max_depth)
        return nodes_page(self.rho, ids.holding(await self.rho.nodes(self.fact.snapshot, ids.rows), _id))

    @strawberry.field(description="What it depends on.")
    async def depends_on(self) -> list[RhoNode]:
        return await self._others("out_of", "depends_on")

    @strawberry.field(description="What depends on it.")
    async def dependents(self) -> list[RhoNode]:
        return await self._others("into", "depends_on")

    @strawberry.field(description="What it has to do with.")
    async def references(self) -> list[RhoNode]:
        return await self._others("out_of", "references")

    @strawberry.field(description="What it led to.")
    async def produced(self) -> list[RhoNode]:
        return await self._others("out_of", "produced")

    @strawberry.field(description="The verdicts that apply to it.")
    async def governed_by(self) -> list[RhoNode]:
        return await self._others("out_of", "governed_by")

    @strawberry.field(description="The results of checks that apply to it.")
    async def validated_by(self) -> list[RhoNode]:
        return await self._others("out_of", "validated_by")

    @strawberry.field(description="The events about it.")
    async def events(self) -> list[RhoEvent]:
        found = await self.rho.events_of(self.fact)
        self.rho.spend(len(found))
        return [RhoEvent(rho=self.rho, fact=fact) for fact in found]

    @strawberry.field(description="The shortest loop of dependencies through it, from its smallest id on; null if there is none.")
    async def blocking_cycle(self) -> list[RhoNode] | None:
        ids = await blocking_cycle(self.rho, self.fact)
        return None if ids is None else nodes_of(self.rho, await self.rho.nodes(self.fact.snapshot, ids))

    @strawberry.field(description="The session or agent that it stands for, as that is now; null where none is known here.")
    async def agent_graph_node(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        found = await self.rho.mirrored(self.fact)
        if found is None:
            return None
        reading = await info.context.reading(found.graph.id, None)
        needs = info.context.needs(info)
        await reading.load(needs)
        return ready(reading, await reading.node(found.ref, needs))

    @strawberry.field(description="The snapshot that it is in.")
    async def snapshot(self) -> Annotated[RhoSnapshot, strawberry.lazy("app.graphql.types.rho_graphs")]:
        from app.graphql.types.rho_graphs import RhoSnapshot

        return RhoSnapshot(rho=self.rho, row=await self.rho.snapshot(self.fact.snapshot))

    async def _others(self, direction: Direction, kind: str) -> list[RhoNode]:
        return nodes_of(self.rho, await self.rho.others(self.fact, direction, kind))

    async def _edges(
        self, direction: Direction, kind: list[RhoEdgeKind] | None, first: int | None, after: str | None
    ) -> Connection[RhoEdge]:
        chosen = words(kind)
        kinds = sorted(EDGE_KINDS if chosen is None else chosen)
        found = [related.edge for related in await self.rho.related(self.fact, direction, kinds)] if kinds else []
        return edges_page(self.rho, page_of(found, _id, first, after, direction, *self.fact.key, kinds))


@strawberry.type(description="An edge of a snapshot of a Rho graph.")
class RhoEdge:
    rho: strawberry.Private[RhoRead]
    fact: strawberry.Private[Fact]

    @strawberry.field(description="Its own id, unique in the snapshot.")
    def id(self) -> str:
        return self.fact.id

    @strawberry.field(description="What it says of its two ends.")
    def kind(self) -> RhoEdgeKind:
        return RhoEdgeKind(self.fact.value["kind"])

    @strawberry.field(name="from", description="Where it begins.")
    async def source(self) -> RhoNode:
        return await _end(self.rho, self.fact, "from")

    @strawberry.field(name="to", description="Where it leads.")
    async def target(self) -> RhoNode:
        return await _end(self.rho, self.fact, "to")

    @strawberry.field(description="When it came about: RFC 3339, to the nanosecond.")
    def created_at(self) -> str:
        return str(self.fact.value["created_at"])

    @strawberry.field(description="All that it says of itself, by name.")
    def attributes(self) -> list[RhoAttribute]:
        return attributes_of(self.fact.value)

    @strawberry.field(description="Where it comes from.")
    def provenance(self) -> RhoProvenance:
        return provenance_of(self.fact.value)


@strawberry.type(description="Something that happened to a node of a Rho graph.")
class RhoEvent:
    rho: strawberry.Private[RhoRead]
    fact: strawberry.Private[Fact]

    @strawberry.field(description="Its own id, unique in the snapshot.")
    def id(self) -> str:
        return self.fact.id

    @strawberry.field(description="What happened.")
    def type(self) -> RhoEventType:
        return RhoEventType(self.fact.value["type"])

    @strawberry.field(description="What it happened to.")
    async def subject(self) -> RhoNode:
        return await _end(self.rho, self.fact, "subject")

    @strawberry.field(description="When: RFC 3339, to the nanosecond.")
    def occurred_at(self) -> str:
        return str(self.fact.value["occurred_at"])

    @strawberry.field(description="What belongs together has the same.")
    def correlation_id(self) -> str | None:
        return self.fact.value.get("correlation_id")

    @strawberry.field(description="The event that led to it, if that is in the snapshot.")
    async def causation(self) -> RhoEvent | None:
        cause = self.fact.value.get("causation_id")
        found = None if cause is None else await self.rho.event(self.fact.snapshot, cause)
        if found is None:
            return None
        self.rho.spend(1)
        return RhoEvent(rho=self.rho, fact=found)

    @strawberry.field(description="The id of the event that led to it.")
    def causation_id(self) -> str | None:
        return self.fact.value.get("causation_id")

    @strawberry.field(description="Events with the same are one.")
    def idempotency_key(self) -> str | None:
        return self.fact.value.get("idempotency_key")

    @strawberry.field(description="Where it comes from.")
    def provenance(self) -> RhoProvenance:
        return provenance_of(self.fact.value)


def nodes_of(rho: RhoRead, facts: list[Fact]) -> list[RhoNode]:
    """Nodes that are shown. Raises: TooComplex."""
    rho.spend(len(facts))
    return [RhoNode(rho=rho, fact=fact) for fact in facts]


def node_of(rho: RhoRead, fact: Fact | None) -> RhoNode | None:
    """A node that is shown, if there is one. Raises: TooComplex."""
    return None if fact is None else nodes_of(rho, [fact])[0]


def nodes_page(rho: RhoRead, page: RhoPage[Fact]) -> Connection[RhoNode]:
    """A page of nodes. Raises: TooComplex."""
    rho.spend(len(page.rows))
    return Connection(found=page, show=lambda _, fact: RhoNode(rho=rho, fact=fact))


def edges_page(rho: RhoRead, page: RhoPage[Fact]) -> Connection[RhoEdge]:
    """A page of edges. Raises: TooComplex."""
    rho.spend(len(page.rows))
    return Connection(found=page, show=lambda _, fact: RhoEdge(rho=rho, fact=fact))


def events_page(rho: RhoRead, page: RhoPage[Fact]) -> Connection[RhoEvent]:
    """A page of events. Raises: TooComplex."""
    rho.spend(len(page.rows))
    return Connection(found=page, show=lambda _, fact: RhoEvent(rho=rho, fact=fact))


async def _end(rho: RhoRead, fact: Fact, name: str) -> RhoNode:
    found = await rho.node(fact.snapshot, fact.value[name]["id"])
    if found is None:  # no valid envelope is like that: the snapshot is being cleared away
        raise NotFound("There is no such snapshot.")
    return nodes_of(rho, [found])[0]


def _id(fact: Fact) -> str:
    return fact.id
