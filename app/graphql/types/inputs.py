"""Arguments and inputs, and what they mean to the services."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, TypeVar

import strawberry
from strawberry.types.unset import UNSET

from app.domain.filters import EventFilter, GraphFilter, NodeFilter, Range, is_type_pattern
from app.domain.ids import event_own_id, node_ref
from app.domain.moments import AsOf
from app.domain.problems import BadUserInput
from app.graphql.types.enums import EventOrder, GraphSource, KeyScope, NodeKind, NodeOrder, NodeState
from app.graphql.types.scalars import Timestamp

T = TypeVar("T")

First: TypeAlias = Annotated[int | None, strawberry.argument(description="How many, from the beginning or after `after`; 100 without.")]
After: TypeAlias = Annotated[str | None, strawberry.argument(description="A cursor: the page begins just after it.")]
Last: TypeAlias = Annotated[int | None, strawberry.argument(description="How many, from the end or before `before`. Not with `first`.")]
Before: TypeAlias = Annotated[str | None, strawberry.argument(description="A cursor: the page ends just before it.")]


Order: TypeAlias = Annotated[NodeOrder | None, strawberry.argument(description="In which order.")]
OrderOfEvents: TypeAlias = Annotated[EventOrder | None, strawberry.argument(description="In which order.")]


def given(value: T | None) -> T | None:
    """An argument that was left out is as null (Q47)."""
    return None if value is UNSET else value


@strawberry.input(name="AsOf", one_of=True, description="A moment of a graph: just after an event, or at a time. Exactly one of the two.")
class AsOfInput:
    event: strawberry.ID | None = strawberry.field(default=UNSET, description="An event's id: the moment just after it.")
    time: Timestamp | None = strawberry.field(default=UNSET, description="A time: after every event at or before it, judged at it.")

    def to_domain(self, argument: str) -> AsOf:
        """The moment asked for. `argument` is the input's own name. Raises: BadUserInput."""
        if (event := given(self.event)) is not None:
            own_id = event_own_id(event)
            if own_id is None:
                raise BadUserInput(f"{argument}.event", "This is not the id of an event.")
            return AsOf(event=own_id)
        time = given(self.time)
        if time is None or time < 0:
            raise BadUserInput(f"{argument}.time", "A time is not negative.")
        return AsOf(time_ms=time)


@strawberry.input(name="TimestampRange", description="Bounds of a time, in any combination. A missing value lies in no range.")
class RangeInput:
    gt: Timestamp | None = strawberry.field(default=UNSET, description="Later than.")
    gte: Timestamp | None = strawberry.field(default=UNSET, description="At or later than.")
    lt: Timestamp | None = strawberry.field(default=UNSET, description="Earlier than.")
    lte: Timestamp | None = strawberry.field(default=UNSET, description="At or earlier than.")

    def to_domain(self) -> Range:
        """The range, in Unix milliseconds."""
        return Range(given(self.gt), given(self.gte), given(self.lt), given(self.lte))


@strawberry.input(name="GraphFilter", description="Which graphs to keep; joined by AND.")
class GraphFilterInput:
    last_event: RangeInput | None = strawberry.field(default=UNSET, description="By the time of the newest held event.")
    live: bool | None = strawberry.field(default=UNSET, description="By whether the producer was heard from lately.")

    def to_domain(self) -> GraphFilter:
        """The filter."""
        return GraphFilter(_range(self.last_event), given(self.live))


@strawberry.input(name="NodeFilter", description="Which nodes to keep; joined by AND. Null is no filter, an empty list keeps nothing.")
class NodeFilterInput:
    parent_id: strawberry.ID | None = strawberry.field(default=UNSET, description="Children of this node.")
    ancestor_id: strawberry.ID | None = strawberry.field(default=UNSET, description="Nodes anywhere below this one.")
    max_depth: int | None = strawberry.field(default=UNSET, description="With `ancestorId`: at most so many levels below it; at least 1.")
    root_id: strawberry.ID | None = strawberry.field(default=UNSET, description="Nodes of the tree with this root, the root included.")
    session_id: strawberry.ID | None = strawberry.field(default=UNSET, description="Nodes of this session, itself included.")
    is_root: bool | None = strawberry.field(default=UNSET, description="Nodes without a parent, or those with one.")
    kind: NodeKind | None = strawberry.field(default=UNSET, description="Sessions or agents.")
    state: list[NodeState] | None = strawberry.field(default=UNSET, description="In any of these states.")
    provider: str | None = strawberry.field(default=UNSET, description="Of this provider, exactly.")
    agent_type: str | None = strawberry.field(default=UNSET, description="Of this type of agent, exactly.")
    stale: bool | None = strawberry.field(default=UNSET, description="Silent for too long, or not.")
    blocked: bool | None = strawberry.field(default=UNSET, description="Waiting on something unfinished, or not.")
    created: RangeInput | None = strawberry.field(default=UNSET, description="By when the node began.")
    last_event: RangeInput | None = strawberry.field(default=UNSET, description="By when it was last heard of.")
    under_finished_parent: bool | None = strawberry.field(default=UNSET, description="Unfinished, though its parent has finished.")
    search: str | None = strawberry.field(default=UNSET, description="The search language of REST.")

    def to_domain(self, argument: str = "filter") -> NodeFilter:
        """The filter, with refs for ids. Raises: BadUserInput."""
        max_depth = given(self.max_depth)
        found = NodeFilter(
            parent=_ref(self.parent_id, f"{argument}.parentId"),
            ancestor=_ref(self.ancestor_id, f"{argument}.ancestorId"),
            max_depth=max_depth,
            root=_ref(self.root_id, f"{argument}.rootId"),
            session=_ref(self.session_id, f"{argument}.sessionId"),
            is_root=given(self.is_root),
            kind=_word(self.kind),
            state=_words(self.state),
            provider=given(self.provider),
            agent_type=given(self.agent_type),
            stale=given(self.stale),
            blocked=given(self.blocked),
            created=_range(self.created),
            last_event=_range(self.last_event),
            under_finished_parent=given(self.under_finished_parent),
            search=given(self.search),
        )
        if max_depth is not None and (found.ancestor is None or max_depth < 1):
            raise BadUserInput(f"{argument}.maxDepth", "maxDepth is at least 1 and goes with ancestorId.")
        return found


