"""What each field comes to in compiled code, where it is more than one member of a row.

Every emitter gives an expression for one field of an object made of the variable `of`: a row, a page, or sums. Nothing is decided here that
the resolvers of `types` do not decide alike; the differential tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphql import GraphQLNonNull
from strawberry.utils.str_converters import to_camel_case

from app.domain.forest import above
from app.domain.ids import node_id
from app.domain.rollup import STATES, rollup
from app.domain.waiting import cycle
from app.graphql.projection.compiler import Compiler, Emit, Selected
from app.graphql.projection.selections import Unsupported
from app.graphql.types.columns import GRAPH

NAMES: dict[str, Any] = {"node_id": node_id, "above": above, "cycle": cycle, "rollup": rollup}
"""What the compiled code calls."""


def _once(expression: str) -> Emit:
    return lambda compiler, selected, of: compiler.shared(expression)


def _of(template: str) -> Emit:
    return lambda compiler, selected, of: template.format(of=of)


def _leaf(template: str) -> Emit:
    return lambda compiler, selected, of: compiler.leaf(selected.definition.type, template.format(of=of))


def _other(member: str) -> Emit:
    """Another node that the row names; a missing one is null."""

    def emit(compiler: Compiler, selected: Selected, of: str) -> str:
        by_ref, show, found = compiler.forest("c.by_ref"), compiler.object(selected.kind, selected.nodes, "r"), compiler.fresh("a")
        if isinstance(selected.definition.type, GraphQLNonNull):
            return f"{show}({by_ref}[{of}[{member!r}]])"
        compiler.line(f"{found} = {by_ref}.get({of}[{member!r}])")
        return f"{show}({found}) if {found} is not None else None"

    return emit


def _rows(make: Callable[[Compiler, Selected, str], str]) -> Emit:
    """A list of objects, made of the rows that the expression gives."""

    def emit(compiler: Compiler, selected: Selected, of: str) -> str:
        show = compiler.object(selected.kind, selected.nodes, "r")
        return f"[{show}(x) for x in {make(compiler, selected, of)}]"

    return emit


def _parts(kind: str) -> Emit:
    return _rows(lambda compiler, selected, of: f"{compiler.shared(f'c.parts({kind!r})')}[{of}['ref']]")


def _ancestors(compiler: Compiler, selected: Selected, of: str) -> str:
    levels = compiler.shared(f"c.levels({compiler.call(selected)})")
    return f"above({compiler.forest('c.forest')}, {of}['ref'], {levels})"


def _cycle(compiler: Compiler, selected: Selected, of: str) -> str:
    found = compiler.fresh("a")
    compiler.line(f"{found} = cycle({compiler.forest('c.forest')}, {of}['ref'])")
    return f"None if {found} is None else [{compiler.object(selected.kind, selected.nodes, 'r')}(x) for x in {found}]"


def _blocked(compiler: Compiler, selected: Selected, of: str) -> str:
    show = compiler.object(selected.kind, selected.nodes, "r")
    return f"{show}({of}) if {of}['blocked_node_count'] is not None else None"


def _targets(compiler: Compiler, selected: Selected, of: str) -> str:
    by_ref = compiler.forest("c.by_ref")
    return f"[{by_ref}[t] for t in {of}['blocked_on'] if t in {by_ref}]"


def _graph(compiler: Compiler, selected: Selected, of: str) -> str:
    """The graph of a node: the same for all nodes of a moment, so worked out once."""
    shown = []
    for key, found in compiler.fields(selected.kind, selected.nodes).items():
        if found.name == "__typename":
            shown.append(f"{key!r}: 'Graph'")
            continue
        read = found.definition.extensions["strawberry-definition"].metadata.get(GRAPH)
        if read is None:
            raise Unsupported(f"the field Graph.{found.name}")
        shown.append(f"{key!r}: c.graph({compiler.constant('g', read)}, {compiler.constant('t', found.definition.type)})")
    return compiler.shared("{" + ", ".join(shown) + "}")


def _page(kind: str) -> Emit:
    """A page of nodes; the common one, the first children in tree order and nothing but them, without making a page of them."""

    def emit(compiler: Compiler, selected: Selected, of: str) -> str:
        connection = selected.kind
        listed = compiler.shared(f"c.listed({compiler.call(selected)}, {kind!r})")
        forest = compiler.forest("c.forest")
        page = f"{listed}.page({compiler.shared('c.reading')}, {forest}, {of}['ref'])"
        show = compiler.object(connection, selected.nodes, "p")
        fields = compiler.fields(connection, selected.nodes)
        if kind != "children" or any(found.name != "nodes" for found in fields.values()):
            return f"{show}({page})"
        rows, children = compiler.fresh("a"), compiler.forest("c.children")
        size, plain = compiler.shared(f"{listed}.ask.size"), compiler.shared(f"{listed}.is_plain")
        compiler.line(f"{rows} = {children}.get({of}['ref'], ())")
        quick = []
        for key, found in fields.items():
            row = compiler.object(found.kind, found.nodes, "r")
            quick.append(f"{key!r}: [{row}(x) for x in ({rows} if len({rows}) <= {size} else {rows}[:{size}])]")
        return f"{{{', '.join(quick)}}} if {plain} else {show}({page})"

    return emit


def _messages(compiler: Compiler, selected: Selected, of: str) -> str:
    listed, parts = compiler.shared(f"c.messages({compiler.call(selected)})"), compiler.shared("c.parts('message')")
    page = f"{listed}.page({compiler.shared('c.reading')}, {parts}[{of}['ref']], {of}['ref'])"
    return f"{compiler.object(selected.kind, selected.nodes, 'p')}({page})"


def _edges(compiler: Compiler, selected: Selected, of: str) -> str:
    """An edge is made of its row, beside the page."""
    edge = selected.kind
    show = compiler.object(edge, selected.nodes, "r", "p")
    return f"[{show}(x, {of}) for x in {of}.rows]"


def _edge_node(compiler: Compiler, selected: Selected, of: str) -> str:
    return f"{compiler.object(selected.kind, selected.nodes, 'r')}({of})"


def _rollup(compiler: Compiler, selected: Selected, of: str) -> str:
    show = compiler.object(selected.kind, selected.nodes, "s")
    return f"{show}(rollup({compiler.forest('c.forest')}, {of}['ref']))"


def _member(template: str) -> Emit:
    """An object made of another variable."""
    return lambda compiler, selected, of: compiler.display(selected.kind, selected.nodes, template.format(of=of))


def _node(compiler: Compiler, selected: Selected, of: str) -> str:
    return f"{compiler.object(selected.kind, selected.nodes, 'r')}({of})"


def _peer(compiler: Compiler, selected: Selected, of: str) -> str:
    return f"node_id({of}['peer']) if {of}['peer'] in {compiler.forest('c.by_ref')} else None"


def _peer_name(compiler: Compiler, selected: Selected, of: str) -> str:
    name = compiler.leaf(selected.definition.type, f"{of}['peer']")
    return f"None if {of}['peer'] in {compiler.forest('c.by_ref')} else {name}"


EMITTERS: dict[tuple[str, str], Emit] = {
    ("Node", "key"): lambda compiler, selected, of: f"{compiler.shared('c.key')} + node_id({of}['ref'])",
    ("Node", "asOfEventId"): _once("c.reading.as_of_event_id"),
    ("Node", "graphId"): _once("c.reading.at.info.id"),
    ("Node", "graph"): _graph,
    ("Node", "parent"): _other("parent"),
    ("Node", "root"): _other("root"),
    ("Node", "session"): _other("session"),
    ("Node", "requestedBy"): _other("requested_by"),
    ("Node", "taskCounts"): _member("{of}"),
    ("Node", "tasks"): _parts("task"),
    ("Node", "spawns"): _parts("spawn"),
    ("Node", "waits"): _parts("wait"),
    ("Node", "messages"): _messages,
    ("Node", "blocked"): _blocked,
    ("Node", "blocking"): _rows(lambda compiler, selected, of: f"{compiler.forest('c.waiters')}.get({of}['ref'], ())"),
    ("Node", "blockingCycle"): _cycle,
    ("Node", "ancestors"): _rows(_ancestors),
    ("Node", "children"): _page("children"),
    ("Node", "descendants"): _page("descendants"),
    ("Node", "rollup"): _rollup,
    ("Blocked", "onIds"): _of("[node_id(t) for t in {of}['blocked_on']]"),
    ("Blocked", "on"): _rows(_targets),
    ("Blocked", "chain"): _page("chain"),
    ("Spawn", "child"): _other("child"),
    ("Wait", "on"): _other("on"),
    ("Message", "peerId"): _peer,
    ("Message", "peer"): _other("peer"),
    ("Message", "peerName"): _peer_name,
    ("TaskCounts", "total"): _leaf("{of}['tasks_total']"),
    ("TaskCounts", "pending"): _leaf("{of}['tasks_pending']"),
    ("TaskCounts", "inProgress"): _leaf("{of}['tasks_in_progress']"),
    ("TaskCounts", "completed"): _leaf("{of}['tasks_completed']"),
    ("TaskCounts", "open"): _leaf("{of}['tasks_pending'] + {of}['tasks_in_progress']"),
    ("Rollup", "byState"): _member("{of}.by_state"),
    ("Rollup", "taskCounts"): _member("{of}.tasks"),
    ("PageInfo", "hasNextPage"): _of("{of}.page.has_next"),
    ("PageInfo", "hasPreviousPage"): _of("{of}.page.has_previous"),
    ("PageInfo", "startCursor"): _of("{of}.start_cursor"),
    ("PageInfo", "endCursor"): _of("{of}.end_cursor"),
}

_SUMS = ("nodes", "sessions", "agents", "stale", "blocked", "background_agents", "max_depth", "first_created", "last_event")

EMITTERS |= {("Rollup", to_camel_case(name)): _leaf(f"{{of}}.{name}") for name in _SUMS}
EMITTERS |= {("StateCounts", to_camel_case(state)): _leaf(f"{{of}}[{state!r}]") for state in STATES}
EMITTERS |= {
    (connection, name): emit
    for connection in ("NodeConnection", "MessageConnection")
    for name, emit in {
        "nodes": _rows(lambda compiler, selected, of: f"{of}.rows"),
        "edges": _edges,
        "pageInfo": _member("{of}"),
        "totalCount": _of("{of}.page.total"),
    }.items()
}
EMITTERS |= {
    (edge, name): emit for edge in ("NodeEdge", "MessageEdge") for name, emit in {"cursor": _of("p.cursor({of})"), "node": _node}.items()
}
