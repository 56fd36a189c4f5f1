"""Agents: how they start, are requested, return and finish (E22, E58-E65, E85-E88)."""

from __future__ import annotations

from app.domain.projector import calls, pairing, requests, tree, waits
from app.domain.projector.graph import GraphState
from app.domain.projector.payload import Data
from app.domain.projector.state import Node


def count_unannounced(graph: GraphState, ref: str) -> None:
    """An agent that nobody announced has finished: it is counted at the node above, and is no node (E22)."""
    graph.met.add(22)
    upper = tree.ensure(graph, ref[: ref.rindex("/")])
    upper.background_agent_count += 1
    graph.touched[upper] = None


def spawned(graph: GraphState, node: Node, data: Data) -> None:
    """`agent.spawned` (E58-E60)."""
    graph.met.add(58)
    if data["agent_type"] is not None:
        node.agent_type = data["agent_type"]
    if data["purpose"] is not None:
        node.purpose = data["purpose"]
    if data["background"] is not None:
        node.background = data["background"]
    if not node.finished:
        tree.set_state(graph, node, "working")
    if data["call_id"] is not None and node.parent is not None:
        graph.met.add(59)
        requests.bind(graph, node.parent, data["call_id"], node)
    if not node.bound:
        requests.guess(graph, node)


def finished(graph: GraphState, node: Node, data: Data) -> None:
    """`agent.finished` about a node that is there (E62-E64)."""
    graph.met.add(62)
    tree.set_state(graph, node, data["status"])
    if data["summary"] is not None:
        node.summary = data["summary"]
    node.ended = graph.ts
    if node.ref in graph.open_waits_on:
        graph.met.add(63)
        waits.close_on(graph, node, explicit_only=True)
    graph.met.add(64)
    calls.calls_over(graph, node, graph.ts)


def requested(graph: GraphState, node: Node, data: Data) -> None:
    """`spawn.requested` (E85)."""
    spawn = requests.record(graph, node, data)
    if spawn is not None and spawn.kind == "session":
        pairing.pair_waiting_starts(graph, spawn)


def returned(graph: GraphState, node: Node, data: Data) -> None:
    """`spawn.returned` (E87, E88). The child's state does not change (E94)."""
    graph.met |= {87, 94}
    call_id, child_ref = data["call_id"], data["child"]
    waits.close_of_id(graph, node, call_id)
    spawn = node.spawns_by_call.get(call_id)
    if spawn is not None:
        graph.met.add(92)
        requests.returned(graph, spawn)
    if child_ref is None:
        return
    graph.met.add(88)
    child = tree.ensure(graph, child_ref)
    if spawn is not None:
        requests.bind(graph, node, call_id, child)
    else:
        tree.move(graph, child, node.ref)