@strawberry.input(name="EventFilter", description="Which events to keep; joined by AND. Null is no filter, an empty list keeps nothing.")
class EventFilterInput:
    type: list[str] | None = strawberry.field(default=UNSET, description="Of any of these types: exact, a family `a.*`, or `*`.")
    node_id: strawberry.ID | None = strawberry.field(default=UNSET, description="About exactly this node.")
    root_id: strawberry.ID | None = strawberry.field(default=UNSET, description="About this node or any below it, at the field's moment.")
    created: RangeInput | None = strawberry.field(default=UNSET, description="By the event's time.")

    def to_domain(self, argument: str = "filter") -> EventFilter:
        """The filter, with refs for ids. Raises: BadUserInput."""
        types = given(self.type)
        if types is not None and not all(is_type_pattern(text) for text in types):
            raise BadUserInput(f"{argument}.type", "A type is lower-case words joined by dots, a family a.*, or *.")
        return EventFilter(
            types=None if types is None else tuple(types),
            node=_ref(self.node_id, f"{argument}.nodeId"),
            root=_ref(self.root_id, f"{argument}.rootId"),
            created=_range(self.created),
        )


@strawberry.input(name="CreateGraphInput", description="A new graph.")
class CreateGraphInput:
    title: str | None = strawberry.field(default=UNSET, description="What people call it: at most 200 characters.")
    source: GraphSource | None = strawberry.field(default=GraphSource.WATCH, description="How it comes here.")
    retention_events: int | None = strawberry.field(
        default=UNSET, description="K: it holds the last K to 2K events. Null is the server's setting, 0 keeps all."
    )  # fmt: skip


@strawberry.input(name="UpdateGraphInput", description="What changes about a graph. What is left out stays as it is.")
class UpdateGraphInput:
    id: strawberry.ID = strawberry.field(description="Which graph.")
    title: str | None = strawberry.field(default=UNSET, description="What people call it: at most 200 characters. Null: nothing.")
    retention_events: int | None = strawberry.field(
        default=UNSET, description="K: it holds the last K to 2K events. Null is the server's setting, 0 keeps all."
    )  # fmt: skip


@strawberry.input(name="CreateKeyInput", description="A new key.")
class CreateKeyInput:
    name: str = strawberry.field(description="What people call it: 1 to 100 characters.")
    scopes: list[KeyScope] = strawberry.field(description="What it may do; at least one.")
    graph_ids: list[strawberry.ID] | None = strawberry.field(
        default=UNSET, description="The only graphs that it may use, 1 to 50; it cannot have ADMIN then. Null: all of the account."
    )  # fmt: skip
    expires: Timestamp | None = strawberry.field(default=UNSET, description="When it ends by itself; null: never.")
    account: str | None = strawberry.field(
        default=UNSET, description="The caller's own by default; only the operator's key may name another. A new name makes the account."
    )  # fmt: skip


FilterNodes: TypeAlias = Annotated[NodeFilterInput | None, strawberry.argument(description="Which to keep.")]
FilterEvents: TypeAlias = Annotated[EventFilterInput | None, strawberry.argument(description="Which to keep.")]
FilterGraphs: TypeAlias = Annotated[GraphFilterInput | None, strawberry.argument(description="Which to keep.")]


def _ref(value: Any, argument: str) -> str | None:
    text = given(value)
    if text is None:
        return None
    ref = node_ref(text)
    if ref is None:
        raise BadUserInput(argument, "This is not the id of a node.")
    return ref


def _range(value: RangeInput | None) -> Range | None:
    found = given(value)
    return None if found is None else found.to_domain()


def _word(value: NodeKind | None) -> str | None:
    found = given(value)
    return None if found is None else str(found.value)


def _words(values: list[NodeState] | None) -> tuple[str, ...] | None:
    found = given(values)
    return None if found is None else tuple(str(value.value) for value in found)
