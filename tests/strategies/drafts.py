"""Drafts: events that have everything but their final id and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.strategies import vocabulary as words
from tests.strategies.vocabulary import Cast, Choices, chance, maybe

Data = dict[str, Any]

KINDS = (
    *["session.started"] * 12,
    *["session.ended"] * 5,
    *["agent.spawned"] * 13,
    *["agent.finished"] * 6,
    *["status"] * 18,
    *["tasks.updated"] * 3,
    *["task.upserted"] * 4,
    *["task.deleted"] * 2,
    *["spawn.requested"] * 18,
    *["spawn.returned"] * 7,
    *["wait.started"] * 7,
    *["wait.ended"] * 2,
    *["message.sent"] * 6,
    *["activity"] * 9,
    *["unknown", "agent.dreamt"],
)
TIME_FORMS = ("milliseconds",) * 12 + ("seconds", "short", "micro", "nano", "long", "space", "zero offset", "no zone")
ODD_TIME_FORMS = ("offset", "offset west", "leap second", "words", "empty", "no such day", "no such hour")
UNREADABLE: tuple[Any, ...] = (
    *([], "text", 7, {"state": "sleeping"}, {"state": None, "turn_end": 1}, {"call_id": 3, "kind": "ship"}),
    *({"tool": None}, {"may_ask": None, "tool": "Bash"}, {"items": [{"id": "1"}]}, {"status": "done", "background": "no"}),
    *({"wait_id": "w1"}, {"message_id": "m1", "to": 4}, {"id": 9}, {"ancestors": None}, {"title": ["x"]}, {"agent_type": {}}),
)


@dataclass(frozen=True)
class Draft:
    """An event to be; `step` nanoseconds after the one before, its ts written as `time_form` says, its id in sequence or not."""

    kind: str
    node: str
    parent: str | None
    data: Any
    has_data: bool
    source: Any
    step: int
    time_form: str
    id_in_sequence: bool


def draw_draft(choices: Choices, cast: Cast) -> Draft:
    kind = choices.pick(KINDS)
    node = _subject(choices, cast, kind)
    data: Any = {name: value for name, value in _data(choices, cast, kind).items() if value is not None or chance(choices, 5)}
    has_data = True
    if chance(choices, 4):
        data = choices.pick(UNREADABLE)
    elif chance(choices, 2):
        data, has_data = None, chance(choices, 50)
    parent_percent = 35 if kind == "session.started" else 10
    parent = cast.any_ref(choices) if chance(choices, parent_percent) else None
    source: Any = {"provider": node.split(":", 1)[0], "adapter": "test@1"}
    if chance(choices, 10):
        source = choices.pick((None, {"provider": "acme", "provider_version": "2.0", "adapter": None}, {"provider": "codex"}))
    form = choices.pick(TIME_FORMS) if chance(choices, 15) else "milliseconds"
    if chance(choices, 2):
        form = choices.pick(ODD_TIME_FORMS)
    return Draft(kind, node, parent, data, has_data, source, choices.pick(words.STEPS), form, not chance(choices, 10))


def _subject(choices: Choices, cast: Cast, kind: str) -> str:
    """Mostly a node of the sort that such an event is about."""
    if kind.startswith("session."):
        return choices.pick(cast.sessions) if chance(choices, 92) else choices.pick(cast.agents)
    if kind.startswith("agent."):
        return choices.pick(cast.agents) if chance(choices, 95) else choices.pick(cast.sessions)
    return cast.any_ref(choices)


def _data(choices: Choices, cast: Cast, kind: str) -> Data:
    drawn = _NODE_DATA.get(kind) or _CALL_DATA.get(kind)
    return {"anything": 1} if drawn is None else drawn(choices, cast)


def _session_started(choices: Choices, cast: Cast) -> Data:
    return {
        "cwd": maybe(choices, ("/srv/net", "/srv/hull"), 30),
        "source": maybe(choices, ("startup", "resume"), 30),
        "title": maybe(choices, words.TITLES, 35),
        "link_method": maybe(choices, ("run", "env"), 20),
        "process": maybe(choices, words.PROCESSES, 60),
        "ancestors": [choices.pick(words.PROCESSES) for _ in range(choices.pick((0, 0, 1, 1, 2)))],
    }


def _session_ended(choices: Choices, cast: Cast) -> Data:
    return {"reason": maybe(choices, ("exit", "clear"))}


def _agent_spawned(choices: Choices, cast: Cast) -> Data:
    return {
        "agent_type": maybe(choices, words.TYPES, 50),
        "purpose": maybe(choices, words.PURPOSES, 30),
        "call_id": maybe(choices, words.CALLS, 20),
        "background": maybe(choices, (True, False), 20),
    }


def _agent_finished(choices: Choices, cast: Cast) -> Data:
    data: Data = {"summary": maybe(choices, words.SUMMARIES), "background": maybe(choices, (True, False, False))}
    if chance(choices, 60):
        data["status"] = choices.pick(words.STATES[3:])
    return data


def _status(choices: Choices, cast: Cast) -> Data:
    data: Data = {
        "state": choices.pick((*words.STATES, "idle", "idle", "working", "input_required")),
        "summary": maybe(choices, words.SUMMARIES, 40),
        "title": maybe(choices, words.TITLES, 30),
    }
    if chance(choices, 50):
        data["turn_end"] = chance(choices, 70)
    return data


def _task(choices: Choices) -> Data:
    return {
        "id": choices.pick(words.TASK_IDS),
        "text": choices.pick(("Trim the wick", "Fill the oil")),
        "active_text": maybe(choices, ("Trimming", "")),
        "status": choices.pick(words.TASK_STATUSES),
    }


def _tasks_updated(choices: Choices, cast: Cast) -> Data:
    return {"items": [_task(choices) for _ in range(choices.pick((0, 1, 2, 3)))]}


def _task_upserted(choices: Choices, cast: Cast) -> Data:
    drawn = _task(choices)
    return {name: value for name, value in drawn.items() if name == "id" or chance(choices, 50)}


def _task_deleted(choices: Choices, cast: Cast) -> Data:
    return {"id": choices.pick(words.TASK_IDS)}


def _activity(choices: Choices, cast: Cast) -> Data:
    if chance(choices, 30):
        return {"tool": choices.pick(("Plan mode", "Turn stopped", "Turn stopped")), "label": maybe(choices, words.LABELS, 15)}
    data: Data = {"tool": "Bash", "label": maybe(choices, words.LABELS)}
    if chance(choices, 60):
        data["may_ask"] = chance(choices, 75)
    return data


def _spawn_requested(choices: Choices, cast: Cast) -> Data:
    data: Data = {
        "call_id": choices.pick(words.CALLS),
        "agent_type": maybe(choices, words.TYPES),
        "purpose": maybe(choices, words.PURPOSES),
        "title": maybe(choices, words.TITLES, 20),
        "run": maybe(choices, (True, False), 25),
    }
    if chance(choices, 60):
        data["kind"] = choices.pick(("agent", "session", "session"))
    if chance(choices, 50):
        data["background"] = chance(choices, 60)
    return data


def _spawn_returned(choices: Choices, cast: Cast) -> Data:
    child = cast.any_ref(choices) if chance(choices, 50) else None
    return {"call_id": choices.pick(words.CALLS), "child": child, "outcome": maybe(choices, ("ok",), 20)}


def _wait_started(choices: Choices, cast: Cast) -> Data:
    on = "acme:never-seen" if chance(choices, 5) else cast.any_ref(choices)
    return {"wait_id": choices.pick(words.WAITS), "on": on, "reason": maybe(choices, ("the build", ""))}


def _wait_ended(choices: Choices, cast: Cast) -> Data:
    return {"wait_id": choices.pick(words.WAITS), "outcome": maybe(choices, ("ok",), 20)}


def _message_sent(choices: Choices, cast: Cast) -> Data:
    to = cast.any_ref(choices) if chance(choices, 55) else choices.pick((*words.AGENT_NAMES, "the human"))
    return {
        "message_id": choices.pick(words.MESSAGES),
        "to": to,
        "reply_to": maybe(choices, words.MESSAGES, 30),
        "summary": maybe(choices, words.SUMMARIES),
        "body": maybe(choices, ("Half of the pages are read.",)),
    }


_NODE_DATA = {
    "session.started": _session_started,
    "session.ended": _session_ended,
    "agent.spawned": _agent_spawned,
    "agent.finished": _agent_finished,
    "status": _status,
    "tasks.updated": _tasks_updated,
    "task.upserted": _task_upserted,
    "task.deleted": _task_deleted,
    "activity": _activity,
}
_CALL_DATA = {
    "spawn.requested": _spawn_requested,
    "spawn.returned": _spawn_returned,
    "wait.started": _wait_started,
    "wait.ended": _wait_ended,
    "message.sent": _message_sent,
}
