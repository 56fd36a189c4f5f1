"""Looking ahead: what the selection under a field needs to be read, before the first of it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    get_named_type,
)

from app.graphql.types.columns import METADATA, Column
from app.services.graph_at import KeySet, PartKind, key_set

PARTS: dict[str, PartKind] = {"tasks": "task", "spawns": "spawn", "waits": "wait", "messages": "message"}
"""The fields of Node that show its parts."""

NODE_COLUMNS = {
    "taskCounts": ("tasks_total", "tasks_pending", "tasks_in_progress", "tasks_completed"),
    "blocked": ("blocked_on", "blocked_starting", "blocked_node_count", "blocked_open_tasks", "blocked_cycle"),
    "blocking": ("blocked_on",),
    "parent": ("parent",),
    "root": ("root",),
    "session": ("session",),
    "requestedBy": ("requested_by",),
}  # fmt: skip
"""What fields of Node need that show more than one member of the row."""

COUNTED = ("kind", "state", "stale", "blocked_node_count")
SUMMED = (
    "kind", "state", "stale", "blocked_node_count", "background_agent_count", "tasks_total", "tasks_pending", "tasks_in_progress",
    "tasks_completed", "depth", "created", "last_event",
)  # fmt: skip
FILTERED = (
    "parent", "root", "session", "kind", "state", "provider", "agent_type", "stale", "blocked_node_count", "created", "last_event",
)  # fmt: skip
SEARCHED = (
    "title", "summary", "headline", "purpose", "attention", "background", "depth", "ended", "child_count", "descendant_count",
    "tasks_pending", "tasks_in_progress", "blocked_open_tasks",
)  # fmt: skip

CHEAP_LEVELS = 3
"""Up to so many levels below one node are read by walking its edges; more is the whole graph, read once."""

ONE = frozenset(("parent", "root", "session", "requestedBy", "child", "on", "peer"))
LISTS = frozenset(("ancestors", "children", "descendants", "blocking", "chain"))


@dataclass(slots=True)
class Needs:
    """`columns` of node rows; the `whole` graph at once; `parts` of all nodes; `parts_here`, of the field's own nodes only."""

    columns: set[str] = field(default_factory=set)
    whole: bool = False
    parts: set[PartKind] = field(default_factory=set)
    parts_here: set[PartKind] = field(default_factory=set)

    @property
    def key_set(self) -> KeySet:
        """The smallest of the store's key sets that holds the columns."""
        return key_set(self.columns)


class Lookahead:
    """Works out the needs of fields of one document. `@skip` and `@include` are not looked at: reading too much is no fault."""

    def __init__(self, schema: GraphQLSchema, fragments: dict[str, FragmentDefinitionNode]) -> None:
        self._schema = schema
        self._fragments = fragments
        self._known: dict[tuple[int, ...], Needs] = {}

    def of(self, return_type: Any, nodes: Sequence[FieldNode], level: int = 0) -> Needs:
        """The needs of one field's selection. `level`: 1 if the field is a list of nodes, 0 if it is a single one, or a graph."""
        key = tuple(map(id, nodes))
        needs = self._known.get(key)
        if needs is None:
            needs = Needs()
            self._visit(get_named_type(return_type), nodes, needs, level)
            needs.parts_here -= needs.parts
            self._known[key] = needs
        return needs

    def selects(self, nodes: Iterable[Any], name: str) -> bool:
        """Whether a field of that name is selected right under these."""
        return any(found.name.value == name for found in self._fields(nodes, set()))

    def _visit(self, owner: Any, nodes: Iterable[Any], needs: Needs, level: int) -> None:
        """`level`: how many lists or references of nodes lie above; 0 is the field's own node."""
        if not isinstance(owner, GraphQLObjectType):
            return
        for found in self._fields(nodes, set()):
            name = found.name.value
            definition = owner.fields.get(name)
            if definition is None or name in _APART:
                continue
            if owner.name == "Graph":
                self._of_graph(definition.type, name, found, needs)
            elif owner.name == "Node":
                self._of_node(definition, name, found, needs, level)
            else:
                self._of_other(definition.type, name, found, needs, level)

    def _of_graph(self, kind: Any, name: str, found: FieldNode, needs: Needs) -> None:
        if name in ("nodes", "roots", "blockingCycles"):
            needs.whole = True
            needs.columns.add("blocked_on" if name == "blockingCycles" else "created")
            self._arguments(found, needs)
            self._below(kind, found, needs, 1)
        elif name == "counts":
            needs.columns.update(COUNTED)
        else:
            self._below(kind, found, needs, 0)

    def _of_node(self, definition: Any, name: str, found: FieldNode, needs: Needs, level: int) -> None:
        column = _column(definition)
        if column is not None:
            needs.columns.add(column.name)
        needs.columns.update(NODE_COLUMNS.get(name, ()))
        if name in PARTS:
            (needs.parts if level > 1 else needs.parts_here).add(PARTS[name])
        if name == "rollup":
            needs.columns.update(SUMMED)
        if name in ("rollup", "blockingCycle"):
            needs.columns.add("blocked_on")
            needs.whole = True
        self._of_other(definition.type, name, found, needs, level)

    def _of_other(self, kind: Any, name: str, found: FieldNode, needs: Needs, level: int) -> None:
        if name in LISTS or name in ONE:
            if level > 0 or (name in LISTS and not self._is_cheap(name, found)):
                needs.whole = True
            self._arguments(found, needs)
            level += 1
        self._below(kind, found, needs, level)

    def _below(self, kind: Any, found: FieldNode, needs: Needs, level: int) -> None:
        if found.selection_set is not None:
            self._visit(get_named_type(kind), (found,), needs, level)

    def _arguments(self, found: FieldNode, needs: Needs) -> None:
        for argument in found.arguments or ():
            if argument.name.value == "filter":
                needs.columns.update(FILTERED)
                needs.columns.update(SEARCHED)

    def _is_cheap(self, name: str, found: FieldNode) -> bool:
        values = {argument.name.value: argument.value for argument in found.arguments or ()}
        if values.keys() & {"filter", "after", "before"}:
            return False
        if name == "descendants":
            levels = values.get("maxDepth")
            return isinstance(levels, IntValueNode) and int(levels.value) <= CHEAP_LEVELS
        return True

    def _fields(self, nodes: Iterable[Any], seen: set[str]) -> Iterator[FieldNode]:
        for node in nodes:
            for selection in node.selection_set.selections if node.selection_set is not None else ():
                if isinstance(selection, FieldNode):
                    yield selection
                elif isinstance(selection, InlineFragmentNode):
                    yield from self._fields((selection,), seen)
                elif isinstance(selection, FragmentSpreadNode) and selection.name.value not in seen:
                    seen.add(selection.name.value)
                    yield from self._fields((self._fragments[selection.name.value],), seen)


_APART = frozenset(("events", "event", "at", "history", "difference", "before", "after", "rho", "rhoExport"))
"""Fields that lead to moments or rows of their own."""


def _column(definition: Any) -> Column | None:
    own = definition.extensions.get("strawberry-definition")
    return None if own is None else own.metadata.get(METADATA)
