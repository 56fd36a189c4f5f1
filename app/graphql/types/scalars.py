"""Custom scalars."""

from __future__ import annotations

from typing import Any, NewType

import strawberry
from graphql import GraphQLError, IntValueNode, ValueNode
from strawberry.types.scalar import ScalarDefinition

MOST = 2**53 - 1
"""The largest whole number that JavaScript reads exactly."""

Timestamp = NewType("Timestamp", int)
Json = NewType("Json", object)


def milliseconds(value: Any) -> int:
    """A time as it is shown or given: a whole number that JavaScript reads exactly. Raises: GraphQLError."""
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int or not -MOST <= value <= MOST:
        raise GraphQLError(f"Timestamp cannot represent {str(value)[:40]!r}: it is a whole number of milliseconds.")
    return value


def _literal(node: ValueNode, _variables: dict[str, Any] | None = None) -> int:
    if not isinstance(node, IntValueNode):
        raise GraphQLError("Timestamp is a whole number of milliseconds.", node)
    return milliseconds(int(node.value))


def _same(value: Any) -> Any:
    return value


SCALARS: dict[object, ScalarDefinition] = {
    Timestamp: strawberry.scalar(
        name="Timestamp",
        description="Unix time in milliseconds, as a JSON number (exact: |n| < 2^53).",
        serialize=milliseconds,
        parse_value=milliseconds,
        parse_literal=_literal,
    ),
    Json: strawberry.scalar(name="JSON", description="Any JSON value.", serialize=_same, parse_value=_same),
}
