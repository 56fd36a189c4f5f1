"""What every event does (E21-E30), and which rules follow for its type."""

from __future__ import annotations

from typing import Any

from tests.oracle import effects, sessions
from tests.oracle.binding import calls_over
from tests.oracle.pairing import pair_suggested
from tests.oracle.payloads import FINISHED, read_data
from tests.oracle.times import SECOND, time_of, within
from tests.oracle.world import Cause, Node, World, is_agent, make, move, session_part, upper_ref

Event = dict[str, Any]
Data = dict[str, Any]

MARKS = ("Plan mode", "Turn stopped")


def apply(world: World, event: Event) -> None:
    """Applies one event to the state, in the order of section 5."""
    ref, kind, ts, data = event["node"], event["type"], event["ts"], read_data(event)
    cause = Cause(ts, (event.get("source") or {}).get("provider") or "", ref)
    if kind == "agent.finished" and data is not None and is_agent(ref) and ref not in world.nodes and data["background"] is not False:
        make(world, upper_ref(ref), cause).background_agents += 1
        world.met(22)
        return
    world.met(20, ref in world.placeholders and world.nodes[ref].created != ts)
    node = make(world, ref, cause)
    new_run = kind == "session.started" and data is not None and _is_new_run(world, node, data)
    world.met(24, new_run)
    parent = event.get("parent")
    if parent is not None:
        if node.bound and not new_run:
            world.met(93, node.parent != parent)
        else:
            before = node.parent
            move(world, ref, parent, cause)
            world.met(25, node.parent != before)
    world.met(26, node.last_event != ts)
    node.last_event = ts
    _approvals_and_marks(world, node, kind, data, ts)
    if node.state == "input_required" and not _leaves_a_question(node, kind, data, ts):
        node.state, node.attention = "working", None
        world.met(29)
    if data is None:
        return
    whole = True
    if kind == "session.started":
        sessions.start(world, node, data, cause, parent, new_run)
    elif kind == "status":
        whole = status(world, node, data, cause)
    else:
        effects.apply_effect(world, node, kind, data, cause)
    if kind in ("session.started", "status") and data["title"] is not None and whole:
        world.met(30)
        pair_suggested(world, node, cause)


def _is_new_run(world: World, node: Node, data: Data) -> bool:
    """E24."""
    if node.finished:
        return True
    known, now = node.process, data["process"]
    return node.ref in world.started and known is not None and now is not None and known != now


def _approvals_and_marks(world: World, node: Node, kind: str, data: Data | None, ts: str) -> None:
    """E27 and E28."""
    if kind != "activity" or data is None:
        world.met(27, node.approvals.pop("", None) is not None)
        return
    label = data["label"]
    if data["may_ask"]:
        node.approvals[label or ""] = ts
        return
    world.met(27, node.approvals.pop(label or "", None) is not None)
    if data["tool"] == "Plan mode":
        node.plan_mark = True
        world.met(28)
    if data["tool"] == "Turn stopped" and label is None:
        node.stop_mark = True
        world.met(28)


def _leaves_a_question(node: Node, kind: str, data: Data | None, ts: str) -> bool:
    """E29: the events that do not answer."""
    if data is None:
        return False
    if kind == "activity":
        return data["may_ask"] or data["tool"] in MARKS
    if kind in ("tasks.updated", "task.upserted", "task.deleted"):
        return within(node.question_time, ts, 2)
    return kind == "status"


def status(world: World, node: Node, data: Data, cause: Cause) -> bool:
    """E67-E76; False if the effect was cut short by E71 or E74."""
    ts, state, summary, turn_end = cause.ts, data["state"], data["summary"], data["turn_end"]
    if state == "idle" and node.plan_mark:
        state, summary, turn_end = "input_required", "Plan ready for your review", True
        world.met(67)
    if state == "idle" or state in FINISHED or turn_end:
        world.met(68, node.plan_mark or bool(node.approvals))
        node.plan_mark = False
        node.approvals.clear()
    end = world.ended.get(session_part(node.ref))
    if end is not None:
        late = time_of(ts) < end.time + 2 * SECOND and state not in FINISHED and (not end.quick or state == "idle")
        world.met(70 if late else 72)
        if late:
            world.met(71)
            if not node.finished:
                node.state, node.ended = "canceled", end.ts
                calls_over(world, node, end.ts)
            return False
    world.met(69)
    if state == "idle" and node.state == "input_required" and within(node.question_time, ts, 2):
        world.met(74)
        calls_over(world, node, ts)
        return False
    if state == "idle" or state in FINISHED:
        calls_over(world, node, ts)
    node.question_time = ts if state == "input_required" and turn_end else None
    world.met(73, node.question_time is not None)
    world.met(65, is_agent(node.ref) and node.finished and state not in FINISHED)
    node.state = state
    if data["title"] is not None:
        node.title = data["title"]
    if state == "input_required":
        node.attention = summary
    else:
        node.attention = None
        if summary is not None:
            node.summary = summary
    node.ended = ts if state in FINISHED else None
    world.met(75)
    world.met(76, state in FINISHED and _something_goes_on(world, node))
    return True


def _something_goes_on(world: World, node: Node) -> bool:
    below = any(not world.nodes[child].finished for child in node.children)
    return below or any(wait.open and wait.on == node.ref for other in world.nodes.values() for wait in other.waits)
