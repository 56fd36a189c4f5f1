"""The root of mutations (Q19-Q21). A payload is null only with an error, so that one that fails hides no other's result (Q41)."""

from __future__ import annotations

from typing import Annotated, cast

import strawberry
from strawberry.types import Info
from strawberry.types.unset import UNSET

from app.domain.ids import graph_id as graph_id_of
from app.domain.moments import Moment
from app.domain.problems import BadUserInput, NotFound
from app.graphql.bulk import unpacked
from app.graphql.context import Context
from app.graphql.ready import ready
from app.graphql.rho_mutation import RhoMutation
from app.graphql.types.enums import GraphSource
from app.graphql.types.graph import Graph
from app.graphql.types.inputs import CreateGraphInput, CreateKeyInput, UpdateGraphInput, given
from app.graphql.types.keys import ApiKey, CreateKeyPayload, RevokeKeyPayload
from app.graphql.types.scalars import Json
from app.services.viewer import Scope

LONGEST_TITLE = 200
MOST_EVENTS = 10_000


@strawberry.type(description="A graph that was made.")
class CreateGraphPayload:
    made: strawberry.Private[str]

    @strawberry.field(description="The new graph.")
    async def graph(self, info: Info[Context, None]) -> Graph:
        return await _whole(info, self.made)


@strawberry.type(description="A graph that was changed.")
class UpdateGraphPayload:
    changed: strawberry.Private[str]

    @strawberry.field(description="The graph, as it is called now.")
    async def graph(self, info: Info[Context, None]) -> Graph:
        return await _whole(info, self.changed)


@strawberry.type(description="A graph that is gone.")
class DeleteGraphPayload:
    id: strawberry.ID = strawberry.field(description="The id that it had.")


@strawberry.type(description="An event that could not be used.")
class InvalidEvent:
    index: int = strawberry.field(description="Its place in the list, from 0.")
    reason: str = strawberry.field(description="What is wrong with it.")


@strawberry.type(description="What became of the events.")
class AppendEventsPayload:
    accepted: int = strawberry.field(description="New ones, taken in.")
    duplicates: int = strawberry.field(description="Ones that were held already, or came twice.")
    invalid: list[InvalidEvent] = strawberry.field(description="Ones that could not be used; they do not stop the rest.")
    moment: strawberry.Private[Moment]

    @strawberry.field(description="The graph just after.")
    async def graph(self, info: Info[Context, None]) -> Graph:
        reading = await info.context.reading_after(self.moment)
        await info.context.read_ahead(info, reading)
        return ready(reading, reading)


@strawberry.type(description="What can be changed. A payload is null only with an error, so that one that fails hides no other's result.")
class Mutation(RhoMutation):
    @strawberry.mutation(description="Makes a graph. Needs the scope WRITE.")
    async def create_graph(
        self, info: Info[Context, None], input: Annotated[CreateGraphInput, strawberry.argument(description="The new graph.")]
    ) -> CreateGraphPayload | None:
        context = info.context
        _may_write(info)
        title, retention, source = given(input.title), given(input.retention_events), given(input.source)
        _check(title, retention)
        chosen = GraphSource.WATCH if source is None else source
        made = await context.services.graphs.create(context.viewer, title, str(chosen.value), retention, context.deadline)
        return CreateGraphPayload(made=made.id)

    @strawberry.mutation(description="Changes what a graph is called and what it keeps. Needs the scope WRITE.")
    async def update_graph(
        self, info: Info[Context, None], input: Annotated[UpdateGraphInput, strawberry.argument(description="What changes.")]
    ) -> UpdateGraphPayload | None:
        context = info.context
        _may_write(info)
        named = _named(input.id)
        _check(given(input.title), given(input.retention_events))
        changes = {"title": input.title, "retention_events": input.retention_events}
        changes = {name: value for name, value in changes.items() if value is not UNSET}
        await context.services.graphs.update(context.viewer, named, changes, context.deadline)
        context.forget(named)
        return UpdateGraphPayload(changed=named)

    @strawberry.mutation(description="Deletes a graph: it is gone at once, for everybody and for good. Needs the scope ADMIN.")
    async def delete_graph(
        self, info: Info[Context, None], id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")]
    ) -> DeleteGraphPayload | None:
        context = info.context
        gone = await context.services.deletions.delete(context.viewer, _named(id), context.deadline)
        context.forget(gone)
        return DeleteGraphPayload(id=strawberry.ID(gone))

    @strawberry.mutation(description="Takes in events; each id counts once, so any call can be repeated. Needs the scope WRITE.")
    async def append_events(
        self,
        info: Info[Context, None],
        graph_id: Annotated[strawberry.ID, strawberry.argument(description="The graph's id.")],
        events: Annotated[list[Json], strawberry.argument(description="Event envelopes, at most 10,000: all that are new, or none.")],
    ) -> AppendEventsPayload | None:
        context = info.context
        _may_write(info)
        named = _named(graph_id)
        envelopes = unpacked(events)
        if len(envelopes) > MOST_EVENTS:
            raise BadUserInput("events", f"At most {MOST_EVENTS:,} events at once.")
        done = await context.services.appends.append(context.viewer, named, envelopes, context.deadline)
        return AppendEventsPayload(
            accepted=done.accepted,
            duplicates=done.duplicates,
            invalid=[InvalidEvent(index=each.index, reason=each.reason) for each in done.invalid],
            moment=done.moment,
        )

    @strawberry.mutation(description="Makes a key. Needs the scope ADMIN.")
    async def create_key(
        self, info: Info[Context, None], input: Annotated[CreateKeyInput, strawberry.argument(description="The new key.")]
    ) -> CreateKeyPayload | None:
        context = info.context
        try:
            row, secret = await context.services.keys.create(
                context.viewer,
                input.name,
                cast("list[Scope]", [scope.value for scope in input.scopes]),
                context.deadline,
                graph_ids=given(input.graph_ids),
                expires=given(input.expires),
                account=given(input.account),
            )
        except BadUserInput as problem:
            raise BadUserInput(f"input.{problem.extra['argument']}", problem.message) from problem
        return CreateKeyPayload(key=ApiKey.of(row), secret=secret)

    @strawberry.mutation(description="Ends a key at once, and the logins that came from it. Needs the scope ADMIN.")
    async def revoke_key(
        self, info: Info[Context, None], id: Annotated[strawberry.ID, strawberry.argument(description="Its id, not the key itself.")]
    ) -> RevokeKeyPayload | None:
        context = info.context
        await context.services.keys.revoke(context.viewer, id, context.deadline)
        return RevokeKeyPayload(id=id)


def _may_write(info: Info[Context, None]) -> None:
    """Before anything is written: whether what is asked for may be done, and the graph shown that it comes to. Raises: Forbidden."""
    info.context.viewer.require("write")
    if info.context.selects(info, "graph"):
        info.context.viewer.require("read")


async def _whole(info: Info[Context, None], graph_id: str) -> Graph:
    reading = await info.context.reading(graph_id, None)
    await info.context.read_ahead(info, reading)
    return ready(reading, reading)


def _named(graph_id: str) -> str:
    named = graph_id_of(graph_id)
    if named is None:
        raise NotFound("There is no such graph.")
    return named


def _check(title: str | None, retention: int | None) -> None:
    if title is not None and len(title) > LONGEST_TITLE:
        raise BadUserInput("input.title", f"A title has at most {LONGEST_TITLE} characters.")
    if retention is not None and retention < 0:
        raise BadUserInput("input.retentionEvents", "It is 0 or more: 0 keeps all.")
