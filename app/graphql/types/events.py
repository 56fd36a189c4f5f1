"""Events, and what they changed (R57, R62-R66, Q45)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import orjson
import strawberry
from strawberry.types import Info

from app.domain.ids import event_id, node_id, node_ref
from app.domain.payloads import shown_payload, shown_source
from app.graphql.context import Context
from app.graphql.events import EventsFound, just_after, just_before
from app.graphql.reading import Reading
from app.graphql.ready import ready
from app.graphql.types.scalars import Json, Timestamp
from app.services.event_pages import EventRow

if TYPE_CHECKING:
    from app.graphql.types.graph import Graph
    from app.graphql.types.node import Node


@strawberry.type(description="A member as REST names it (snake_case), with its JSON values.")
class FieldChange:
    field: str = strawberry.field(description="The member's name in REST.")
    from_: Json | None = strawberry.field(name="from", description="Its value before.")
    to: Json | None = strawberry.field(description="Its value after.")


def field_changes(fields: dict[str, dict[str, Any]]) -> list[FieldChange]:
    """The members of a change, in their order."""
    return [FieldChange(field=name, from_=each["from"], to=each["to"]) for name, each in fields.items()]


class Moments(NamedTuple):
    """The two moments that a change lies between. `before` gives None where that is no point."""

    before: Callable[[], Awaitable[Reading | None]]
    after: Callable[[], Awaitable[Reading]]


@strawberry.type(description="Where an event came from.")
class EventSource:
    provider: str = strawberry.field(description="The agent tool.")
    provider_version: str | None = strawberry.field(description="The tool's version.")
    adapter: str | None = strawberry.field(description="What made events of what the tool wrote.")


@strawberry.type(description="What changed about one node: by an event, or from one moment to another.")
class NodeChange:
    changed: strawberry.Private[dict[str, Any]]
    moments: strawberry.Private[Moments]

    @strawberry.field(description="The node.")
    def node_id(self) -> strawberry.ID:
        return strawberry.ID(self.changed["node_id"])

    @strawberry.field(description="Whether it was not there before.")
    def created(self) -> bool:
        return bool(self.changed["created"])

    @strawberry.field(description="Whether it is not there any more.")
    def removed(self) -> bool:
        return bool(self.changed.get("removed", False))

    @strawberry.field(description="What differs, in the order of REST's members.")
    def fields(self) -> list[FieldChange]:
        return field_changes(self.changed["fields"])

    @strawberry.field(description="The node before it; null if it was not there, or if what changed it is the first event that is held.")
    async def before(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        return await _node(info, await self.moments.before(), self.changed)

    @strawberry.field(description="The node after it; null if it is not there any more.")
    async def after(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        return await _node(info, await self.moments.after(), self.changed)


@strawberry.type(description="An event: one thing that a producer told.")
class Event:
    reading: strawberry.Private[Reading]
    row: strawberry.Private[EventRow]

    @classmethod
    def of(cls, found: EventsFound, row: EventRow) -> Event:
        """One of a page's events."""
        return cls(reading=found.reading, row=row)

    @strawberry.field(description="Its id.")
    def id(self) -> strawberry.ID:
        return strawberry.ID(event_id(self.row["id"]))

    @strawberry.field(description="For a client's cache: unique across graphs.")
    def key(self) -> strawberry.ID:
        return strawberry.ID(f"{self.reading.at.info.id}/{event_id(self.row['id'])}")

    @strawberry.field(description="What kind of event, as sent.")
    def type(self) -> str:
        return str(self.row["type"])

    @strawberry.field(description="Its time.")
    def created(self) -> Timestamp:
        return Timestamp(self.row["time_ms"])

    @strawberry.field(description="The id of its graph.")
    def graph_id(self) -> strawberry.ID:
        return strawberry.ID(self.reading.at.info.id)

    @strawberry.field(description="The graph just after it.")
    async def graph(self, info: Info[Context, None]) -> Annotated[Graph, strawberry.lazy("app.graphql.types.graph")]:
        reading = await just_after(self.reading, self.row)
        await info.context.read_ahead(info, reading)
        return ready(reading, reading)

    @strawberry.field(description="The node that it is about; it need not be in the graph.")
    def node_id(self) -> strawberry.ID:
        return strawberry.ID(node_id(self.row["ref"]))

    @strawberry.field(description="Its node just after it; null if it made none.")
    async def node(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        reading = await just_after(self.reading, self.row)
        needs = info.context.needs(info)
        await reading.load(needs)
        return ready(reading, await reading.node(self.row["ref"], needs))

    @strawberry.field(description="Where it came from.")
    def source(self) -> EventSource:
        return EventSource(**shown_source(self.envelope)._asdict())

    @strawberry.field(description="What it says, as sent; without what could tell of a machine's processes.")
    def payload(self) -> Json:
        return Json(shown_payload(self.envelope))

    @strawberry.field(description="What it changed: its own node first, then the others by ref.")
    def changes(self) -> list[NodeChange]:
        moments = Moments(lambda: asyncio.shield(self.before), lambda: just_after(self.reading, self.row))
        return [NodeChange(changed=changed, moments=moments) for changed in orjson.loads(self.row["changes"])]

    @cached_property
    def envelope(self) -> dict[str, Any]:
        """The event as it was sent."""
        found: dict[str, Any] = orjson.loads(self.row["line"])
        return found

    @cached_property
    def before(self) -> asyncio.Future[Reading | None]:
        """The graph just before it, looked for once."""
        return asyncio.ensure_future(just_before(self.reading, self.row))


async def _node(info: Info[Context, None], reading: Reading | None, changed: dict[str, Any]) -> Node | None:
    ref = node_ref(changed["node_id"])
    if reading is None or ref is None:
        return None
    needs = info.context.needs(info)
    await reading.load(needs)
    return ready(reading, await reading.node(ref, needs))
