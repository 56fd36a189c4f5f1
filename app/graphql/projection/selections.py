"""Collecting the fields of a selection, as the specification's CollectFields and MergeSelectionSets do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphql import (
    BooleanValueNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    InlineFragmentNode,
    VariableNode,
)


class Unsupported(Exception):  # noqa: N818 - no fault: the selection is left to graphql-core
    """The selection cannot be compiled."""


class Selections:
    """Selections of one document with one set of values for the Boolean variables that `@skip` and `@include` read."""

    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode], booleans: Mapping[str, Any]) -> None:
        self._fragments = fragments
        self._booleans = booleans

    def fields(self, owner: GraphQLObjectType, nodes: Iterable[Any]) -> dict[str, list[FieldNode]]:
        """The merged fields under `nodes` by their response key, in the order of the answer. Raises: Unsupported."""
        found: dict[str, list[FieldNode]] = {}
        self._collect(owner, nodes, found, set())
        return found

    def _collect(self, owner: GraphQLObjectType, nodes: Iterable[Any], found: dict[str, list[FieldNode]], seen: set[str]) -> None:
        for node in nodes:
            for selection in node.selection_set.selections if node.selection_set is not None else ():
                if not self._included(selection):
                    continue
                if isinstance(selection, FieldNode):
                    found.setdefault((selection.alias or selection.name).value, []).append(selection)
                elif isinstance(selection, InlineFragmentNode):
                    if selection.type_condition is None or selection.type_condition.name.value == owner.name:
                        self._collect(owner, (selection,), found, seen)
                elif isinstance(selection, FragmentSpreadNode) and selection.name.value not in seen:
                    if getattr(selection, "arguments", None):
                        raise Unsupported("arguments of fragments")
                    seen.add(selection.name.value)
                    fragment = self._fragments[selection.name.value]
                    if fragment.type_condition.name.value == owner.name:
                        self._collect(owner, (fragment,), found, seen)

    def _included(self, node: Any) -> bool:
        for directive in node.directives or ():
            name = directive.name.value
            if name not in ("skip", "include"):
                raise Unsupported(f"the directive @{name}")
            value = directive.arguments[0].value
            if isinstance(value, VariableNode):
                held = self._booleans[value.name.value]
            elif isinstance(value, BooleanValueNode):
                held = value.value
            else:
                raise Unsupported("the argument of @skip or @include")
            if held == (name == "skip"):
                return False
        return True


def boolean_variables(nodes: Sequence[Any], fragments: Mapping[str, FragmentDefinitionNode]) -> tuple[str, ...]:
    """The names of the variables that `@skip` and `@include` read under `nodes`."""
    names: set[str] = set()
    _variables(nodes, fragments, names, set())
    return tuple(sorted(names))


def _variables(nodes: Iterable[Any], fragments: Mapping[str, FragmentDefinitionNode], names: set[str], seen: set[str]) -> None:
    for node in nodes:
        for directive in node.directives or ():
            if directive.name.value in ("skip", "include") and isinstance(directive.arguments[0].value, VariableNode):
                names.add(directive.arguments[0].value.name.value)
        if isinstance(node, FragmentSpreadNode):
            if node.name.value not in seen:
                seen.add(node.name.value)
                _variables((fragments[node.name.value],), fragments, names, seen)
        elif getattr(node, "selection_set", None) is not None:
            _variables(node.selection_set.selections, fragments, names, seen)
