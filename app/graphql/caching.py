"""Which answers a client may keep for a minute: those about a fixed event, with nothing of now or of a time under it (Q31)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphql import (
    FragmentDefinitionNode,
    GraphQLObjectType,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    VariableNode,
    get_named_type,
)

from app.graphql.documents import Document
from app.graphql.fields import fields_under

FOR_A_MINUTE = "private, max-age=60"
ASK_AGAIN = "private, no-cache"

OF_NOW = frozenset(("source", "title", "url", "created", "lastEvent", "live", "retention", "timeline"))
"""What a Graph shows of now, whatever the moment (Q2)."""

RHO = frozenset(("rho", "rhoExport"))
"""What a Node shows of now, whatever the moment: Rho graphs come in at any time, and so do journals."""

_MOMENTS = {("Query", "graph"): "asOf", ("Node", "at"): "asOf", ("Graph", "difference"): "from"}
"""Fields that go to another moment, and the argument that says which."""


def cache_control(document: Document, operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> str:
    """What `Cache-Control` says of an answer without errors. `@skip` and `@include` are not looked at."""
    if operation.operation is not OperationType.QUERY:
        return ASK_AGAIN
    query = document.schema.query_type
    found = list(fields_under((operation,), document.fragments))
    if query is None or not all(field.name.value in ("graph", "__typename") for field in found):
        return ASK_AGAIN
    values = _Values(operation, variables)
    return FOR_A_MINUTE if _is_fixed(query, (operation,), document.fragments, values, set()) else ASK_AGAIN


class _Values:
    """The values of an operation's variables as they were sent, and the defaults of those that were not."""

    def __init__(self, operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> None:
        self._sent = variables
        self._defaults = {each.variable.name.value: each.default_value for each in operation.variable_definitions or ()}

    def names_event(self, value: Any) -> bool:
        """Whether an `AsOf` names an event."""
        if isinstance(value, VariableNode):
            name = value.name.value
            if name in self._sent:
                sent = self._sent[name]
                return isinstance(sent, dict) and sent.get("event") is not None
            return self.names_event(self._defaults.get(name))
        return isinstance(value, ObjectValueNode) and [each.name.value for each in value.fields] == ["event"]


def _is_fixed(
    owner: GraphQLObjectType, nodes: Iterable[Any], fragments: Mapping[str, FragmentDefinitionNode], values: _Values, seen: set[Any]
) -> bool:
    for found in fields_under(nodes, fragments):
        name = found.name.value
        if (owner.name == "Graph" and name in OF_NOW) or (owner.name == "Node" and name in RHO):
            return False
        moment = _MOMENTS.get((owner.name, name))
        if moment is not None:
            value = next((each.value for each in found.arguments or () if each.name.value == moment), None)
            if not values.names_event(value):
                return False
        definition = owner.fields.get(name)
        below = None if definition is None else get_named_type(definition.type)
        if isinstance(below, GraphQLObjectType) and id(found) not in seen:
            seen.add(id(found))  # a fragment is looked at once, wherever it is used
            if not _is_fixed(below, (found,), fragments, values, seen):
                return False
    return True
