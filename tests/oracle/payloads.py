"""E5, E6, E8: an event's data with its defaults, or nothing where it can not be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TASK_STATUSES = ("pending", "in_progress", "completed")
FINISHED = ("completed", "failed", "canceled")
STATES = ("working", "input_required", "idle", *FINISHED)

Check = Callable[[Any], bool]
REQUIRED = object()


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_boolean(value: Any) -> bool:
    return isinstance(value, bool)


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(is_text(item) for item in value)


def one_of(*words: str) -> Check:
    return lambda value: isinstance(value, str) and value in words


def optional(check: Check) -> tuple[Check, Any]:
    return lambda value: value is None or check(value), None


def required(check: Check) -> tuple[Check, Any]:
    return check, REQUIRED


TEXT = optional(is_text)

TASK = {"id": required(is_text), "text": required(is_text), "active_text": TEXT, "status": required(one_of(*TASK_STATUSES))}


def is_tasks(value: Any) -> bool:
    return isinstance(value, list) and all(read_fields(TASK, item) is not None for item in value)


FIELDS: dict[str, dict[str, tuple[Check, Any]]] = {
    "session.started": {
        **dict.fromkeys(("cwd", "source", "title", "transcript_path", "link_method", "process"), TEXT),
        "ancestors": (is_texts, []),
    },
    "session.ended": {"reason": TEXT},
    "agent.spawned": {**dict.fromkeys(("agent_type", "purpose", "call_id"), TEXT), "background": optional(is_boolean)},
    "agent.finished": {"status": (one_of(*FINISHED), "completed"), "summary": TEXT, "background": optional(is_boolean)},
    "status": {"state": required(one_of(*STATES)), "summary": TEXT, "title": TEXT, "turn_end": (is_boolean, False)},
    "tasks.updated": {"items": (is_tasks, [])},
    "task.upserted": {"id": required(is_text), "text": TEXT, "active_text": TEXT, "status": optional(one_of(*TASK_STATUSES))},
    "task.deleted": {"id": required(is_text)},
    "spawn.requested": {
        "call_id": required(is_text),
        "kind": (one_of("agent", "session"), "agent"),
        **dict.fromkeys(("agent_type", "purpose", "title"), TEXT),
        "background": (is_boolean, False),
        "run": optional(is_boolean),
    },
    "spawn.returned": {"call_id": required(is_text), "child": TEXT, "outcome": TEXT},
    "wait.started": {"wait_id": required(is_text), "on": required(is_text), "reason": TEXT},
    "wait.ended": {"wait_id": required(is_text), "outcome": TEXT},
    "message.sent": {"message_id": required(is_text), "to": required(is_text), "reply_to": TEXT, "summary": TEXT, "body": TEXT},
    "activity": {"tool": required(is_text), "label": TEXT, "may_ask": (is_boolean, False)},
    "keyframe": {"part": required(is_count), "parts": required(is_count), "text": required(is_text), "restart": (is_boolean, False)},
}


def read_fields(fields: dict[str, tuple[Check, Any]], value: Any) -> dict[str, Any] | None:
    """The listed fields of `value`, absent ones at their default; None if one is missing or does not fit."""
    if not isinstance(value, dict):
        return None
    found = {}
    for name, (check, default) in fields.items():
        if name not in value:
            if default is REQUIRED:
                return None
            found[name] = default
        elif check(value[name]):
            found[name] = value[name]
        else:
            return None
    return found


def read_data(event: dict[str, Any]) -> dict[str, Any] | None:
    """The data of an event; None if its type is unknown (E7) or its data unreadable (E6)."""
    fields = FIELDS.get(event["type"])
    data = event.get("data")
    return None if fields is None else read_fields(fields, {} if data is None else data)
