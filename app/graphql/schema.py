"""The schema, and how an operation of it is run."""

from __future__ import annotations

from functools import cache

import strawberry
from strawberry.printer import print_schema
from strawberry.schema.config import StrawberryConfig

from app.graphql.mutation import Mutation
from app.graphql.projection.executor import ProjectingExecutor
from app.graphql.query import Query
from app.graphql.types.scalars import SCALARS


@cache
def schema() -> strawberry.Schema:
    """The one schema of the process."""
    return strawberry.Schema(
        query=Query,
        mutation=Mutation,
        config=StrawberryConfig(scalar_map=SCALARS),
        execution_context_class=ProjectingExecutor,
    )


def sdl() -> str:
    """The schema in GraphQL's own language: what `schema.graphql` holds."""
    return print_schema(schema()) + "\n"
