"""Introspection, counted before it is run: whatever it comes to is worked out in one go, which holds everybody else (Q36, Q37)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    StringValueNode,
    get_named_type,
    get_nullable_type,
    introspection_types,
    is_list_type,
)

from app.domain.problems import TooComplex

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
        self._known: dict[tuple[int, int], int] = {}
        self._kept: list[Any] = []
        """What was counted is held: the ids above are its own as long as it lives."""

    def of_operation(self, operation: OperationDefinitionNode) -> None:
        """Counts an operation's members. Raises: TooComplex."""
        count = 0
        for field in self._fields(operation.selection_set):
            if field.selection_set is not None and field.name.value in ("__schema", "__type"):
                kind, thing = ("__Schema", self._schema) if field.name.value == "__schema" else ("__Type", self._named(field))
                if thing is not None:
                    count = _checked(count + self._members(field.selection_set, introspection_types[kind], thing))

    def _named(self, field: FieldNode) -> Any:
        """The type that a field asks for; where a variable names it, the one with the most fields."""
        for argument in field.arguments or ():
            if isinstance(argument.value, StringValueNode):
                return self._schema.type_map.get(argument.value.value)
        return max(self._schema.type_map.values(), key=lambda each: len(getattr(each, "fields", ())))

    def _members(self, selections: SelectionSetNode, kind: Any, thing: Any) -> int:
        key = id(selections), id(thing)
        if key not in self._known:
            self._kept.append(thing)
            self._known[key] = self._counted(selections, kind, thing)
        return self._known[key]

    def _counted(self, selections: SelectionSetNode, kind: GraphQLObjectType, thing: Any) -> int:
        count = 0
        for field in self._fields(selections):
            count += 1
            if field.selection_set is None:
                continue
            asked = kind.fields[field.name.value]
            deprecated = {"includeDeprecated": True} if "includeDeprecated" in asked.args else {}
            found = asked.resolve(thing, self._info, **deprecated)
            inside = get_named_type(asked.type)
            for each in found or () if is_list_type(get_nullable_type(asked.type)) else [found]:
                if each is not None:
                    count = _checked(count + self._members(field.selection_set, inside, each))
        return _checked(count)

    def _fields(self, selections: SelectionSetNode) -> Iterator[FieldNode]:
        for each in selections.selections:
            if isinstance(each, FieldNode):
                yield each
            elif isinstance(each, InlineFragmentNode):
                yield from self._fields(each.selection_set)
            elif isinstance(each, FragmentSpreadNode):
                yield from self._fields(self._fragments[each.name.value].selection_set)


def _checked(count: int) -> int:
    if count > MOST_MEMBERS:
        raise TooComplex(f"This asks for more than {MOST_MEMBERS:,} members of the schema.", count, MOST_MEMBERS)
    return count
