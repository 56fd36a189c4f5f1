"""Waits (E96-E101), and which of them count (E109)."""

from __future__ import annotations

from app.domain.projector import tree
from app.domain.projector.awaited import Awaited
from app.domain.projector.graph import GraphState
from app.domain.projector.state import FINISHED, Node, Wait

_CLOSED = frozenset({99, 100})


def has_open(node: Node, wait_id: str) -> bool:
    """Whether the node has an open wait of that id, of either sort."""
    return wait_id in node.open_wait_ids


def open_wait(graph: GraphState, node: Node, wait_id: str, on: str | None, reason: str | None, *, spawn: bool) -> Wait:
    """Adds an open wait (E85, E96). The target need not exist and is not made."""
    wait = Wait(node, len(node.waits), wait_id, on, reason, spawn, graph.ts)
    adopt(graph, wait)
    return wait


def adopt(graph: GraphState, wait: Wait) -> None:
    """Enters a wait in its node's lists and the graph's indexes."""
    node = wait.owner
    node.waits.append(wait)
    if wait.open:
        node.open_waits[wait.position] = wait
        node.open_wait_ids.setdefault(wait.id, []).append(wait)
        if wait.on is not None:
            graph.open_waits_on.setdefault(wait.on, {})[wait] = None
    _changed(graph, wait)


def close(graph: GraphState, wait: Wait, ts: str) -> None:
    """Closes an open wait; a closed one never opens again (E99, E100)."""
    if not wait.open:
        return
    graph.met.update(_CLOSED)
    wait.open = False
    wait.ended_at = ts
    del wait.owner.open_waits[wait.position]
    same_id = wait.owner.open_wait_ids[wait.id]
    same_id.remove(wait)
    if not same_id:
        del wait.owner.open_wait_ids[wait.id]
    if wait.on is not None:
        _forget_target(graph, wait)
    _changed(graph, wait)


def close_of_id(graph: GraphState, node: Node, wait_id: str) -> None:
    """Closes every open wait of the node with that id (E87, E98)."""
    for wait in list(node.open_wait_ids.get(wait_id, ())):
        close(graph, wait, graph.ts)


def close_on(graph: GraphState, target: Node, *, explicit_only: bool) -> None:
    """Closes the open waits on a node, of any node (E54, E63)."""
    for wait in list(graph.open_waits_on.get(target.ref, ())):
        if not (explicit_only and wait.spawn):
            close(graph, wait, graph.ts)


def point(graph: GraphState, wait: Wait, on: str | None) -> None:
    """Lets a spawn wait follow its request's child (E97)."""
    if wait.on == on:
        return
    graph.met.add(97)
    if wait.open and wait.on is not None:
        _forget_target(graph, wait)
    wait.on = on
    if wait.open and on is not None:
        graph.open_waits_on.setdefault(on, {})[wait] = None
    _changed(graph, wait)


def target_changed(graph: GraphState, target: Node) -> None:
    """To be called when a node was made, or finished, or came back (E101, E109)."""
    for wait in graph.open_waits_on.get(target.ref, ()):
        if target.state in FINISHED:
            graph.met.add(101)
        if wait.owner.state not in FINISHED:
            _follow(graph, wait)


def waiter_changed(graph: GraphState, waiter: Node) -> None:
    """To be called when a node finished or came back: a finished one's waits count for nothing (E116, E118)."""
    for wait in waiter.open_waits.values():
        _follow(graph, wait)


def _changed(graph: GraphState, wait: Wait) -> None:
    graph.touched_parts["wait", wait.owner, wait.position] = None
    _follow(graph, wait)


def _forget_target(graph: GraphState, wait: Wait) -> None:
    assert wait.on is not None
    on_it = graph.open_waits_on[wait.on]
    del on_it[wait]
    if not on_it:
        del graph.open_waits_on[wait.on]


def _follow(graph: GraphState, wait: Wait) -> None:
    """Brings up to date whether a wait counts, and where it leads (E109)."""
    owner, on = wait.owner, wait.on
    target = graph.nodes.get(on) if on is not None else None
    counts = wait.open and owner.state not in FINISHED and (target is None or target.state not in FINISHED)
    if owner.awaited is None:
        owner.awaited = Awaited()
    if counts:
        owner.awaited.put(wait.position, on)
    else:
        owner.awaited.drop(wait.position)
    graph.waiters[owner] = None
    edge = target if counts else None
    if edge is wait.edge:
        return
    if wait.edge is not None:
        _unlink(graph, owner, wait.edge)
    if edge is not None:
        _link(graph, owner, edge)
    wait.edge = edge
    graph.touched_parts["waits_on", owner, wait.position] = None


def _link(graph: GraphState, owner: Node, target: Node) -> None:
    number = owner.edges.get(target, 0)
    owner.edges[target] = number + 1
    if number == 0:
        target.waited_by[owner] = None
        graph.wait_edges += 1
        graph.turn((owner, target, True), True)
        tree.mark_waiting(owner)


def _unlink(graph: GraphState, owner: Node, target: Node) -> None:
    number = owner.edges[target] - 1
    if number > 0:
        owner.edges[target] = number
        return
    del owner.edges[target], target.waited_by[owner]
    graph.wait_edges -= 1
    graph.turn((owner, target, True), False)
    tree.unmark_waiting(owner)
