"""Spans of a graph's timeline (Q13)."""

from __future__ import annotations

import strawberry

from app.domain.ids import event_id
from app.graphql.types.scalars import Timestamp
from app.services.timeline import Span

BUCKETS = 100


@strawberry.type(description="A span of time and the held events in it.")
class TimelineBucket:
    from_: Timestamp = strawberry.field(name="from", description="Where it begins.")
    to: Timestamp = strawberry.field(description="Where it ends; the end itself belongs to the next, or to the last.")
    event_count: int = strawberry.field(description="How many held events are in it.")
    last_event_id: strawberry.ID | None = strawberry.field(description="The newest held event in it or before it.")

    @classmethod
    def of(cls, span: Span) -> TimelineBucket:
        """A span as it is shown."""
        last = None if span.last_event is None else strawberry.ID(event_id(span.last_event))
        return cls(from_=Timestamp(span.from_ms), to=Timestamp(span.to_ms), event_count=span.events, last_event_id=last)
