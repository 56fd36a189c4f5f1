"""The seven operations (R1): their paths and what each takes (R23)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from app.rest.grammar import Boolean, Bounds, Choice, Integer, Kind, Many, Parameters, Point, Text
from app.services.lists import MOST, PAGE

STATES: Final = ("working", "input_required", "idle", "completed", "failed", "canceled")
MOST_TYPES: Final = 50
NODE_ID: Final = Text(1_000, "node id")

_PAGE: Final[Mapping[str, Kind]] = {
    "limit": Integer(1, MOST, PAGE),
    "starting_after": Text(200),
    "ending_before": Text(200),
}


@dataclass(frozen=True, slots=True)
class Operation:
    """`path` is below the base path, with names in braces. `pages`: how its lists go on."""

    name: str
    path: str
    tag: str
    answer: str
    summary: str
    parameters: Parameters
    pages: Literal["cursor", "page"] | None = None

    @property
    def in_path(self) -> tuple[str, ...]:
        """The names in its path."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))


OPERATIONS: Final = (
    Operation("listGraphs", "/graphs", "Graphs", "GraphList", "List graphs", {**_PAGE, "last_event": Bounds()}, "cursor"),
    Operation("retrieveGraph", "/graphs/{graph_id}", "Graphs", "Graph", "Retrieve a graph", {"as_of": Point()}),
    Operation(
        "listNodes",
        "/graphs/{graph_id}/nodes",
        "Nodes",
        "NodeList",
        "List a graph's nodes",
        {
            "as_of": Point(),
            "expand": Many(),
            "parent_id": NODE_ID,
            "ancestor_id": NODE_ID,
            "max_depth": Integer(1),
            "root_id": NODE_ID,
            "session_id": NODE_ID,
            "is_root": Boolean(),
            "kind": Choice(("session", "agent")),
            "state": Many(STATES),
            "provider": Text(200),
            "agent_type": Text(200),
            "stale": Boolean(),
            "blocked": Boolean(),
            "created": Bounds(),
            "last_event": Bounds(),
            "order": Choice(("newest", "tree"), "newest"),
            **_PAGE,
        },
        "cursor",
    ),
    Operation(
        "searchNodes",
        "/graphs/{graph_id}/nodes/search",
        "Nodes",
        "NodeSearchResult",
        "Search a graph's nodes",
        {"query": Text(2_000), "as_of": Point(), "expand": Many(), "limit": _PAGE["limit"], "page": Text(1_000)},
        "page",
    ),
    Operation(
        "retrieveNode",
        "/graphs/{graph_id}/nodes/{node_id}",
        "Nodes",
        "Node",
        "Retrieve a node",
        {"as_of": Point(), "expand": Many(), "descendants_max_depth": Integer(1)},
    ),
    Operation(
        "listEvents",
        "/graphs/{graph_id}/events",
        "Events",
        "EventList",
        "List a graph's events",
        {
            "type": Many(most=MOST_TYPES),
            "node_id": NODE_ID,
            "root_id": NODE_ID,
            "created": Bounds(),
            "order": Choice(("desc", "asc"), "desc"),
            "expand": Many(),
            **_PAGE,
        },
        "cursor",
    ),
    Operation("retrieveEvent", "/graphs/{graph_id}/events/{event_id}", "Events", "Event", "Retrieve an event", {"expand": Many()}),
)


def operation_at(path: str) -> tuple[Operation, dict[str, str]] | None:
    """The operation at a path below the base path, with what is named in it. A literal segment wins over a name (R1)."""
    parts = path.split("/")
    if not all(parts[1:]):
        return None
    for operation in OPERATIONS:
        wanted = operation.path.split("/")
        if len(wanted) == len(parts) and all(each == part or each.startswith("{") for each, part in zip(wanted, parts, strict=True)):
            named = {each[1:-1]: part for each, part in zip(wanted, parts, strict=True) if each.startswith("{")}
            return operation, named
    return None
