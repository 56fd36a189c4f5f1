"""What differs between two moments of a graph (Q12)."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry.types.unset import UNSET

from app.domain.differences import fields
from app.domain.ids import node_id
from app.graphql.differences import ChangeList, ChangesFound, change_page
from app.graphql.reading import Reading
from app.graphql.types.events import Moments, NodeChange
from app.graphql.types.inputs import After, Before, First, Last
from app.graphql.types.pages import Connection
from app.services.differences import Changed


@strawberry.type(description="What differs between two moments: one change for each node, whatever happened between.")
class Difference:
    reading: strawberry.Private[Reading]
    before: strawberry.Private[Reading]

    @strawberry.field(description="The event that the other moment is just after.")
    def from_event_id(self) -> strawberry.ID | None:
        return self.before.as_of_event_id  # type: ignore[return-value]

    @strawberry.field(description="The event that this moment is just after.")
    def to_event_id(self) -> strawberry.ID | None:
        return self.reading.as_of_event_id  # type: ignore[return-value]

    @strawberry.field(description="How many held events lie between the two, whichever is the later.")
    async def event_count(self) -> int:
        return await self.reading.at.events_between(self.before.at)

    @strawberry.field(description="The nodes that are not the same: new ones, then the others (removed ones among them), each by ref.")
    async def changes(
        self, first: First = UNSET, after: After = UNSET, last: Last = UNSET, before: Before = UNSET
    ) -> Connection[NodeChange]:
        arguments: dict[str, Any] = {"first": first, "after": after, "last": last, "before": before}
        return Connection(found=await change_page(self.reading, self.before, ChangeList.of(arguments)), show=_change)


def _change(found: ChangesFound, row: Changed) -> NodeChange:
    async def before() -> Reading | None:
        return found.before

    async def after() -> Reading:
        return found.reading

    changed = {
        "node_id": node_id(row.ref),
        "created": row.before is None,
        "removed": row.after is None,
        "fields": fields(row.before, row.after),
    }
    return NodeChange(changed=changed, moments=Moments(before, after))
