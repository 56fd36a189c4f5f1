"""Messages of subscriptions: what a source has found, still to be shown as the document asks for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphql import GraphQLObjectType, GraphQLResolveInfo, get_named_type
from strawberry.types import Info

from app.graphql.context import Context
from app.graphql.projection.selections import Selections
from app.graphql.ready import ready
from app.graphql.types.live import EventBatch, GraphsUpdate, GraphUpdate
from app.services.following import Batch, Follower
from app.services.graph_at import GraphAt
from app.services.graph_info import GraphInfo
from app.services.graphs_watch import GraphsWatch
from app.services.node_watch import NodeWatch
from app.services.watching import GraphWatch, Update


class Message:
    """One message. `cursor`: where to go on after it; `resume`: where to go on if it is not taken (None: there is no such place)."""

    cursor: str | None = None
    resume: str | None = None

    async def show(self, raw: GraphQLResolveInfo[Any]) -> Any:
        """The value of the subscription's field, for one run of the document; `raw.context` is that run's `Context`."""
        raise NotImplementedError

    async def again(self) -> None:
        """History was changed while it was shown: it is to be shown once more."""

    def made(self) -> None:
        """It has been shown."""

    def is_new(self, data: dict[str, Any]) -> bool:
        """Whether it is worth sending, as it has been shown."""
        return True


@dataclass
class EventsMessage(Message):
    """Some events."""

    follower: Follower
    batch: Batch
    seconds: float

    def __post_init__(self) -> None:
        self.cursor, self.resume = self.batch.cursor, self.follower.cursor

    async def show(self, raw: GraphQLResolveInfo[Any]) -> Any:
        """The batch."""
        context: Context = raw.context
        return EventBatch(batch=self.batch, reading=context.at_hand(self.batch.at))

    async def again(self) -> None:
        """The same events, read afresh."""
        self.batch = await self.follower.again(self.batch, self.seconds)


@dataclass
class GraphMessage(Message):
    """A graph and what changed. One that history overtakes is found again by its watch, which has not been told that it was taken."""

    watch: GraphWatch
    update: Update
    seconds: float
    resume: str | None = None

    def __post_init__(self) -> None:
        self.cursor = self.update.cursor

    async def show(self, raw: GraphQLResolveInfo[Any]) -> Any:
        """The update."""
        context: Context = raw.context
        return GraphUpdate(update=self.update, reading=context.at_hand(self.update.at))

    async def again(self) -> None:
        """What is so by now."""
        self.update = await self.watch.next(self.seconds)
        self.cursor = self.update.cursor

    def made(self) -> None:
        """The next one waits."""
        self.watch.made()


@dataclass
class NodeMessage(Message):
    """A node. `told`: what was sent of it last, empty before."""

    watch: NodeWatch
    at: GraphAt
    ref: str
    told: dict[str, Any]
    seconds: float
    _passing: set[str] = field(default_factory=set)

    async def show(self, raw: GraphQLResolveInfo[Any]) -> Any:
        """The node."""
        context: Context = raw.context
        info: Info[Context, None] = Info(_raw_info=raw, _field=None)  # type: ignore[arg-type]  # of a field of the root
        reading = context.at_hand(self.at)
        await context.read_ahead(info, reading)
        needs = context.needs(info)
        row = await reading.node(self.ref, needs)
        if row is None:
            row = await reading.at.node_or_problem(self.ref)
        for kind in needs.parts_here:
            await reading.load_parts(kind, [self.ref])
        self._passing = _moments(raw)
        return ready(reading, row)

    async def again(self) -> None:
        """What is so by now."""
        self.at, _ = await self.watch.next(self.seconds)

    def made(self) -> None:
        """The next one waits."""
        self.watch.made()

    def is_new(self, data: dict[str, Any]) -> bool:
        """Whether a field of it is different; which moment it is of is none of its fields."""
        (shown,) = data.values()
        own = {name: value for name, value in shown.items() if name not in self._passing}
        if self.told == {"node": own}:
            return False
        self.told["node"] = own
        return True


@dataclass
class GraphsMessage(Message):
    """Graphs that are new, changed or gone."""

    watch: GraphsWatch
    changed: list[GraphInfo]
    gone: list[str]

    async def show(self, raw: GraphQLResolveInfo[Any]) -> Any:
        """The update."""
        return GraphsUpdate(changed=self.changed, gone=self.gone)

    async def again(self) -> None:
        """What is so by now."""
        self.changed, self.gone = await self.watch.next()

    def made(self) -> None:
        """The next one waits."""
        self.watch.made()


def _moments(raw: GraphQLResolveInfo[Any]) -> set[str]:
    """The names under which the answer says which moment the node is of."""
    kind = get_named_type(raw.return_type)
    assert isinstance(kind, GraphQLObjectType)
    values: Any = raw.variable_values
    fields = Selections(raw.fragments, values).fields(kind, raw.field_nodes)
    return {name for name, nodes in fields.items() if nodes[0].name.value == "asOfEventId"}
