"""Sessions: start, links, new runs (E35-E42), and the end (E52-E57)."""

from __future__ import annotations

from typing import Any

from tests.oracle.binding import calls_over
from tests.oracle.pairing import pair, remember_unpaired
from tests.oracle.times import SECOND, time_of
from tests.oracle.world import Cause, Ended, Node, World, is_agent, lies_below, move


def start(world: World, node: Node, data: dict[str, Any], cause: Cause, parent: str | None, new_run: bool) -> None:
    """E35-E42: a readable `session.started`; `parent` is the one its envelope names."""
    world.met(42, is_agent(node.ref))
    world.met(35, data["cwd"] is not None or data["title"] is not None)
    node.cwd = node.cwd if data["cwd"] is None else data["cwd"]
    node.title = node.title if data["title"] is None else data["title"]
    if node.finished:
        node.state, node.ended = "idle", None
        world.met(36)
    first = node.ref not in world.started
    world.ended.pop(node.ref, None)
    world.started[node.ref] = time_of(cause.ts)
    if parent is not None:
        linked = node.parent == parent
        if linked:
            node.link_method = "env" if data["link_method"] is None else data["link_method"]
            world.met(37)
    else:
        linked = (node.parent is None or new_run) and _link_by_process(world, node, data["ancestors"], cause)
    if data["process"] is not None:
        node.process = data["process"]
        world.processes[data["process"]] = node.ref
        world.met(39)
    if new_run and linked:
        world.met(40, node.bound)
        node.spawn_call_id = node.requested_by = None
    if node.parent is not None and not node.bound and (first or (new_run and linked)):
        world.met(41)
        pair(world, node, cause.ts, cause)
        if not node.bound:
            remember_unpaired(world, node, cause.ts)


def _link_by_process(world: World, node: Node, ancestors: list[str], cause: Cause) -> bool:
    """E38: under the session of the nearest ancestor process that is remembered."""
    candidate = next((world.processes[process] for process in ancestors if process in world.processes), None)
    if candidate is None or candidate == node.ref or lies_below(world, candidate, node.ref):
        return False
    move(world, node.ref, candidate, cause)
    node.link_method = "process"
    world.met(38)
    return True


def end(world: World, node: Node, ts: str) -> None:
    """E52-E57: a readable `session.ended`."""
    world.met(66, is_agent(node.ref))
    world.met(52)
    node.approvals.clear()
    node.plan_mark = False
    if not node.finished:
        node.state = "completed"
    node.ended = ts
    quick = node.ref in world.started and time_of(ts) - world.started[node.ref] < 2 * SECOND
    world.ended[node.ref] = Ended(time_of(ts), ts, quick)
    world.met(53, quick)
    for other in world.nodes.values():
        for wait in other.waits:
            if wait.open and wait.on == node.ref:
                wait.open, wait.ended = False, ts
                world.met(54)
                world.met(99)
    queue = list(node.children)
    while queue:
        below = world.nodes[queue.pop(0)]
        if not is_agent(below.ref):
            continue
        if not below.finished:
            below.state, below.ended = "canceled", ts
            world.met(55)
            world.met(57, below.attention is not None)
        calls_over(world, below, ts)
        queue.extend(below.children)
    world.met(56, calls_over(world, node, ts))
    world.met(57, any(wait.open for wait in node.waits) or any(request.background and not request.returned for request in node.spawns))
