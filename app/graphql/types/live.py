"""What subscriptions tell (Q23-Q26, Q48)."""

from __future__ import annotations

import strawberry
from strawberry.types import Info

from app.domain.ids import event_id, node_id
from app.domain.moments import AsOf
from app.graphql.context import Context
from app.graphql.reading import Reading
from app.graphql.ready import ready
from app.graphql.types.events import Event, Moments, NodeChange
from app.graphql.types.graph import Graph
from app.services.differences import Changed
from app.services.following import Batch
from app.services.graph_info import GraphInfo
from app.services.watching import Update, changed_fields


@strawberry.type(description="Events in the order in which they came.")
class EventBatch:
    batch: strawberry.Private[Batch]
    reading: strawberry.Private[Reading]

    @strawberry.field(description="The events; without those that the filter leaves out.")
    def events(self, info: Info[Context, None]) -> list[Event]:
        rows = self.batch.rows
        info.context.check_each(info, len(rows))
        info.context.spend(len(rows))
        return [Event(reading=self.reading, row=row) for row in rows]

    @strawberry.field(description="Give it back as `cursor` to go on exactly here.")
    def cursor(self) -> str:
        return self.batch.cursor

    @strawberry.field(
        description="Arrival number of the first: the last of the batch before plus one; those that a filter leaves out count."
    )
    def first_arrival(self) -> int | None:
        return self.batch.first

    @strawberry.field(description="Arrival number of the last; null if none came.")
    def last_arrival(self) -> int | None:
        return self.batch.last

    @strawberry.field(description="Ids among these that take their place before an event with a smaller arrival number.")
    def late_event_ids(self) -> list[strawberry.ID]:
        return [strawberry.ID(event_id(own_id)) for own_id in self.batch.late]

    @strawberry.field(description="True if a keyframe, not these events, changed the graph since the batch before: read it afresh.")
    def history_changed(self) -> bool:
        return self.batch.history_changed

    @strawberry.field(description="Whether the next batch is already there.")
    def more(self) -> bool:
        return self.batch.more


@strawberry.type(description="A graph as it is now, and what is different.")
class GraphUpdate:
    update: strawberry.Private[Update]
    reading: strawberry.Private[Reading]

    @strawberry.field(description="The graph at its newest moment.")
    async def graph(self, info: Info[Context, None]) -> Graph:
        await info.context.read_ahead(info, self.reading)
        return ready(self.reading, self.reading)

    @strawberry.field(description="The event that the message before was just after, or the cursor; null at first, and if there was none.")
    def since_event_id(self) -> strawberry.ID | None:
        return None if self.update.since is None else strawberry.ID(event_id(self.update.since))

    @strawberry.field(description="What changed since then, one change for each node; with `stale`, which time alone changes too.")
    def changes(self, info: Info[Context, None]) -> list[NodeChange]:
        info.context.check_each(info, len(self.update.changes))
        info.context.spend(len(self.update.changes))
        return [self._change(info.context, changed) for changed in self.update.changes]

    @strawberry.field(description="Give it back as `cursor` to go on exactly here.")
    def cursor(self) -> str:
        return self.update.cursor

    @strawberry.field(
        description="True if history before sinceEventId was worked out again (a late event, a keyframe): read the tree afresh."
    )  # fmt: skip
    def history_changed(self) -> bool:
        return self.update.history_changed

    def _change(self, context: Context, changed: Changed) -> NodeChange:
        async def before() -> Reading | None:
            since = self.update.since
            return None if since is None else await context.reading(self.reading.at.info.id, AsOf(event=since))

        async def after() -> Reading:
            return self.reading

        told = {
            "node_id": node_id(changed.ref),
            "created": changed.before is None,
            "removed": changed.after is None,
            "fields": changed_fields(changed),
        }
        return NodeChange(changed=told, moments=Moments(before, after))


@strawberry.type(description="Graphs that are new, changed or gone.")
class GraphsUpdate:
    changed: strawberry.Private[list[GraphInfo]]
    gone: strawberry.Private[list[str]]

    @strawberry.field(description="New or changed since the message before, latest activity first; in the first one, the newest 1,000.")
    async def graphs(self, info: Info[Context, None]) -> list[Graph]:
        context = info.context
        context.check_each(info, len(self.changed))
        context.spend(len(self.changed))
        live = context.services.graphs
        return [Graph(reading=context.at_hand(await live.now(graph.row, context.deadline))) for graph in self.changed]

    @strawberry.field(description="Deleted, or no longer of the filter.")
    def gone_ids(self) -> list[strawberry.ID]:
        return [strawberry.ID(name) for name in self.gone]
