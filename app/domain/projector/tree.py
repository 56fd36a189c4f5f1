"""Nodes and their places: making them (E17-E20), moving them (E31-E34), and what follows for the nodes above and below (E124)."""

from __future__ import annotations

from app.domain.projector import waits
from app.domain.projector.graph import GraphState
from app.domain.projector.state import FINISHED, Node

_PLACE_BITS = 20
_MADE = frozenset({18, 19})
_MOVED = frozenset({31, 34})


def ensure(graph: GraphState, ref: str) -> Node:
    """The node of that ref, made if missing, with every missing level above it, from the top down (E17)."""
    node = graph.nodes.get(ref)
    if node is not None:
        return node
    if "/" not in ref:
        return _make(graph, ref)
    missing = [ref]
    while "/" in ref:
        ref = ref[: ref.rindex("/")]
        if ref in graph.nodes:
            break
        missing.append(ref)
    if len(missing) > 1:
        graph.met.add(17)
    for ref in reversed(missing):
        node = _make(graph, ref)
    assert node is not None
    return node


def _make(graph: GraphState, ref: str) -> Node:
    colon = ref.find(":")
    graph.met.update(_MADE)
    node = Node(ref, ref[:colon] if colon >= 0 else graph.provider or "", graph.ts)
    graph.nodes[ref] = node
    graph.touched[node] = None
    graph.made[node] = None
    graph.shift(node, 1, 0)
    waits.target_changed(graph, node)
    if node.kind == "agent":
        graph.met.add(33)
        _mark_pending(node)
        _place(graph, node, graph.nodes[ref[: ref.rindex("/")]])
    return node


def move(graph: GraphState, node: Node, parent_ref: str) -> None:
    """Moves a node under another, which is made if missing; refused if that one is the node itself or lies below it (E31)."""
    old = node.parent
    if parent_ref == node.ref or (old is not None and old.ref == parent_ref):
        return
    parent = ensure(graph, parent_ref)
    if is_below_or_same(parent, node):
        graph.met.add(32)
        return
    graph.met.update(_MOVED)
    if old is not None:
        del old.children[node.ref]
        _grow(graph, old, node, -1)
        if node.ref in old.waiting_children:
            del old.waiting_children[node.ref]
            unmark_waiting(old)
        if node.ref in old.pending_children:
            del old.pending_children[node.ref]
            unmark_pending(old)
        graph.turn((old, node, False), False)
    graph.turn((parent, node, False), True)
    _place(graph, node, parent)


def is_below_or_same(node: Node, top: Node) -> bool:
    """Whether `node` is `top` or lies below it."""
    at: Node | None = node
    while at is not None and at.depth > top.depth:
        at = at.parent
    return at is top


def _place(graph: GraphState, node: Node, parent: Node) -> None:
    node.parent = parent
    node.placed = graph.seq << _PLACE_BITS | graph.moves
    graph.moves += 1
    parent.children[node.ref] = node
    if len(parent.children) > 1:
        graph.met.add(120)
    graph.touched[node] = None
    graph.moved[node] = None
    _grow(graph, parent, node, 1)
    if is_waiting(node):
        mark_waiting(node)
    if is_pending(node) and node.kind == "agent":
        _mark_pending(node)
    stack = [node]
    while stack:
        at = stack.pop()
        above = at.parent
        assert above is not None
        session = at if at.kind == "session" else above.session
        if (at.depth, at.root, at.session) != (above.depth + 1, above.root, session):
            at.depth, at.root, at.session = above.depth + 1, above.root, session
            graph.touched[at] = None
            stack.extend(at.children.values())


def settle(graph: GraphState, node: Node, parent: Node, place: int) -> None:
    """Puts a node of a state taken up under its parent, which has its own place already, as its child number `place`."""
    node.parent = parent
    node.placed = graph.seq << _PLACE_BITS | place
    parent.children[node.ref] = node
    node.depth = parent.depth + 1
    node.root = parent.root
    node.session = node if node.kind == "session" else parent.session
    if node.kind == "agent" and not node.finished:
        _mark_pending(node)


def add_up(node: Node) -> None:
    """Adds a node of a state taken up, with all below it, to the sums of its parent. Children come before their parents."""
    parent = node.parent
    if parent is not None:
        parent.descendant_count += node.descendant_count + 1
        parent.tree_unfinished += node.tree_unfinished
        parent.tree_open_tasks += node.tree_open_tasks


def _grow(graph: GraphState, above: Node | None, node: Node, sign: int) -> None:
    nodes, unfinished, tasks = sign * (node.descendant_count + 1), sign * node.tree_unfinished, sign * node.tree_open_tasks
    recounted = graph.recounted
    while above is not None:
        above.descendant_count += nodes
        above.tree_unfinished += unfinished
        above.tree_open_tasks += tasks
        recounted[above] = None
        above = above.parent


def set_state(graph: GraphState, node: Node, state: str) -> None:
    """Changes a node's state, and what hangs on whether it is finished."""
    was, now = node.state in FINISHED, state in FINISHED
    node.state = state
    graph.touched[node] = None
    if was == now:
        return
    by = -1 if now else 1
    at: Node | None = node
    while at is not None:
        at.tree_unfinished += by
        at = at.parent
    graph.shift(node, by, 0)
    if node.kind == "agent":
        if now:
            unmark_pending(node)
        else:
            _mark_pending(node)
    waits.waiter_changed(graph, node)
    waits.target_changed(graph, node)


def open_tasks_changed(graph: GraphState, node: Node, by: int) -> None:
    """Carries a change of a node's open tasks up to the nodes above."""
    graph.touched[node] = None
    if by == 0:
        return
    at: Node | None = node
    while at is not None:
        at.tree_open_tasks += by
        at = at.parent
    graph.shift(node, 0, by)


def is_pending(node: Node) -> bool:
    """Whether an end of its session has something to do at this agent or below it (E55)."""
    return node.state not in FINISHED or bool(node.open_calls) or node.stop_mark or bool(node.pending_children)


def _mark_pending(node: Node) -> None:
    while node.kind == "agent":
        parent = node.parent
        if parent is None or node.ref in parent.pending_children:
            return
        parent.pending_children[node.ref] = node
        node = parent


def calls_changed(node: Node) -> None:
    """To be called after a node's open calls or stop mark changed."""
    if node.kind == "agent":
        if is_pending(node):
            _mark_pending(node)
        else:
            unmark_pending(node)


def unmark_pending(node: Node) -> None:
    """Takes a node that has nothing left to do out of the list of the one above, and so on upwards."""
    while node.kind == "agent" and not is_pending(node):
        parent = node.parent
        if parent is None or parent.pending_children.pop(node.ref, None) is None:
            return
        node = parent


def is_waiting(node: Node) -> bool:
    """Whether somebody at or below it waits on a node."""
    return bool(node.edges) or bool(node.waiting_children)


def mark_waiting(node: Node) -> None:
    """Lists a node that waits with the one above, and so on upwards."""
    parent = node.parent
    while parent is not None and node.ref not in parent.waiting_children:
        parent.waiting_children[node.ref] = node
        node, parent = parent, parent.parent


def unmark_waiting(node: Node) -> None:
    """The opposite of `mark_waiting`, where nothing below waits any more."""
    while not is_waiting(node):
        parent = node.parent
        if parent is None or parent.waiting_children.pop(node.ref, None) is None:
            return
        node = parent
