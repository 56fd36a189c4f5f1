"""Introspection, counted before it is run: whatever it comes to is worked out in one go, which holds everybody else (Q36, Q37)."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLObjectType,
    GraphQLSchema,
    OperationDefinitionNode,
    StringValueNode,
    get_named_type,
    get_nullable_type,
    introspection_types,
    is_list_type,
)

from app.domain.problems import TooComplex
from app.graphql.fields import fields_under

MOST_MEMBERS = 25_000
"""So many members may the answer to introspection have: two and a half times what tools ask for that want the whole schema."""


def check_introspection(document: DocumentNode, schema: GraphQLSchema) -> None:
    """Refuses a valid document with an operation that asks for too much of the schema; takes no longer than the limit does.

    Raises: TooComplex.
    """
    fragments = {each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)}
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            _Count(schema, fragments).of_operation(definition)


class _Count:
    def __init__(self, schema: GraphQLSchema, fragments: Mapping[str, FragmentDefinitionNode]) -> None:
        self._schema = schema
        self._fragments = fragments
        self._info = SimpleNamespace(schema=schema)
        self._known: dict[tuple[int, int], tuple[int, Any]] = {}
        """By a field and a part of the schema: how many members the one shows of the other, which is held so that its id stays its own."""

    def of_operation(self, operation: OperationDefinitionNode) -> None:
        """Counts an operation's members. Raises: TooComplex."""
        count = 0
        for field in fields_under((operation,), self._fragments):
            if field.selection_set is not None and field.name.value in ("__schema", "__type"):
                kind, thing = ("__Schema", self._schema) if field.name.value == "__schema" else ("__Type", self._named(field))
                if thing is not None:
                    count = _checked(count + self._members(field, introspection_types[kind], thing))

    def _named(self, field: FieldNode) -> Any:
        """The type that a field asks for; where a variable names it, the one with the most fields."""
        for argument in field.arguments or ():
            if isinstance(argument.value, StringValueNode):
                return self._schema.type_map.get(argument.value.value)
        return max(self._schema.type_map.values(), key=lambda each: len(getattr(each, "fields", ())))

    def _members(self, under: FieldNode, kind: Any, thing: Any) -> int:
        key = id(under), id(thing)
        if key not in self._known:
            self._known[key] = self._counted(under, kind, thing), thing
        return self._known[key][0]

    def _counted(self, under: FieldNode, kind: GraphQLObjectType, thing: Any) -> int:
        count = 0
        for field in fields_under((under,), self._fragments):
            count += 1
            if field.selection_set is None:
                continue
            asked = kind.fields[field.name.value]
            deprecated = {"includeDeprecated": True} if "includeDeprecated" in asked.args else {}
            found = asked.resolve(thing, self._info, **deprecated)
            inside = get_named_type(asked.type)
            for each in found or () if is_list_type(get_nullable_type(asked.type)) else [found]:
                if each is not None:
                    count = _checked(count + self._members(field, inside, each))
        return _checked(count)


def _checked(count: int) -> int:
    if count > MOST_MEMBERS:
        raise TooComplex(f"This asks for more than {MOST_MEMBERS:,} members of the schema.", count, MOST_MEMBERS)
    return count
