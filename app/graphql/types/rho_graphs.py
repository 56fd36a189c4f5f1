"""Rho graphs and their snapshots (M13)."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import strawberry
from strawberry.types import Info
from strawberry.types.unset import UNSET

from app.domain.problems import BadUserInput
from app.domain.rho.normalize import prepare
from app.domain.rho.problems import Refused
from app.domain.rho.schedule import graph_tasks, schedule
from app.domain.rho.timestamps import read_ns
from app.graphql.context import Context
from app.graphql.rho.pages import RhoPage, page_of
from app.graphql.rho.reading import Fact, RhoRead
from app.graphql.types.inputs import given
from app.graphql.types.pages import Connection
from app.graphql.types.rho_enums import RhoEventType, RhoNodeKind, RhoSubjectKind
from app.graphql.types.rho_facts import (
    OfEdgeKind,
    RhoAfter,
    RhoEdge,
    RhoEvent,
    RhoFirst,
    RhoNode,
    edges_page,
    events_page,
    node_of,
    nodes_of,
    nodes_page,
)
from app.graphql.types.rho_parts import (
    RhoAttributeInput,
    RhoCounts,
    RhoPrepared,
    RhoSchedule,
    RhoScope,
    error_of,
    schedule_of,
    scope_of,
    words,
)
from app.graphql.types.scalars import Json
from app.services.large_json import load_json
from app.store.rho.reading import RhoGraphRow, SnapshotRow

At = Annotated[
    str | None, strawberry.argument(description="A time, RFC 3339: the newest snapshot that was made by then; without, the current one.")
]


@strawberry.type(description="An envelope that was taken in: it never changes.")
class RhoSnapshot:
    rho: strawberry.Private[RhoRead]
    row: strawberry.Private[SnapshotRow]

    @strawberry.field(description="Its key.")
    def id(self) -> strawberry.ID:
        return strawberry.ID(self.row.key)

    @strawberry.field(description="SHA-256 of the graph: equal for envelopes that say the same in another order or spelling.")
    def digest(self) -> str:
        return self.row.digest

    @strawberry.field(description="The form of the envelope, such as `rho.graph/v1`.")
    def schema_version(self) -> str:
        return self.row.schema_version

    @strawberry.field(description="When the envelope was made: RFC 3339, to the nanosecond.")
    def generated_at(self) -> str:
        return self.row.generated_at

    @strawberry.field(description="What the facts belong to, if the envelope says so.")
    def scope(self) -> RhoScope | None:
        return scope_of(json.loads(self.row.frame))

    @strawberry.field(description="How many facts it has.")
    def counts(self) -> RhoCounts:
        return RhoCounts(nodes=self.row.node_count, edges=self.row.edge_count, events=self.row.event_count)

    @strawberry.field(description="Its nodes, by id. Filters are joined by AND; null is no filter, an empty list of words keeps nothing.")
    async def nodes(
        self,
        kind: Annotated[list[RhoNodeKind] | None, strawberry.argument(description="Of these kinds only.")] = UNSET,
        entity: Annotated[list[str] | None, strawberry.argument(description="Only what is one of these.")] = UNSET,
        status: Annotated[list[str] | None, strawberry.argument(description="In one of these states only.")] = UNSET,
        attribute: Annotated[list[RhoAttributeInput] | None, strawberry.argument(description="Only what says all of this.")] = UNSET,
        first: RhoFirst = UNSET,
        after: RhoAfter = UNSET,
    ) -> Connection[RhoNode]:
        kinds, entities, states = words(kind), words(entity), words(status)
        said = [(each.key, given(each.value)) for each in given(attribute) or ()]

        def keeps(fact: Fact) -> bool:
            return (
                (kinds is None or fact.value["kind"] in kinds)
                and (entities is None or fact.entity in entities)
                and (states is None or fact.attributes.get("status") in states)
                and all(key in fact.attributes and text in (None, fact.attributes[key]) for key, text in said)
            )

        rows = [fact for fact in await self.rho.whole("nodes", self.row.key) if keeps(fact)]
        names = [None if chosen is None else sorted(chosen) for chosen in (kinds, entities, states)]
        return nodes_page(self.rho, self._page(rows, first, after, "nodes", *names, said))

    @strawberry.field(description="One of its nodes.")
    async def node(self, id: Annotated[str, strawberry.argument(description="The node's own id.")]) -> RhoNode | None:
        return node_of(self.rho, await self.rho.node(self.row.key, id))

    @strawberry.field(description="The nodes that no other contains, by id.")
    async def roots(self) -> list[RhoNode]:
        nodes, edges = await asyncio.gather(self.rho.whole("nodes", self.row.key), self.rho.whole("edges", self.row.key))
        contained = {edge.value["to"]["id"] for edge in edges if edge.value["kind"] == "contains"}
        return nodes_of(self.rho, [node for node in nodes if node.id not in contained])

    @strawberry.field(description="Its edges, by id.")
    async def edges(self, kind: OfEdgeKind = UNSET, first: RhoFirst = UNSET, after: RhoAfter = UNSET) -> Connection[RhoEdge]:
        chosen: frozenset[str] | None = words(kind)
        rows = [fact for fact in await self.rho.whole("edges", self.row.key) if chosen is None or fact.value["kind"] in chosen]
        names = None if chosen is None else sorted(chosen)
        return edges_page(self.rho, self._page(rows, first, after, "edges", names))

    @strawberry.field(description="Its events, by id.")
    async def events(
        self,
        type: Annotated[list[RhoEventType] | None, strawberry.argument(description="Of these types only.")] = UNSET,
        first: RhoFirst = UNSET,
        after: RhoAfter = UNSET,
    ) -> Connection[RhoEvent]:
        chosen = words(type)
        rows = [fact for fact in await self.rho.whole("events", self.row.key) if chosen is None or fact.value["type"] in chosen]
        names = None if chosen is None else sorted(chosen)
        return events_page(self.rho, self._page(rows, first, after, "events", names))

    @strawberry.field(description="Its tasks in waves.")
    async def schedule(self) -> RhoSchedule:
        nodes, edges = await asyncio.gather(self.rho.whole("nodes", self.row.key), self.rho.whole("edges", self.row.key))
        try:
            tasks = graph_tasks({"nodes": [node.value for node in nodes], "edges": [edge.value for edge in edges]})
            return schedule_of(schedule(tasks))
        except Refused as refused:
            return schedule_of(refused)

    @strawberry.field(description="The envelope, in canonical form.")
    async def envelope(self, info: Info[Context, None]) -> Json:
        return Json(await load_json((await _exported(info, self.row)).encode()))

    @strawberry.field(description="The envelope's canonical text: to the byte what was taken in, if that was canonical.")
    async def canonical_json(self, info: Info[Context, None]) -> str:
        return await _exported(info, self.row)

    @strawberry.field(description="The envelope made ready for upload: private attributes hashed, bound to its id.")
    async def prepared(self, info: Info[Context, None]) -> RhoPrepared:
        text = await _exported(info, self.row)
        try:
            found = await asyncio.to_thread(lambda: prepare(json.loads(text)))
        except Refused as refused:
            count = self.row.node_count + self.row.edge_count + self.row.event_count
            return RhoPrepared(json="", bytes=0, sync_id="", query_sha256="", facts=count, error=error_of(refused))
        return RhoPrepared(
            json=found.json, bytes=found.bytes, sync_id=found.sync_id, query_sha256=found.query_sha256, facts=found.facts, error=None
        )

    def _page(self, rows: list[Fact], first: int | None, after: str | None, *names: object) -> RhoPage[Fact]:
        return page_of(rows, lambda fact: fact.id, first, after, self.row.key, *names)


@strawberry.type(description="What changes, as the snapshots of it that were taken in.")
class RhoGraph:
    rho: strawberry.Private[RhoRead]
    row: strawberry.Private[RhoGraphRow]

    @strawberry.field(description="Its key: account, project and subject.")
    def key(self) -> strawberry.ID:
        return strawberry.ID(self.row.key)

    @strawberry.field(description="What it is about.")
    def subject_kind(self) -> RhoSubjectKind:
        return RhoSubjectKind(self.row.subject_kind)

    @strawberry.field(description="The node that it is about, in the current snapshot.")
    async def subject(self) -> RhoNode | None:
        current = self.row.current
        return None if current is None else node_of(self.rho, await self.rho.node(current, self.row.subject_id))

    @strawberry.field(description="The snapshot that was made last.")
    async def current(self) -> RhoSnapshot | None:
        return await _current(self.rho, self.row)

    @strawberry.field(description="The snapshot of a time.")
    async def snapshot(self, at: At = UNSET) -> RhoSnapshot | None:
        moment = given(at)
        if moment is None:
            return await _current(self.rho, self.row)
        until = read_ns(moment)
        if until is None:
            raise BadUserInput("at", "A time is RFC 3339, such as 2026-10-01T09:30:00Z.")
        rows = await self.rho.snapshots_of(self.row.key)
        found = next((row for row in rows if (read_ns(row.generated_at) or 0) <= until), None)
        return None if found is None else RhoSnapshot(rho=self.rho, row=found)

    @strawberry.field(description="All snapshots that are kept, by id.")
    async def snapshots(self, first: RhoFirst = UNSET, after: RhoAfter = UNSET) -> Connection[RhoSnapshot]:
        rows = sorted(await self.rho.snapshots_of(self.row.key), key=lambda row: row.key)
        page = page_of(rows, lambda row: row.key, first, after, "snapshots", self.row.key)
        return Connection(found=page, show=lambda _, row: RhoSnapshot(rho=self.rho, row=row))


async def _current(rho: RhoRead, row: RhoGraphRow) -> RhoSnapshot | None:
    return None if row.current is None else RhoSnapshot(rho=rho, row=await rho.snapshot(row.current))


async def _exported(info: Info[Context, None], row: SnapshotRow) -> str:
    context = info.context
    return await context.in_turn(context.services.rho.reading.export(context.viewer, row.key, context.deadline))
