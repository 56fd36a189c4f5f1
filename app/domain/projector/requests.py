"""Requests to start a child, and binding a child to the one it came from (E85-E95, E60)."""

from __future__ import annotations

from sortedcontainers import SortedDict

from app.domain.projector import tree, waits
from app.domain.projector.graph import GraphState, OldestFirst
from app.domain.projector.payload import Data
from app.domain.projector.state import Node, Spawn
from app.domain.times import event_ns


def record(graph: GraphState, node: Node, data: Data) -> Spawn | None:
    """Adds the request of a `spawn.requested` (E85); None if the node has one with this call id (E86)."""
    call_id = data["call_id"]
    if call_id in node.spawns_by_call:
        return None
    graph.met |= {85, 86}
    spawn = Spawn(
        owner=node,
        position=len(node.spawns),
        call_id=call_id,
        kind=data["kind"],
        agent_type=data["agent_type"],
        purpose=data["purpose"],
        title=data["title"],
        background=data["background"],
        run=data["run"],
        requested_at=graph.ts,
    )
    adopt(graph, spawn)
    if not spawn.background:
        if spawn.title is not None:
            graph.met.add(80)
        spawn.wait = waits.open_wait(graph, node, call_id, None, spawn.purpose, spawn=True)
    return spawn


def adopt(graph: GraphState, spawn: Spawn) -> None:
    """Enters a request in its node's lists and the graph's indexes."""
    node = spawn.owner
    node.spawns.append(spawn)
    node.spawns_by_call[spawn.call_id] = spawn
    requesters = graph.requesters.setdefault(spawn.call_id, [])
    if node.ref not in requesters:
        requesters.append(node.ref)
    _changed(graph, spawn)


def returned(graph: GraphState, spawn: Spawn) -> None:
    """The request has returned (E78, E87)."""
    spawn.returned = True
    _changed(graph, spawn)


def bind(graph: GraphState, requester: Node, call_id: str, child: Node) -> bool:
    """Binds a request to a child (E89). False if that is refused or there is no such request."""
    if tree.is_below_or_same(requester, child):
        return False
    spawn = requester.spawns_by_call.get(call_id)
    if spawn is None:
        return False
    graph.met |= {89, 95}
    displaced = graph.nodes.get(spawn.child) if spawn.child is not None and spawn.child != child.ref else None
    if displaced is not None:
        graph.met |= {61, 90}
        displaced.spawn_call_id = displaced.requested_by = None
        graph.touched[displaced] = None
    if child.bound and (child.spawn_call_id, child.requested_by) != (call_id, requester.ref):
        _release(graph, child, spawn)
    spawn.child = child.ref
    _changed(graph, spawn)
    if spawn.wait is not None:
        waits.point(graph, spawn.wait, child.ref)
    child.spawn_call_id, child.requested_by = call_id, requester.ref
    if spawn.purpose is not None:
        child.purpose = spawn.purpose
    if child.agent_type is None:
        child.agent_type = spawn.agent_type
    else:
        graph.met.add(91)
    child.background = spawn.background
    graph.touched[child] = None
    tree.move(graph, child, requester.ref)
    if displaced is not None and not displaced.bound:
        guess(graph, displaced)
    return True


def _release(graph: GraphState, child: Node, taken: Spawn) -> None:
    """Frees the request that a child was bound to, if it still lists the child (E89, step 4)."""
    call_id = child.spawn_call_id
    assert call_id is not None
    owners = [child.requested_by] if child.requested_by is not None else graph.requesters.get(call_id, [])
    for ref in owners:
        owner = graph.nodes.get(ref)
        spawn = owner.spawns_by_call.get(call_id) if owner is not None else None
        if spawn is None or spawn is taken or spawn.child != child.ref:
            continue
        spawn.child = None
        _changed(graph, spawn)
        if spawn.wait is not None:
            waits.point(graph, spawn.wait, None)


def guess(graph: GraphState, node: Node) -> None:
    """Guesses which request started an unbound node (E60); if binding is refused no other is tried."""
    by_type = graph.agent_requests.get(node.session_part)
    spawn = _guessed(by_type, node.agent_type) if by_type else None
    if spawn is not None:
        graph.met.add(60)
        bind(graph, spawn.owner, spawn.call_id, node)


def _guessed(by_type: dict[str | None, OldestFirst], agent_type: str | None) -> Spawn | None:
    chosen = by_type.get(agent_type) if agent_type is not None else None
    chosen = chosen or by_type.get(None)
    if not chosen and len(by_type) == 1:
        (only,) = by_type.values()
        chosen = only if len(only) == 1 else None
    if not chosen:
        return None
    spawn: Spawn = chosen.peekitem(0)[1]
    return spawn


def _changed(graph: GraphState, spawn: Spawn) -> None:
    """Brings the indexes up to date with a request's child and whether it has returned."""
    node = spawn.owner
    graph.touched_parts["spawn", node, spawn.position] = None
    if not spawn.background and spawn.title is None and not spawn.returned:
        node.open_calls[spawn.call_id] = spawn
        tree.calls_changed(node)
    elif node.open_calls.pop(spawn.call_id, None) is not None:
        tree.calls_changed(node)
    free = spawn.child is None
    if spawn.title is not None:
        suggested, place = graph.suggestions.setdefault(spawn.title, SortedDict()), (event_ns(spawn.requested_at), node.ref, spawn.call_id)
        if free:
            suggested[place] = spawn
        else:
            suggested.pop(place, None)
    elif spawn.kind == "agent":
        _list_agent_request(graph, spawn, free and not spawn.returned)
    else:
        listed = graph.session_requests.setdefault(node.session_part, {})
        if free and (spawn.background or not spawn.returned):
            listed[spawn] = None
        else:
            listed.pop(spawn, None)


def _list_agent_request(graph: GraphState, spawn: Spawn, free: bool) -> None:
    by_type = graph.agent_requests.setdefault(spawn.owner.session_part, {})
    listed = by_type.setdefault(spawn.agent_type, SortedDict())
    if free:
        listed[spawn.order] = spawn
    else:
        listed.pop(spawn.order, None)
    if not listed:
        del by_type[spawn.agent_type]
