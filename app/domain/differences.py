"""What differs between two states of a node as they are shown (R63, R64), whatever happened in between (Q12)."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from app.domain.forest import ShownRow
from app.domain.ids import node_id
from app.domain.rows import NodeRow

_MEMBERS = NodeRow._fields
_TASKS, _BLOCKED, _HIDDEN = (_MEMBERS.index(name) for name in ("tasks_total", "blocked_on", "created_text"))
_REFS = frozenset(("parent", "root", "session", "requested_by"))
_PLAIN = _MEMBERS[:_TASKS]
_shown = itemgetter(*_MEMBERS[:_HIDDEN])
_COUNTED = frozenset(("child_count", "descendant_count", *_MEMBERS[_BLOCKED:_HIDDEN]))
_OWN = tuple(name for name in _MEMBERS[:_HIDDEN] if name not in _COUNTED)

FROM_OTHERS = frozenset(("child_count", "descendant_count", "blocked"))
"""Members of a change that tell what others did: alone they are no entry of a node's history (Q11)."""


def differ(old: ShownRow, new: ShownRow) -> bool:
    """Whether anything that is compared differs."""
    return bool(_shown(old) != _shown(new))


def own_members(old: ShownRow, new: ShownRow) -> set[str]:
    """Members of the rows that differ, but for what others did."""
    return {name for name in _OWN if old[name] != new[name]}


def fields(old: ShownRow | None, new: ShownRow | None) -> dict[str, dict[str, Any]]:
    """Each member that differs with REST's name and values, in R40's order.

    Of a node that is new, or gone, every member that is not null.
    """
    before, after = _members(old), _members(new)
    names = after if old is None else before
    return {name: {"from": before.get(name), "to": after.get(name)} for name in names if before.get(name) != after.get(name)}


def _members(row: ShownRow | None) -> Mapping[str, Any]:
    if row is None:
        return {}
    found: dict[str, Any] = {}
    for name in _PLAIN:
        value = row[name]
        if name in _REFS:
            found[f"{name}_id"] = value and node_id(value)
        else:
            found[name] = value
    pending, in_progress = row["tasks_pending"], row["tasks_in_progress"]
    found["task_counts"] = {
        "total": row["tasks_total"], "pending": pending, "in_progress": in_progress, "completed": row["tasks_completed"],
        "open": pending + in_progress,
    }  # fmt: skip
    found["blocked"] = None if row["blocked_on"] is None else blocked(row)
    return found


def blocked(row: ShownRow) -> dict[str, Any]:
    """What stands in the way of a node that something does, in REST's form (R42)."""
    return {
        "on_ids": [node_id(ref) for ref in row["blocked_on"]],
        "starting": row["blocked_starting"],
        "node_count": row["blocked_node_count"],
        "open_tasks": row["blocked_open_tasks"],
        "cycle": row["blocked_cycle"],
    }
