"""What every event does (section 5 of the event rules), and which rules its own type then follows."""

from __future__ import annotations

from collections.abc import Callable

from app.domain.envelope import Event
from app.domain.projector import agents, messages, pairing, sessions, statuses, tasks, tree, waits
from app.domain.projector.graph import GraphState
from app.domain.projector.payload import Data, read_payload
from app.domain.projector.state import Node

_TASK_EVENTS = frozenset({"tasks.updated", "task.upserted", "task.deleted"})
_ASKING_TOOLS = frozenset({"Plan mode", "Turn stopped"})


def carry_out(graph: GraphState, event: Event) -> None:
    """Applies one event that is no keyframe to the state (E22-E30)."""
    data = read_payload(event.type, event.data)
    type = event.type if data is not None else None
    if type == "agent.finished" and "/" in event.node and event.node not in graph.nodes:
        assert data is not None
        if data["background"] is not False:
            agents.count_unannounced(graph, event.node)
            return
    node = tree.ensure(graph, event.node)
    graph.touched[node] = None
    graph.met |= {20, 23, 26}
    new_run = False
    if type == "session.started":
        assert data is not None
        new_run = sessions.is_new_run(graph, node, data)
        if new_run:
            graph.met.add(24)
    if event.parent is not None:
        if not node.bound or new_run:
            graph.met.add(25)
            tree.move(graph, node, event.parent)
        else:
            graph.met.add(93)
    node.last_event = event.ts
    _note_approvals(graph, node, type, data)
    _answer(graph, node, type, data)
    if type is not None and data is not None:
        _own_effect(graph, node, event, type, data, new_run)
    node.note_asking()


def _note_approvals(graph: GraphState, node: Node, type: str | None, data: Data | None) -> None:
    """Open approvals (E27) and marks (E28)."""
    if type != "activity" or data is None:
        node.approvals.pop("", None)
        return
    label = data["label"]
    if data["may_ask"]:
        graph.met.add(27)
        node.approvals["" if label is None else label] = graph.ts
        return
    node.approvals.pop("" if label is None else label, None)
    if data["tool"] == "Plan mode":
        graph.met.add(28)
        node.plan_mark = True
    elif data["tool"] == "Turn stopped" and label is None:
        graph.met.add(28)
        node.stop_mark = True
        tree.calls_changed(node)


def _answer(graph: GraphState, node: Node, type: str | None, data: Data | None) -> None:
    """A node that asks goes on working, unless the event is none that answers (E29)."""
    if node.state != "input_required" or type == "status":
        return
    if type == "activity" and data is not None and (data["may_ask"] or data["tool"] in _ASKING_TOOLS):
        return
    if type in _TASK_EVENTS and statuses.is_question_near(graph, node):
        return
    graph.met.add(29)
    tree.set_state(graph, node, "working")
    node.attention = None


def _own_effect(graph: GraphState, node: Node, event: Event, type: str, data: Data, new_run: bool) -> None:
    graph.met.add(30)
    if type == "session.started":
        sessions.started(graph, node, data, event.parent, new_run)
        pairing.answer_suggestion(graph, node, data["title"])
    elif type == "status":
        if statuses.status(graph, node, data):
            pairing.answer_suggestion(graph, node, data["title"])
    else:
        _EFFECTS[type](graph, node, data)


def _activity(graph: GraphState, node: Node, data: Data) -> None:
    graph.met |= {107, 108}


def _wait_started(graph: GraphState, node: Node, data: Data) -> None:
    if not waits.has_open(node, data["wait_id"]):
        graph.met.add(96)
        waits.open_wait(graph, node, data["wait_id"], data["on"], data["reason"], spawn=False)


def _wait_ended(graph: GraphState, node: Node, data: Data) -> None:
    graph.met.add(98)
    waits.close_of_id(graph, node, data["wait_id"])


def _session_ended(graph: GraphState, node: Node, data: Data) -> None:
    sessions.ended(graph, node)


_EFFECTS: dict[str, Callable[[GraphState, Node, Data], None]] = {
    "session.ended": _session_ended,
    "agent.spawned": agents.spawned,
    "agent.finished": agents.finished,
    "tasks.updated": tasks.updated,
    "task.upserted": tasks.upserted,
    "task.deleted": tasks.deleted,
    "spawn.requested": agents.requested,
    "spawn.returned": agents.returned,
    "wait.started": _wait_started,
    "wait.ended": _wait_ended,
    "message.sent": messages.sent,
    "activity": _activity,
}
