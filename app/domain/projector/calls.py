"""A node's turn or life has ended, so every foreground call it made to start a child counts as returned (E77-E80)."""

from __future__ import annotations

from app.domain.projector import requests, tree, waits
from app.domain.projector.graph import GraphState
from app.domain.projector.state import Node


def calls_over(graph: GraphState, node: Node, ts: str) -> None:
    """Node's calls are over as of `ts` (E78). Nothing else of the children changes (E79)."""
    stopped = node.stop_mark
    node.stop_mark = False
    if node.open_calls:
        graph.met |= {77, 78, 79}
    for spawn in list(node.open_calls.values()):
        requests.returned(graph, spawn)
        child = graph.nodes.get(spawn.child) if spawn.kind == "agent" and spawn.child is not None else None
        if child is not None and not child.finished:
            tree.set_state(graph, child, "canceled" if stopped else "completed")
            child.ended = ts
        if spawn.wait is not None:
            waits.close(graph, spawn.wait, ts)
    tree.calls_changed(node)
