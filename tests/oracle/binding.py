"""Binding a child to the request it came from: E59-E61, E89-E95, and what happens to requests when calls are over (E77-E80)."""

from __future__ import annotations

from tests.oracle.world import Cause, Node, Request, World, lies_below, move, session_part


def requests_of(world: World, part: str) -> list[tuple[Node, Request]]:
    """Every request made by a node whose session part is `part`."""
    return [(node, request) for node in world.nodes.values() if session_part(node.ref) == part for request in node.spawns]


def bind(world: World, requester: str, call_id: str, child: str, cause: Cause) -> bool:
    """E89: binds a request to a child; False if it was refused."""
    maker, node = world.nodes[requester], world.nodes[child]
    if child == requester or lies_below(world, requester, child):
        return False
    request = maker.request(call_id)
    if request is None:
        return False
    displaced = None
    if request.child is not None and request.child != child:
        displaced = world.nodes.get(request.child)
        if displaced is not None:
            displaced.spawn_call_id = displaced.requested_by = None
    if node.bound and (node.spawn_call_id, node.requested_by) != (call_id, requester):
        _release(world, node, request)
    request.child = child
    for wait in maker.spawn_waits(call_id):
        wait.on = child
        world.met(97)
    node.spawn_call_id, node.requested_by = call_id, requester
    if request.purpose is not None:
        world.met(91, node.purpose is not None and node.purpose != request.purpose)
        node.purpose = request.purpose
    if node.agent_type is None:
        node.agent_type = request.agent_type
    node.background = request.background
    move(world, child, requester, cause)
    world.met(89)
    world.met(92, request.returned)
    world.met(95, any(other is not request and other.child == child for each in world.nodes.values() for other in each.spawns))
    if displaced is not None and not displaced.bound:
        world.met(90)
        guess(world, displaced, cause)
    return True


def _release(world: World, node: Node, new: Request) -> None:
    """E89 step 4: the request `node` was bound to lets it go, if it still has it."""
    assert node.spawn_call_id is not None
    for maker in world.nodes.values():
        if node.requested_by not in (None, maker.ref):
            continue
        old = maker.request(node.spawn_call_id)
        if old is not None and old is not new and old.child == node.ref:
            old.child = None
            for wait in maker.spawn_waits(old.call_id):
                wait.on = None
            world.met(61)


def guess(world: World, node: Node, cause: Cause) -> None:
    """E60: binds an unbound agent to the request that most likely started it."""
    if node.bound:
        return
    free = [
        (maker, request)
        for maker, request in requests_of(world, session_part(node.ref))
        if request.kind == "agent" and request.child is None and not request.returned
    ]
    candidates = [(maker, request) for maker, request in free if request.title is None]
    world.met(51, len(candidates) < len(free))
    candidates.sort(key=lambda pair: (pair[1].requested, pair[0].ref, pair[1].call_id))
    same_type = [pair for pair in candidates if pair[1].agent_type is not None and pair[1].agent_type == node.agent_type]
    untyped = [pair for pair in candidates if pair[1].agent_type is None]
    only = candidates if len(candidates) == 1 else []
    for maker, request in (same_type or untyped or only)[:1]:
        world.met(60)
        bind(world, maker.ref, request.call_id, node.ref, cause)


def calls_over(world: World, node: Node, ts: str) -> bool:
    """E77-E80: every foreground call the node made to start a child counts as returned; True if that changed anything."""
    stopped, node.stop_mark = node.stop_mark, False
    changed = False
    for request in node.spawns:
        if request.returned:
            continue
        if request.background:
            world.met(79)
            continue
        if request.title is not None:
            world.met(80)
            continue
        request.returned = changed = True
        world.met(77)
        child = world.nodes.get(request.child) if request.child is not None else None
        if request.kind == "agent" and child is not None and not child.finished:
            child.state, child.ended = "canceled" if stopped else "completed", ts
            world.met(78)
        for wait in node.spawn_waits(request.call_id):
            if wait.open:
                wait.open, wait.ended = False, ts
                world.met(99)
    return changed
