"""A node's history (Q11)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry
from strawberry.types import Info

from app.domain.ids import event_id
from app.graphql.context import Context
from app.graphql.events import just_after
from app.graphql.histories import HistoryFound
from app.graphql.reading import Reading
from app.graphql.ready import ready
from app.graphql.types.events import Event, FieldChange, field_changes
from app.graphql.types.scalars import Timestamp
from app.services.event_pages import EventRow
from app.services.node_history import Version

if TYPE_CHECKING:
    from app.graphql.types.node import Node


@strawberry.type(description="A state of a node, from the event that made it to the next.")
class NodeVersion:
    reading: strawberry.Private[Reading]
    version: strawberry.Private[Version]

    @classmethod
    def of(cls, found: HistoryFound, row: Version) -> NodeVersion:
        """One of a page's states."""
        return cls(reading=found.reading, version=row)

    @strawberry.field(description="The event that it began with; null for the state that the window begins with.")
    def since_event_id(self) -> strawberry.ID | None:
        return _id(self.version.event)

    @strawberry.field(description="The event that ended it. Null while it lasts.")
    def until_event_id(self) -> strawberry.ID | None:
        return _id(self.version.until)

    @strawberry.field(description="When it began.")
    def since(self) -> Timestamp:
        return Timestamp(self.version.since_ms)

    @strawberry.field(description="When it ended. Null while it lasts.")
    def until(self) -> Timestamp | None:
        return None if self.version.until is None else Timestamp(self.version.until["time_ms"])

    @strawberry.field(description="The event that it began with.")
    def event(self) -> Event | None:
        return None if self.version.event is None else Event(reading=self.reading, row=self.version.event)

    @strawberry.field(description="What that event changed about this node, in the order of REST's members.")
    def changes(self) -> list[FieldChange]:
        return field_changes(self.version.changes)

    @strawberry.field(description="Just after the event; null for the state that the window begins with.")
    async def node(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        if self.version.event is None:
            return None
        reading = await just_after(self.reading, self.version.event)
        await reading.load(info.context.needs(info))
        return ready(reading, self.version.row)


def _id(event: EventRow | None) -> strawberry.ID | None:
    return None if event is None else strawberry.ID(event_id(event["id"]))
