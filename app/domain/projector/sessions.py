"""Sessions: their start and links (E35-E42), and their end (E52-E57)."""

from __future__ import annotations

from collections import deque

from app.domain.projector import calls, pairing, tree, waits
from app.domain.projector.graph import GraphState
from app.domain.projector.payload import Data
from app.domain.projector.state import End, Node
from app.domain.times import NS_PER_S

QUICK_NS = 2 * NS_PER_S


def is_new_run(graph: GraphState, node: Node, data: Data) -> bool:
    """Whether a `session.started` begins a new run (E24)."""
    process = data["process"]
    restarted_elsewhere = node.ref in graph.started and node.process is not None and process is not None and process != node.process
    return node.finished or restarted_elsewhere


def started(graph: GraphState, node: Node, data: Data, parent: str | None, new_run: bool) -> None:
    """`session.started` (E35-E41)."""
    graph.met |= {35, 36}
    if node.kind == "agent":
        graph.met.add(42)
    first = node.ref not in graph.started
    if data["cwd"] is not None:
        node.cwd = data["cwd"]
    if data["title"] is not None:
        node.title = data["title"]
    if node.finished:
        tree.set_state(graph, node, "idle")
        node.ended = None
    graph.ended.pop(node.ref, None)
    graph.started[node.ref] = graph.time_ns
    linked = _link(graph, node, data, parent, new_run)
    if data["process"] is not None:
        graph.met.add(39)
        node.process = data["process"]
        graph.processes[data["process"]] = node.ref
    if new_run and linked and node.bound:
        graph.met.add(40)
        node.spawn_call_id = node.requested_by = None
    if node.parent is not None and not node.bound and (first or (new_run and linked)):
        graph.met.add(41)
        pairing.look_for_request(graph, node)


def _link(graph: GraphState, node: Node, data: Data, parent: str | None, new_run: bool) -> bool:
    if parent is not None:
        if node.parent is None or node.parent.ref != parent:
            return False
        graph.met.add(37)
        node.link_method = data["link_method"] if data["link_method"] is not None else "env"
        return True
    if node.parent is not None and not new_run:
        return False
    found = next((graph.processes[process] for process in data["ancestors"] if process in graph.processes), None)
    if found is None or tree.is_below_or_same(graph.nodes[found], node):
        return False
    graph.met.add(38)
    tree.move(graph, node, found)
    node.link_method = "process"
    return True


def ended(graph: GraphState, node: Node) -> None:
    """`session.ended` (E52-E57)."""
    graph.met |= {52, 53, 57}
    node.approvals.clear()
    node.plan_mark = False
    if not node.finished:
        tree.set_state(graph, node, "completed")
    node.ended = graph.ts
    start = graph.started.get(node.ref)
    graph.ended[node.ref] = End(graph.time_ns, graph.ts, start is not None and graph.time_ns - start < QUICK_NS)
    if node.ref in graph.open_waits_on:
        graph.met.add(54)
        waits.close_on(graph, node, explicit_only=False)
    if node.kind == "agent":
        graph.met.add(66)
    _end_agents(graph, node)
    if node.open_calls:
        graph.met.add(56)
    calls.calls_over(graph, node, graph.ts)


def _end_agents(graph: GraphState, node: Node) -> None:
    """Its agents end with it, breadth first; sessions that it started go on (E55). Those with nothing left to end are passed by."""
    queue = deque([node])
    while queue:
        above = queue.popleft()
        for agent in sorted(above.pending_children.values(), key=lambda child: child.placed):
            graph.met.add(55)
            if not agent.finished:
                tree.set_state(graph, agent, "canceled")
                agent.ended = graph.ts
            queue.append(agent)
            calls.calls_over(graph, agent, graph.ts)
