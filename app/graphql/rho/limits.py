"""Limits of selections under Rho fields (M15, Q49): how deep they go, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping

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
    get_named_type,
)

from app.graphql.limits import TooDeep

MOST_LEVELS = 12
"""Levels of a selection, the Rho field itself being the first."""

MOST_FACTS = 5_000
"""So many nodes, edges and events may one answer show."""

PAGE, MOST = 50, 250
"""What a page holds without being told, and at most (M13)."""

PAGES = frozenset(("nodes", "edges", "events", "contains", "out", "in", "descendants", "snapshots", "rhoGraphs"))
"""Lists that come in pages. (A node's `events` and a connection's lists are none.)"""
FEW = frozenset(
    ("roots", "containedBy", "ancestors", "dependsOn", "dependents", "references", "produced", "governedBy", "validatedBy", "blockingCycle")
)
SINGLE = frozenset(
    ("subject", "current", "snapshot", "node", "from", "to", "causation", "agentGraphNode", "rho", "rhoGraph", "rhoSnapshot")
)


def is_rho(name: str) -> bool:
    """Whether a type is one of Rho graphs."""
    return name.startswith("Rho")


def check_rho_depth(document: DocumentNode, schema: GraphQLSchema) -> None:
    """Refuses a valid document with a selection that goes too deep under a Rho field. Linear in the document. Raises: TooDeep."""
    fragments = {each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)}
    depths: dict[str, int] = {}
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            owner = schema.get_root_type(definition.operation)
        elif isinstance(definition, FragmentDefinitionNode):
            owner = schema.type_map.get(definition.type_condition.name.value)  # type: ignore[assignment]
        else:
            continue
        if isinstance(owner, GraphQLObjectType):
            _check(definition.selection_set, owner, schema, fragments, depths)


def _check(
    selections: SelectionSetNode,
    owner: GraphQLObjectType,
    schema: GraphQLSchema,
    fragments: Mapping[str, FragmentDefinitionNode],
    depths: dict[str, int],
) -> None:
    """Measures where Rho graphs are entered; a fragment is gone into as a definition of its own."""
    for each in selections.selections:
        if isinstance(each, InlineFragmentNode):
            _check(each.selection_set, owner, schema, fragments, depths)
        elif isinstance(each, FieldNode) and each.selection_set is not None and each.name.value in owner.fields:
            kind = get_named_type(owner.fields[each.name.value].type)
            if is_rho(kind.name) and not is_rho(owner.name):
                levels = 1 + _depth(each.selection_set, fragments, depths)
                if levels > MOST_LEVELS:
                    text = f"The selection under {each.name.value} is {levels} levels deep; {MOST_LEVELS} are allowed in Rho graphs."
                    raise TooDeep(text, limit=MOST_LEVELS)
            elif isinstance(kind, GraphQLObjectType):
                _check(each.selection_set, kind, schema, fragments, depths)


def _depth(selections: SelectionSetNode, fragments: Mapping[str, FragmentDefinitionNode], depths: dict[str, int]) -> int:
    deepest = 0
    for each in selections.selections:
        if isinstance(each, FieldNode):
            below = 0 if each.selection_set is None else _depth(each.selection_set, fragments, depths)
            deepest = max(deepest, 1 + below)
        elif isinstance(each, InlineFragmentNode):
            deepest = max(deepest, _depth(each.selection_set, fragments, depths))
        elif isinstance(each, FragmentSpreadNode):
            name = each.name.value
            if name not in depths:
                depths[name] = _depth(fragments[name].selection_set, fragments, depths)
            deepest = max(deepest, depths[name])
    return deepest
