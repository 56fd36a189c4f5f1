"""The node budget (Q36): how many objects an operation may come to, worked out before rows are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    GraphQLObjectType,
    IntValueNode,
    VariableNode,
    get_named_type,
)

from app.graphql.fields import fields_under
from app.graphql.rho.limits import FEW as RHO_FEW
from app.graphql.rho.limits import MOST_FACTS, is_rho
from app.graphql.rho.limits import PAGE as RHO_PAGE
from app.graphql.rho.limits import PAGES as RHO_PAGES
from app.graphql.rho.limits import SINGLE as RHO_SINGLE
from app.services.lists import PAGE

FEW = 10
"""What a list without a size counts for."""

_PAGES = frozenset(("nodes", "roots", "children", "descendants", "chain", "events", "graphs", "history"))
_FEW = frozenset(("ancestors", "blocking", "blockingCycle", "blockingCycles", "on", "changes"))
_SINGLE = frozenset(
    ("parent", "root", "session", "requestedBy", "node", "at", "child", "peer", "before", "after", "event", "graph", "difference")
)
_INSIDE = frozenset(
    f"{name}{holder}" for name in ("Node", "Event", "Graph", "NodeVersion", "NodeChange") for holder in ("Connection", "Edge")
) | frozenset(f"Rho{name}{holder}" for name in ("Node", "Edge", "Event", "Graph", "Snapshot") for holder in ("Connection", "Edge"))
"""What only holds the rows of a page, which have been counted with it."""


class Objects(NamedTuple):
    """Objects of one place in the document.

    `distinct`: no two of them are the same node; `apart`: none of them is above another, either. One alone is both.
    """

    number: int
    distinct: bool = True
    apart: bool = True


ONE = Objects(1)


class Budget:
    """Works out what an operation costs."""

    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode], variables: Mapping[str, Any]) -> None:
        self._fragments = fragments
        self._variables = variables

    def cost(self, kind: Any, nodes: Iterable[FieldNode], total: int | None, parents: Objects = ONE) -> int:
        """The objects below a field. `total`: how many nodes the graph has; None where that is not known, and so does not count."""
        owner = get_named_type(kind)
        if not isinstance(owner, GraphQLObjectType):
            return 0
        return sum(self._field(owner, found, total, parents) for found in fields_under(nodes, self._fragments))

    def page_cost(self, kind: Any, nodes: Sequence[FieldNode]) -> int:
        """The objects of a page of graphs and below it. How many nodes each graph has is not known, and so does not count."""
        objects = _alone(self._size(nodes[0]))
        return objects.number + self.cost(kind, nodes, None, objects)

    def _field(self, owner: GraphQLObjectType, found: FieldNode, total: int | None, parents: Objects) -> int:
        name = found.name.value
        definition = owner.fields.get(name)
        if definition is None or found.selection_set is None:
            return 0
        if owner.name in _INSIDE:
            return self.cost(definition.type, (found,), total, parents)
        objects = self._objects(owner.name, name, found, total, parents)
        if objects is None:
            return self.cost(definition.type, (found,), total, parents)
        return objects.number + self.cost(definition.type, (found,), total, objects)

    def _objects(self, owner: str, name: str, found: FieldNode, total: int | None, parents: Objects) -> Objects | None:
        """The objects that a field comes to; None where it shows no new ones."""
        if is_rho(owner) or name.startswith("rho"):
            return self._of_rho(owner, name, found, parents)
        if name == "timeline":
            return _alone(parents.number * self._size(found, ("buckets",)))
        if name in _PAGES or (owner, name) == ("Difference", "changes"):
            return self._page(owner, name, parents.number * self._size(found), total, parents)
        if name in _FEW:
            return _alone(parents.number * FEW)
        return _alone(parents.number) if name in _SINGLE else None

    def _of_rho(self, owner: str, name: str, found: FieldNode, parents: Objects) -> Objects | None:
        """Of Rho graphs no place can come to more than an answer may show (M15)."""
        if name in RHO_SINGLE:
            return _alone(parents.number)
        if name in RHO_FEW or (owner, name) == ("RhoNode", "events"):
            return _alone(min(parents.number * FEW, MOST_FACTS))
        if name not in RHO_PAGES:
            return None
        count = parents.number * self._size(found, otherwise=RHO_PAGE)
        return _alone(count if name in ("snapshots", "rhoGraphs") else min(count, MOST_FACTS))

    def _page(self, owner: str, name: str, count: int, total: int | None, parents: Objects) -> Objects:
        if total is None or owner not in ("Graph", "Node") or name in ("events", "history", "chain"):
            return _alone(count)
        if name in ("nodes", "roots"):
            return Objects(min(count, parents.number * total), parents.number == 1, parents.number == 1 and name == "roots")
        if name == "children" and parents.distinct:
            return Objects(min(count, total), True, parents.apart)
        if name == "descendants" and parents.apart:
            return Objects(min(count, total), True, False)
        return _alone(count)

    def _size(self, found: FieldNode, names: tuple[str, ...] = ("first", "last"), otherwise: int = PAGE) -> int:
        sizes = [self._number(argument.value) for argument in found.arguments or () if argument.name.value in names]
        return next((size for size in sizes if size is not None), otherwise)

    def _number(self, value: Any) -> int | None:
        if isinstance(value, IntValueNode):
            return max(int(value.value), 0)
        given = self._variables.get(value.name.value) if isinstance(value, VariableNode) else None
        return max(given, 0) if isinstance(given, int) else None


def _alone(count: int) -> Objects:
    return Objects(count, count <= 1, count <= 1)
