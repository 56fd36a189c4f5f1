"""The parts of a node (R43, Q46). Their ids are unique in their node only, hence the names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import strawberry
from strawberry.types import Info

from app.domain.forest import ShownRow
from app.domain.ids import node_id
from app.graphql.context import Context
from app.graphql.reading import Reading
from app.graphql.ready import ready
from app.graphql.types.columns import column
from app.graphql.types.enums import MessageDirection, NodeKind, TaskStatus, WaitKind
from app.graphql.types.scalars import Timestamp

if TYPE_CHECKING:
    from app.graphql.types.node import Node


@strawberry.type(description="How many tasks a node has.")
class TaskCounts:
    total: int = strawberry.field(description="All of them.")
    pending: int = strawberry.field(description="Not begun.")
    in_progress: int = strawberry.field(description="Being done.")
    completed: int = strawberry.field(description="Done.")
    open: int = strawberry.field(description="Pending and in progress.")


@strawberry.type(description="A task on a node's list.")
class Task:
    row: strawberry.Private[ShownRow]

    task_id: str = column("id", "The tool's own id, unique in the node.")
    text: str = column("text", "What is to be done.")
    active_text: str | None = column("active_text", "What is being done, while it is.")
    status: TaskStatus = column("status", "How far it is.")


@strawberry.type(description="A request to start a child.")
class Spawn:
    reading: strawberry.Private[Reading]
    row: strawberry.Private[ShownRow]

    call_id: str = column("call_id", "The tool call's own id, unique in the node.")
    kind: NodeKind = column("kind", "What is to be started.")
    agent_type: str | None = column("agent_type", "Which type of agent.")
    purpose: str | None = column("purpose", "What the child is for.")
    background: bool = column("background", "Whether the node goes on meanwhile.")
    run: bool | None = column("run", "Whether a program's run is to be started; null if not known.")
    title: str | None = column("title", "What the child is called.")
    child_id: strawberry.ID | None = column("child", "The child that came of it, once that is known.", "node_id")
    returned: bool = column("returned", "Whether the call has returned.")
    requested: Timestamp = column("requested", "When it was asked for.")

    @strawberry.field(description="The child, if it is a node of the graph.")
    async def child(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        ref = self.row["child"]
        return None if ref is None else ready(self.reading, await self.reading.node(ref, info.context.needs(info)))


@strawberry.type(description="A wait of a node on another.")
class Wait:
    reading: strawberry.Private[Reading]
    row: strawberry.Private[ShownRow]

    wait_id: str = column("id", "Unique in the node; of a spawn's wait, the call's id.")
    kind: WaitKind = column("kind", "Why it waits.")
    on_id: strawberry.ID | None = column("on", "What it waits on; null while that is not known.", "node_id")
    reason: str | None = column("reason", "What for, in the tool's words.")
    open: bool = column("open", "Whether it goes on.")
    started: Timestamp = column("started", "When it began.")
    ended: Timestamp | None = column("ended", "When it ended.")

    @strawberry.field(description="What it waits on, if that is a node of the graph.")
    async def on(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        ref = self.row["on"]
        return None if ref is None else ready(self.reading, await self.reading.node(ref, info.context.needs(info)))


@strawberry.type(description="A message from or to a node.")
class Message:
    reading: strawberry.Private[Reading]
    row: strawberry.Private[ShownRow]

    message_id: str = column("id", "The tool's own id, unique in the node.")
    direction: MessageDirection = column("direction", "Which way it went.")
    reply_to_message_id: str | None = column("reply_to", "The message that it answers.")
    summary: str | None = column("summary", "What it says, in short.")
    body: str | None = column("body", "What it says, if the share recorded it.")
    created: Timestamp = column("created", "When it was sent.")

    @strawberry.field(description="The other side, if it is a node of the graph; else `peerName` is set.")
    async def peer_id(self, info: Info[Context, None]) -> strawberry.ID | None:
        found = await self.reading.node(self.row["peer"], info.context.needs(info))
        return None if found is None else strawberry.ID(node_id(found["ref"]))

    @strawberry.field(description="The other side, if it is a node of the graph.")
    async def peer(self, info: Info[Context, None]) -> Annotated[Node, strawberry.lazy("app.graphql.types.node")] | None:
        return ready(self.reading, await self.reading.node(self.row["peer"], info.context.needs(info)))

    @strawberry.field(description="The tool's own name of the other side, where that is no node of the graph.")
    async def peer_name(self, info: Info[Context, None]) -> str | None:
        return None if await self.reading.node(self.row["peer"], info.context.needs(info)) is not None else self.row["peer"]
