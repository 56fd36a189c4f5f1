"""Long lists of any JSON as variables: the library looks at each item by itself, in one go that holds everybody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphql import OperationDefinitionNode, print_ast

_LONG = 500
_TYPES = frozenset(("[JSON!]!", "[JSON!]"))


@dataclass(frozen=True, slots=True)
class Bulk:
    """A list that is passed through as one item, since any JSON is a right item already."""

    items: list[Any]


def packed(operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> dict[str, Any]:
    """`variables` with each long list of type `[JSON!]` made one item. One with a null stays: the library says what is wrong with it."""
    found = dict(variables)
    for definition in operation.variable_definitions or ():
        name = definition.variable.name.value
        value = found.get(name)
        if isinstance(value, list) and len(value) > _LONG and print_ast(definition.type) in _TYPES and None not in value:
            found[name] = Bulk(value)
    return found


def unpacked(items: Sequence[Any]) -> Sequence[Any]:
    """The list as it was sent."""
    return items[0].items if len(items) == 1 and isinstance(items[0], Bulk) else items
