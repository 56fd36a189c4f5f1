"""A node: everything that REST shows of it, and what it has to do with the others (section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import strawberry
from strawberry.types import Info
from strawberry.types.unset import UNSET

from app.domain.forest import ShownRow
from app.domain.ids import node_id
from app.domain.rollup import rollup
from app.graphql.context import Context
from app.graphql.events import EventList, event_page
from app.graphql.histories import HistoryList, history_page
from app.graphql.listing import MessageList, MessagePage, NodeList
from app.graphql.reading import Reading
from app.graphql.ready import ready
from app.graphql.rho.crossing import rho_export_of, rho_node_of
from app.graphql.types.columns import column
from app.graphql.types.enums import EventOrder, NodeKind, NodeOrder, NodeState
from app.graphql.types.events import Event
from app.graphql.types.history import NodeVersion
from app.graphql.types.inputs import After, AsOfInput, Before, FilterEvents, FilterNodes, First, Last, Order, OrderOfEvents
from app.graphql.types.pages import Connection
from app.graphql.types.parts import Message, Spawn, Task, TaskCounts, Wait
from app.graphql.types.scalars import Timestamp
from app.graphql.types.sums import Rollup, rollup_of, task_counts
from app.graphql.walks import (
    ancestors_of,
    blocking_of,
    cycle_of,
    moved,
    page_of,
)

if TYPE_CHECKING:
    from app.graphql.types.graph import Graph
    from app.graphql.types.rho_facts import RhoNode
    from app.graphql.types.rho_parts import RhoExport

T = TypeVar("T")

LEVELS = "At most so many levels: 1 to 1,000."
STEPS = "At most so many steps away: 1 to 1,000."


@strawberry.type(description="What a node waits on, while that is unfinished.")
class Blocked:
    reading: strawberry.Private[Reading]
    row: strawberry.Private[ShownRow]

    starting: int = column("blocked_starting", "Active waits whose target is not known yet.")
    node_count: int = column("blocked_node_count", "How many unfinished nodes it waits for in the end.")
    open_tasks: int = column("blocked_open_tasks", "Tasks not completed over all nodes that the walk reaches.")
    cycle: bool = column("blocked_cycle", "Whether the walk comes back to the node itself: it waits for ever.")

    @strawberry.field(description="Targets of its active waits, in the order the waits began; also those that are no node of the graph.")
    def on_ids(self) -> list[strawberry.ID]:
        return [strawberry.ID(node_id(ref)) for ref in self.row["blocked_on"]]

    @strawberry.field(description="Those of the targets that are nodes of the graph.")
    async def on(self, info: Info[Context, None]) -> list[Annotated[Node, strawberry.lazy("app.graphql.types.node")]]:
        return ready(self.reading, await self.reading.nodes(self.row["blocked_on"], info.context.needs(info, level=1)))

    @strawberry.field(
        description="The unfinished nodes that it waits for in the end: its targets, what is below them and what those wait on."
    )
    async def chain(
        self,
        info: Info[Context, None],
        max_depth: Annotated[int | None, strawberry.argument(description=STEPS)] = 64,
        first: First = UNSET,
        after: After = UNSET,
        last: Last = UNSET,
        before: Before = UNSET,
    ) -> Connection[Node]:
        arguments = {"max_depth": max_depth, "first": first, "after": after, "last": last, "before": before}
        return await page_of(info, self.reading, NodeList.of("chain", arguments), self.row["ref"])


@strawberry.type(description="A session or an agent at one moment. Everything nested under it is of that moment.")
class Node:
    reading: strawberry.Private[Reading]
    row: strawberry.Private[ShownRow]

    id: strawberry.ID = column("ref", "As in REST: unique in its graph only.", "node_id")

    @strawberry.field(description="For a client's cache: unique across graphs and moments.")
    def key(self) -> strawberry.ID:
        return strawberry.ID(f"{self.reading.key}/{node_id(self.row['ref'])}")

    @strawberry.field(description="The event that this state is just after; null if the graph holds none.")
    def as_of_event_id(self) -> strawberry.ID | None:
        return self.reading.as_of_event_id  # type: ignore[return-value]

    @strawberry.field(description="The id of its graph.")
    def graph_id(self) -> strawberry.ID:
        return strawberry.ID(self.reading.at.info.id)

    @strawberry.field(description="Its graph, at the same moment.")
    def graph(self) -> Annotated[Graph, strawberry.lazy("app.graphql.types.graph")]:
        return ready(self.reading, self.reading)

    provider_ref: str = column("ref", "The provider's own reference.")
    provider: str = column("provider", "The agent tool that it runs in.")
    kind: NodeKind = column("kind", "A session, or an agent inside one.")
    parent_id: strawberry.ID | None = column("parent", "The node that it hangs under; null for a root.", "node_id")

    @strawberry.field(description="The node that it hangs under; null for a root.")
    async def parent(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        return await self._other(info, "parent")

    root_id: strawberry.ID = column("root", "The topmost node of its tree; itself for a root.", "node_id")

    @strawberry.field(description="The topmost node of its tree; itself for a root.")
    async def root(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")]:
        return await self._other(info, "root")

    session_id: strawberry.ID = column("session", "The session that it works in; itself for a session.", "node_id")

    @strawberry.field(description="The session that it works in; itself for a session.")
    async def session(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")]:
        return await self._other(info, "session")

    requested_by_id: strawberry.ID | None = column("requested_by", "Who made the request that it came of.", "node_id")

    @strawberry.field(description="Who made the request that it came of, if that is a node of the graph.")
    async def requested_by(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        return await self._other(info, "requested_by")

    depth: int = column("depth", "How many ancestors it has.")
    state: NodeState = column("state", "What it is doing.")
    stale: bool = column("stale", "Working, waiting on nobody, and silent for more than 30 minutes.")
    attention: str | None = column("attention", "What it wants from a person.")
    title: str | None = column("title", "What it is called.")
    summary: str | None = column("summary", "What it says of its work.")
    headline: str | None = column("headline", "The summary, or what its tasks say.")
    purpose: str | None = column("purpose", "What it was started for.")
    agent_type: str | None = column("agent_type", "Which type of agent.")
    background: bool | None = column("background", "Whether whoever started it goes on meanwhile; null if not known.")
    link_method: str | None = column("link_method", "How a session was linked to its parent.")
    spawn_call_id: str | None = column("spawn_call_id", "The tool call that it came of.")
    cwd: str | None = column("cwd", "The folder that it works in.")
    created: Timestamp = column("created", "When it began.")
    ended: Timestamp | None = column("ended", "When it ended.")
    last_event: Timestamp = column("last_event", "When it was last heard of.")
    child_count: int = column("child_count", "How many nodes hang under it directly.")
    descendant_count: int = column("descendant_count", "How many nodes are anywhere below it.")
    background_agent_count: int = column("background_agent_count", "Agents only ever said to have finished: counted, but no nodes.")

    @strawberry.field(description="How many tasks it has.")
    def task_counts(self) -> TaskCounts:
        return task_counts(self.row)

    @strawberry.field(description="Its tasks, in the tool's order.")
    async def tasks(self) -> list[Task]:
        return ready(self.reading, await self.reading.parts_of("task", self.row["ref"]))

    @strawberry.field(description="Its requests to start children, in the order in which they were made.")
    async def spawns(self) -> list[Spawn]:
        return ready(self.reading, await self.reading.parts_of("spawn", self.row["ref"]))

    @strawberry.field(description="Its waits, in the order in which they began.")
    async def waits(self) -> list[Wait]:
        return ready(self.reading, await self.reading.parts_of("wait", self.row["ref"]))

    @strawberry.field(description="Its messages, in the order in which they happened.")
    async def messages(self, first: First = UNSET, after: After = UNSET, last: Last = UNSET, before: Before = UNSET) -> Connection[Message]:
        listed = MessageList.of({"first": first, "after": after, "last": last, "before": before})
        ref = self.row["ref"]
        reading = await moved(self.reading, listed.mark(self.reading, ref))
        page: MessagePage = listed.page(reading, await reading.parts_of("message", ref), ref)
        return ready(reading, page)

    @strawberry.field(description="Null unless it waits on something unfinished.")
    def blocked(self) -> Blocked | None:
        return None if self.row["blocked_node_count"] is None else ready(self.reading, self.row)

    @strawberry.field(description="Nodes with an active wait on this one.")
    async def blocking(self, info: Info[Context, None]) -> list[Annotated[Node, strawberry.lazy("app.graphql.types.node")]]:
        return ready(self.reading, await blocking_of(info, self.reading, self.row["ref"]))

    @strawberry.field(description="The shortest loop of waits and children through this node, beginning with it; null if there is none.")
    async def blocking_cycle(self, info: Info[Context, None]) -> list[Annotated[Node, strawberry.lazy("app.graphql.types.node")]] | None:
        return ready(self.reading, await cycle_of(info, self.reading, self.row["ref"]))

    @strawberry.field(description="Nearest first; `depth` is how many there are.")
    async def ancestors(
        self, info: Info[Context, None], max_depth: Annotated[int | None, strawberry.argument(description=LEVELS)] = 64
    ) -> list[Annotated[Node, strawberry.lazy("app.graphql.types.node")]]:
        return ready(self.reading, await ancestors_of(info, self.reading, self.row["ref"], max_depth))

    @strawberry.field(description="The nodes directly under it.")
    async def children(
        self,
        info: Info[Context, None],
        first: First = UNSET,
        after: After = UNSET,
        last: Last = UNSET,
        before: Before = UNSET,
        filter: FilterNodes = UNSET,
        order: Order = NodeOrder.TREE,
    ) -> Connection[Node]:
        arguments: dict[str, Any] = {"first": first, "after": after, "last": last, "before": before, "filter": filter, "order": order}
        return await page_of(info, self.reading, NodeList.of("children", arguments), self.row["ref"])

    @strawberry.field(description="Everything below, at most maxDepth levels down. `first` may be up to 25,000 here.")
    async def descendants(
        self,
        info: Info[Context, None],
        max_depth: Annotated[int | None, strawberry.argument(description="At most so many levels below it; at least 1.")] = UNSET,
        first: First = UNSET,
        after: After = UNSET,
        last: Last = UNSET,
        before: Before = UNSET,
        filter: FilterNodes = UNSET,
        order: Order = NodeOrder.TREE,
    ) -> Connection[Node]:
        arguments: dict[str, Any] = {
            "max_depth": max_depth, "first": first, "after": after, "last": last, "before": before, "filter": filter, "order": order
        }  # fmt: skip
        return await page_of(info, self.reading, NodeList.of("descendants", arguments), self.row["ref"])

    @strawberry.field(description="Sums over this node and all below it.")
    async def rollup(self) -> Rollup:
        return rollup_of(rollup(await self.reading.forest(), self.row["ref"]))

    @strawberry.field(description="Events about this node, up to this moment.")
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
        return Connection(found=await event_page(self.reading, EventList.of(arguments), self.row["ref"]), show=Event.of)

    @strawberry.field(description="Its states so far, newest first by default.")
    async def history(
        self,
        first: First = UNSET,
        after: After = UNSET,
        last: Last = UNSET,
        before: Before = UNSET,
        order: OrderOfEvents = EventOrder.DESC,
    ) -> Connection[NodeVersion]:
        arguments: dict[str, Any] = {"first": first, "after": after, "last": last, "before": before, "order": order}
        return Connection(found=await history_page(self.reading, HistoryList.of(arguments), self.row["ref"]), show=NodeVersion.of)

    @strawberry.field(description="The same node at another moment; null if it is not there then.")
    async def at(
        self,
        info: Info[Context, None],
        as_of: Annotated[AsOfInput, strawberry.argument(description="The other moment.")],
    ) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        asked = as_of.to_domain("asOf")
        reading = await info.context.reading(self.reading.at.info.id, asked)
        needs = info.context.needs(info)
        await reading.load(needs)
        return ready(reading, await reading.node(self.row["ref"], needs))

    @strawberry.field(description="The node of the newest Rho graph that stands for it, now, whatever the moment; null where none does.")
    async def rho(self, info: Info[Context, None]) -> Annotated[RhoNode, strawberry.lazy("app.graphql.types.rho_facts")] | None:
        return await rho_node_of(info, self.row["ref"])

    @strawberry.field(description="A session, its agents and what belongs to them as a Rho graph at this moment; null for an agent.")
    async def rho_export(
        self,
        info: Info[Context, None],
        repository: Annotated[
            str | None, strawberry.argument(description="The graph's scope; the name of the session's folder without.")
        ] = UNSET,
    ) -> Annotated[RhoExport, strawberry.lazy("app.graphql.types.rho_parts")] | None:
        return await rho_export_of(info, self.reading, self.row, repository)

    async def _other(self, info: Info[Context, None], member: str) -> T:
        ref = self.row[member]
        return ready(self.reading, None if ref is None else await self.reading.node(ref, info.context.needs(info)))
