"""What stands in a node's way (E116-E119), kept up to date for the waiters that an event touches.

The walk of E118 meets whole subtrees: once it comes upon a node, it goes on to everything below it. So what it has met is a set of subtrees,
whose sums every node keeps, less what lies at or below the walker itself; and only waits that lead out of a subtree have to be followed.
Its cost is that of the waiters met, however many finished agents lie about.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.projector import tree, waits
from app.domain.projector.graph import GraphState
from app.domain.projector.state import Blocked, Node


def refresh(graph: GraphState) -> None:
    """Works out `blocked` again for every node whose own waits changed or whose walk passes a node that did."""
    for node in _affected(graph):
        blocked = _blocked(graph, node)
        if blocked != node.blocked:
            node.blocked = blocked
            graph.touched[node] = None


def _affected(graph: GraphState) -> dict[Node, None]:
    """Follows the walk backwards: from a node to the one above it and to those that wait on it."""
    affected = dict(graph.waiters)
    if not graph.open_waits_on:
        return affected
    seen = dict(graph.disturbed)
    stack = list(seen)
    while stack:
        node = stack.pop()
        above = node.parent
        if above is not None and above not in seen:
            seen[above] = None
            stack.append(above)
        for wait in graph.open_waits_on.get(node.ref, ()):
            if wait.edge is not None:
                affected[wait.owner] = None
                if wait.owner not in seen:
                    seen[wait.owner] = None
                    stack.append(wait.owner)
    return affected


def _blocked(graph: GraphState, node: Node) -> Blocked | None:
    if node.finished:
        return None
    active = [wait for wait in node.open_waits.values() if waits.counts(graph, wait)]
    if not active:
        return None
    graph.met |= {109, 116, 117, 118}
    on = tuple(wait.on for wait in active if wait.on is not None)
    count, tasks, cycle = _walk(graph, node, [graph.nodes[ref] for ref in on if ref in graph.nodes])
    if cycle:
        graph.met.add(119)
    return on, len(active) - len(on), count, tasks, cycle


def _walk(graph: GraphState, start: Node, targets: list[Node]) -> tuple[int, int, bool]:
    """Unfinished nodes met, open tasks met, and whether the walk came upon `start`."""
    met: dict[Node, None] = {}
    queue = list(targets)
    cycle = False
    while queue:
        node = queue.pop()
        if node is start:
            cycle = True
            continue
        if node in met:
            continue
        met[node] = None
        for waiter in _waiters_below(node, start):
            queue.extend(wait.edge for wait in waiter.open_waits.values() if wait.external and wait.edge is not None)
        if _contains(node, start):
            queue.extend(_targets_below(start, node))
    unfinished = tasks = 0
    for node in met:
        if len(met) > 1 and _is_covered(node, met, start):
            continue
        unfinished += node.tree_unfinished
        tasks += node.tree_open_tasks
        if _contains(node, start):
            cycle = True
            unfinished -= start.tree_unfinished
            tasks -= start.tree_open_tasks
    return unfinished, tasks, cycle


def _waiters_below(top: Node, without: Node) -> Iterator[Node]:
    """The nodes at or below `top` that wait on something outside of what is below them; not `without`, nor what is below it."""
    stack = [top]
    while stack:
        node = stack.pop()
        if node.external_waits:
            yield node
        stack.extend(child for child in node.waiting_children.values() if child is not without)


def _targets_below(start: Node, top: Node) -> Iterator[Node]:
    """What the nodes above `start`, up to `top`, wait on below it: met by these waits alone, since the walk does not go through `start`."""
    above = start.parent
    while above is not None:
        for wait in above.open_waits.values():
            if wait.edge is not None and wait.edge is not start and tree.is_below_or_same(wait.edge, start):
                yield wait.edge
        if above is top:
            return
        above = above.parent


def _is_covered(node: Node, met: dict[Node, None], start: Node) -> bool:
    """Whether a node above it was met, with nothing of `start` in between."""
    above = node.parent
    while above is not None and above is not start:
        if above in met:
            return True
        above = above.parent
    return False


def _contains(node: Node, start: Node) -> bool:
    at: Node | None = start.parent
    while at is not None and at.depth > node.depth:
        at = at.parent
    return at is node
