"""How many values variables hold, looked at before the library looks at each of them by itself, in one go (Q35, Q37)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    OperationDefinitionNode,
    type_from_ast,
)

from app.domain.problems import TooComplex

MOST_VALUES = 10_000
"""Of all variables together. What lies inside a value of any JSON is not looked at, and does not count."""


def check_variables(schema: GraphQLSchema, operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> None:
    """Refuses variables with too many values; takes no longer than the limit does. Raises: TooComplex."""
    count = 0
    for definition in operation.variable_definitions or ():
        value = variables.get(definition.variable.name.value)
        if isinstance(value, list | dict):
            for _ in _values(type_from_ast(schema, definition.type), value):
                count += 1
                if count > MOST_VALUES:
                    raise TooComplex(f"The variables hold more than {MOST_VALUES:,} values.", count, MOST_VALUES)


def _values(kind: Any, value: Any) -> Iterator[None]:
    if isinstance(kind, GraphQLNonNull):
        kind = kind.of_type
    yield None
    if isinstance(kind, GraphQLList) and isinstance(value, list):
        for each in value:
            yield from _values(kind.of_type, each)
    elif isinstance(kind, GraphQLInputObjectType) and isinstance(value, dict):
        for name, each in value.items():
            field = kind.fields.get(name)
            yield from _values(None if field is None else field.type, each)
