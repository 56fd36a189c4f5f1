"""Leaves: checking that a row's value is one that the field's type shows as it is, and only then showing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphql import GraphQLEnumType, GraphQLScalarType, Undefined

from app.graphql.types.scalars import MOST


class Deopt(Exception):  # noqa: N818 - no fault: the answer is left to graphql-core
    """The rows hold something that the projection cannot prove right."""


CHECKS = {
    "ID": "{v}.__class__ is not str",
    "String": "{v}.__class__ is not str",
    "Boolean": "{v} is not True and {v} is not False",
    "Int": "({v}.__class__ is not int or not -2147483648 <= {v} <= 2147483647)",
    "Timestamp": f"({{v}}.__class__ is not int or not -{MOST} <= {{v}} <= {MOST})",
}
"""By scalar type: the condition under which the value `v` needs the type's own coercion."""

SHOWN_AS_IT_IS: dict[str, tuple[type, int | None, int]] = {
    "ID": (str, None, 0),
    "String": (str, None, 0),
    "Boolean": (bool, None, 0),
    "Int": (int, -2147483648, 2147483647),
    "Timestamp": (int, -MOST, MOST),
}
"""The same for whole columns: the type of the values that need no coercion, and between what they must lie (None: anywhere)."""


def enum_names(kind: GraphQLEnumType) -> dict[Any, str]:
    """The names of an enum by the words of the rows."""
    return {value.value: name for name, value in kind.values.items()}


def coercion(kind: GraphQLScalarType | GraphQLEnumType) -> Callable[[Any], Any]:
    """The type's own coercion of an output value; whatever it refuses, null too, is for graphql-core to report."""

    def coerce(value: Any) -> Any:
        try:
            found = None if value is None else kind.coerce_output_value(value)
        except Exception as error:
            raise Deopt from error
        if found is None or found is Undefined:
            raise Deopt
        return found

    return coerce
