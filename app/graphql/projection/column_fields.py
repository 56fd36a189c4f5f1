"""What each field comes to on a table of nodes, where it is more than one column: `fields` for columns.

Every maker gives the name of a variable with a list: what is shown of each node, or of each row of parts. What lies under a field is shown
at once for all of them, and dealt out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from graphql import GraphQLNonNull, GraphQLObjectType

from app.graphql.projection.compiler import Selected
from app.services.graph_at import PART_COLUMNS, PartKind

if TYPE_CHECKING:
    from app.graphql.projection.columns import TableCompiler

Make: TypeAlias = "Callable[[TableCompiler, Selected], str]"


@dataclass(frozen=True, slots=True)
class Texts:
    """Expressions for one page: its `rows` (places), their `cursors`, `nodes` out of what shows them, `total` and `info`."""

    rows: str
    cursors: str
    nodes: str
    total: str
    info: Mapping[str, str]


WHOLE = Texts(
    "P", "map(p.cursor, P)", "{}", "p.page.total",
    {
        "hasNextPage": "p.page.has_next", "hasPreviousPage": "p.page.has_previous", "startCursor": "p.start_cursor",
        "endCursor": "p.end_cursor",
    },
)  # fmt: skip
"""Of the page itself."""


def _children(compiler: TableCompiler, selected: Selected) -> str:
    """The first children of each in tree order: those of all are shown at once, and dealt out."""
    listed = compiler.shared(f"c.beginning({compiler.call(selected)})")
    refs = compiler.picked("ref")
    every = compiler.value(f"[{compiler.shared('c.below')}(x, ()) for x in {refs}]")
    size = compiler.shared(f"{listed}.ask.size")
    some = compiler.value(f"[x if len(x) <= {size} else x[:{size}] for x in {every}]")
    below = compiler.value(f"list(chain({some}))")

    def show(kind: GraphQLObjectType, found: Selected) -> str:
        name = compiler.fresh("n")
        compiler.line(f"{name} = iter({compiler.places(kind, found.nodes)}({below}))")
        return name

    cursors = compiler.shared("c.cursors")
    texts = Texts(
        "k", f"{cursors}({listed}, r, k)", "list(islice({}, len(k)))", "len(w)",
        {
            "hasNextPage": "len(w) > len(k)", "hasPreviousPage": "False",
            "startCursor": f"({cursors}({listed}, r, k[:1])[0] if k else None)",
            "endCursor": f"({cursors}({listed}, r, k[-1:])[0] if k else None)",
        },
    )  # fmt: skip
    display = compiler.page(selected.kind, selected.nodes, show, texts)
    return compiler.value(f"[{display} for k, w, r in zip({some}, {every}, {refs})]")


def _sum(compiler: TableCompiler, selected: Selected) -> str:
    return compiler.leaves(
        selected.definition.type,
        compiler.value(f"list(map(add, {compiler.picked('tasks_pending')}, {compiler.picked('tasks_in_progress')}))"),
    )


def _same(compiler: TableCompiler, selected: Selected) -> str:
    """An object made of the node itself."""
    return compiler.value(f"{compiler.places(selected.kind, selected.nodes)}(P)")


def _blocked(compiler: TableCompiler, selected: Selected) -> str:
    return _dealt(
        compiler, selected, compiler.value(f"[None if x is None else p for p, x in zip(P, {compiler.picked('blocked_node_count')})]")
    )


def _other(column: str) -> Make:
    """Another node that the row names; a missing one is null, if it may be."""

    def made(compiler: TableCompiler, selected: Selected) -> str:
        get = "__getitem__" if isinstance(selected.definition.type, GraphQLNonNull) else "get"
        return _dealt(compiler, selected, compiler.value(f"list(map({compiler.shared(f'c.places.{get}')}, {compiler.picked(column)}))"))

    return made


def _dealt(compiler: TableCompiler, selected: Selected, places: str) -> str:
    """What is shown of a place for each, or null: shown at once for all, and dealt out."""
    there, name = compiler.value(f"[x for x in {places} if x is not None]"), compiler.fresh("n")
    compiler.line(f"{name} = iter({compiler.places(selected.kind, selected.nodes)}({there}))")
    return compiler.value(f"[None if x is None else next({name}) for x in {places}]")


def _ids(compiler: TableCompiler, selected: Selected) -> str:
    return compiler.value(f"[[node_id(t) for t in x] for x in {compiler.picked('blocked_on')}]")


def _parts(kind: PartKind) -> Make:
    """The parts of each node: those of all are shown at once, and dealt out."""

    def made(compiler: TableCompiler, selected: Selected) -> str:
        get = compiler.shared(f"c.part_values({kind!r})")
        parts = compiler.value(f"[{get}(x, ()) for x in {compiler.picked('ref')}]")
        show, name = compiler.rows(selected.kind, selected.nodes, PART_COLUMNS[kind]), compiler.fresh("n")
        compiler.line(f"{name} = iter({show}(list(chain({parts}))))")
        return compiler.value(f"[list(islice({name}, len(x))) for x in {parts}]")

    return made


def _key(compiler: TableCompiler, selected: Selected) -> str:
    return compiler.value(f"[{compiler.shared('c.key')} + node_id(x) for x in {compiler.picked('ref')}]")


def _tasks(column: str) -> Make:
    return lambda compiler, selected: compiler.leaves(selected.definition.type, compiler.picked(column))


ONCE = frozenset(("Node", name) for name in ("asOfEventId", "graphId", "graph"))
"""Fields that the emitters of rows make once for all rows."""

MADE: dict[tuple[str, str], Make] = {
    ("Node", "key"): _key,
    ("Node", "parent"): _other("parent"),
    ("Node", "root"): _other("root"),
    ("Node", "session"): _other("session"),
    ("Node", "requestedBy"): _other("requested_by"),
    ("Node", "taskCounts"): _same,
    ("Node", "tasks"): _parts("task"),
    ("Node", "spawns"): _parts("spawn"),
    ("Node", "waits"): _parts("wait"),
    ("Node", "blocked"): _blocked,
    ("Node", "children"): _children,
    ("Blocked", "onIds"): _ids,
    ("TaskCounts", "total"): _tasks("tasks_total"),
    ("TaskCounts", "pending"): _tasks("tasks_pending"),
    ("TaskCounts", "inProgress"): _tasks("tasks_in_progress"),
    ("TaskCounts", "completed"): _tasks("tasks_completed"),
    ("TaskCounts", "open"): _sum,
}
