"""Reading the data of events (E5-E8): a field of the wrong type makes the whole of it unreadable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Data = dict[str, Any]
_Check = Callable[[Any], bool]


class _Field:
    """One row of the table under E8. `null`: null is the same as absence; else `required`, or a default that null does not stand for."""

    __slots__ = ("check", "default", "name", "null", "required")

    def __init__(self, name: str, check: _Check, *, null: bool = False, required: bool = False, default: Any = None) -> None:
        self.name, self.check, self.null, self.required, self.default = name, check, null, required, default


def _is_string(value: Any) -> bool:
    return value.__class__ is str


def _is_boolean(value: Any) -> bool:
    return value is True or value is False


def _is_strings(value: Any) -> bool:
    return value.__class__ is list and all(item.__class__ is str for item in value)


def _one_of(*words: str) -> _Check:
    allowed = frozenset(words)
    return lambda value: value.__class__ is str and value in allowed


def _opt(name: str, check: _Check = _is_string) -> _Field:
    return _Field(name, check, null=True)


def _must(name: str, check: _Check = _is_string) -> _Field:
    return _Field(name, check, required=True)


def _default(name: str, check: _Check, default: Any) -> _Field:
    return _Field(name, check, default=default)


_is_task_status = _one_of("pending", "in_progress", "completed")
_TASK = (_must("id"), _must("text"), _opt("active_text"), _must("status", _is_task_status))


def _are_tasks(value: Any) -> bool:
    return value.__class__ is list and all(_read(_TASK, item) is not None for item in value)


_FIELDS: dict[str, tuple[_Field, ...]] = {
    "session.started": (
        _opt("cwd"),
        _opt("source"),
        _opt("title"),
        _opt("transcript_path"),
        _opt("link_method"),
        _opt("process"),
        _default("ancestors", _is_strings, ()),
    ),
    "session.ended": (_opt("reason"),),
    "agent.spawned": (_opt("agent_type"), _opt("purpose"), _opt("call_id"), _opt("background", _is_boolean)),
    "agent.finished": (
        _default("status", _one_of("completed", "failed", "canceled"), "completed"),
        _opt("summary"),
        _opt("background", _is_boolean),
    ),
    "status": (
        _must("state", _one_of("working", "input_required", "idle", "completed", "failed", "canceled")),
        _opt("summary"),
        _opt("title"),
        _default("turn_end", _is_boolean, False),
    ),
    "tasks.updated": (_default("items", _are_tasks, ()),),
    "task.upserted": (_must("id"), _opt("text"), _opt("active_text"), _opt("status", _is_task_status)),
    "task.deleted": (_must("id"),),
    "spawn.requested": (
        _must("call_id"),
        _default("kind", _one_of("agent", "session"), "agent"),
        _opt("agent_type"),
        _opt("purpose"),
        _opt("title"),
        _default("background", _is_boolean, False),
        _opt("run", _is_boolean),
    ),
    "spawn.returned": (_must("call_id"), _opt("child"), _opt("outcome")),
    "wait.started": (_must("wait_id"), _must("on"), _opt("reason")),
    "wait.ended": (_must("wait_id"), _opt("outcome")),
    "message.sent": (_must("message_id"), _must("to"), _opt("reply_to"), _opt("summary"), _opt("body")),
    "activity": (_must("tool"), _opt("label"), _default("may_ask", _is_boolean, False)),
}


def read_payload(type: str, data: Any) -> Data | None:
    """The fields of an event's data, absent ones as None or their default.

    None if the type is unknown or the data unreadable (E6, E7).
    """
    fields = _FIELDS.get(type)
    return None if fields is None else _read(fields, {} if data is None else data)


def _read(fields: tuple[_Field, ...], data: Any) -> Data | None:
    if data.__class__ is not dict:
        return None
    values: Data = {}
    for field in fields:
        name = field.name
        if name not in data:
            if field.required:
                return None
            values[name] = field.default
            continue
        value = data[name]
        if not field.check(value) and not (value is None and field.null):
            return None
        values[name] = value
    return values
