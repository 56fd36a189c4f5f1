"""The schema, and how an operation of it is run."""

from __future__ import annotations

from functools import cache
from typing import Any

import strawberry
from graphql import GraphQLResolveInfo
from strawberry.printer import print_schema
from strawberry.schema.config import StrawberryConfig

from app.graphql.mutation import Mutation
from app.graphql.projection.executor import ProjectingExecutor
from app.graphql.query import Query
from app.graphql.subscription import Subscription
from app.graphql.subscriptions.messages import Message
from app.graphql.types.scalars import SCALARS


@cache
def schema() -> strawberry.Schema:
    """The one schema of the process."""
    made = strawberry.Schema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        config=StrawberryConfig(scalar_map=SCALARS),
        execution_context_class=ProjectingExecutor,
    )
    told = made._schema.subscription_type
    assert told is not None
    for field in told.fields.values():
        field.resolve = _show
    return made


async def _show(message: Message, info: GraphQLResolveInfo[Any], **_: Any) -> Any:
    """A subscription's field shows what its message found."""
    return await message.show(info)


def sdl() -> str:
    """The schema in GraphQL's own language: what `schema.graphql` holds."""
    return print_schema(schema()) + "\n"
