"""`status`: what a node says of itself (E67-E76)."""

from __future__ import annotations

from app.domain.projector import calls, tree
from app.domain.projector.graph import GraphState
from app.domain.projector.payload import Data
from app.domain.projector.sessions import QUICK_NS
from app.domain.projector.state import FINISHED, Node
from app.domain.times import NS_PER_S, read_ns

_QUESTION_WINDOW_NS = 2 * NS_PER_S
_PLAN_READY = "Plan ready for your review"


def is_question_near(graph: GraphState, node: Node) -> bool:
    """Whether the node's question time is within two seconds of this event, before or after (E29, E74)."""
    asked = read_ns(node.question_time) if node.question_time is not None else None
    now = read_ns(graph.ts)
    return asked is not None and now is not None and abs(now - asked) <= _QUESTION_WINDOW_NS


def status(graph: GraphState, node: Node, data: Data) -> bool:
    """Carries out a `status` (E67-E75). False if it was cut short, being late (E71) or met by a standing question (E74)."""
    state, summary, turn_end = data["state"], data["summary"], data["turn_end"]
    if state == "idle" and node.plan_mark:
        graph.met.add(67)
        state, summary, turn_end = "input_required", _PLAN_READY, True
    ends_turn = state == "idle" or state in FINISHED
    if ends_turn or turn_end:
        graph.met.add(68)
        node.plan_mark = False
        node.approvals.clear()
    end = graph.ended.get(node.session_part)
    if end is not None and graph.time_ns - end.time_ns < QUICK_NS and state not in FINISHED and (not end.quick or state == "idle"):
        graph.met |= {69, 70, 71}
        if not node.finished:
            tree.set_state(graph, node, "canceled")
            node.ended = end.ts
            calls.calls_over(graph, node, end.ts)
        return False
    if state == "idle" and node.state == "input_required" and is_question_near(graph, node):
        graph.met.add(74)
        calls.calls_over(graph, node, graph.ts)
        return False
    _take_effect(graph, node, state, summary, data["title"], turn_end, ends_turn)
    return True


def _take_effect(
    graph: GraphState, node: Node, state: str, summary: str | None, title: str | None, turn_end: bool, ends_turn: bool
) -> None:
    graph.met.add(75)
    if node.finished:
        graph.met |= {65, 72} if state not in FINISHED else {72}
    if ends_turn:
        calls.calls_over(graph, node, graph.ts)
    asks = state == "input_required"
    node.question_time = graph.ts if asks and turn_end else None
    if node.question_time is not None:
        graph.met.add(73)
    tree.set_state(graph, node, state)
    if title is not None:
        node.title = title
    node.attention = summary if asks else None
    if not asks and summary is not None:
        node.summary = summary
    if state in FINISHED:
        graph.met.add(76)
        node.ended = graph.ts
    else:
        node.ended = None
