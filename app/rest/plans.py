"""Addresses read: which operation a request is for, and how its answer is made (R1, R7, R18-R23)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from cachetools import LRUCache

from app.domain.moments import AsOf
from app.rest.call import Call, Plan
from app.rest.errors import Refused
from app.rest.events import list_events, retrieve_event
from app.rest.grammar import pairs_of, read
from app.rest.graphs import retrieve_graph
from app.rest.nodes import list_nodes, retrieve_node, search_nodes
from app.rest.operations import Operation, operation_at

LONGEST: Final = 1_000
"""Characters of a path and a query that are worth keeping what they say."""

_MOST: Final = 1_000

_PLANS: Final[Mapping[str, Callable[[Call], Plan]]] = {
    "retrieveGraph": retrieve_graph,
    "listNodes": list_nodes,
    "searchNodes": search_nodes,
    "retrieveNode": retrieve_node,
    "listEvents": list_events,
    "retrieveEvent": retrieve_event,
}


@dataclass(frozen=True, slots=True)
class Planned:
    """An address that is right. `plan` is None for the one operation that is not about one graph.

    `name` tells answers of different addresses apart, `as_of` is the point asked for (None: now).
    """

    call: Call
    plan: Plan | None
    name: tuple[str, str, str]
    as_of: AsOf | None

    @property
    def graph_id(self) -> str:
        """The graph's id as the path has it."""
        return self.call.named["graph_id"]


class Plans:
    """Plans by address; those of addresses asked for lately are kept, since whoever polls sends the same again and again."""

    def __init__(self, origin: str) -> None:
        """`origin`: the public address (R69)."""
        self._origin = origin
        self._kept: LRUCache[tuple[str, bytes], Planned] = LRUCache(_MOST)

    def kept(self, path: str, query: bytes) -> Planned | None:
        """The plan for a path below the base path and a query string as sent, if it was made lately."""
        return self._kept.get((path, query))

    def made(self, path: str, query: bytes, operation: Operation, named: dict[str, str]) -> Planned:
        """The plan for the operation at a path. Raises: Refused, for the first thing that is wrong (R7)."""
        text = query.decode("latin-1")
        call = Call(operation, named, read(pairs_of(text), operation.parameters), self._origin)
        plan = _PLANS[operation.name](call) if operation.name in _PLANS else None
        as_of = None if plan is None or plan.now else call.asked.get("as_of")
        planned = Planned(call, plan, (operation.name, call.path, text), as_of)
        if len(path) + len(query) <= LONGEST:
            self._kept[path, query] = planned
        return planned


def operation_or_refused(path: str) -> tuple[Operation, dict[str, str]]:
    """The operation at a path below the base path, and what is named in it. Raises: Refused."""
    found = operation_at(path)
    if found is None:
        raise Refused("resource_missing", "There is nothing at this address.", "url")
    return found
