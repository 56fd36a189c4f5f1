"""What differs between two states of a node, as the public API shows it (E137, R62-R65)."""

from __future__ import annotations

from typing import Any

from app.domain.ids import node_id
from app.domain.rows import NodeRow
from app.domain.shown import ASKING, ASKING_ATTENTION, is_probably_asking

_MEMBERS = NodeRow._fields
_STATE, _ATTENTION = _MEMBERS.index("state"), _MEMBERS.index("attention")
_TASKS, _BLOCKED, _HIDDEN = _MEMBERS.index("tasks_total"), _MEMBERS.index("blocked_on"), _MEMBERS.index("created_text")
_REFS = frozenset({"parent", "root", "session", "requested_by"})

_PLAIN = tuple((at, f"{name}_id" if name in _REFS else name, name in _REFS) for at, name in enumerate(_MEMBERS[:_TASKS]))


def field_changes(old: NodeRow | None, new: NodeRow, old_ns: int, new_ns: int) -> dict[str, dict[str, Any]]:
    """Members that differ, in R40's order, each as `{"from": ..., "to": ...}` with REST's values.

    `old` is judged at `old_ns`, `new` at `new_ns` (Unix ns). Without `old` the node is new: every member that is not null, from null (R64).
    """
    fields: dict[str, dict[str, Any]] = {}
    asks = is_probably_asking(new.asking_ns, new_ns)
    asked = old is not None and is_probably_asking(old.asking_ns, old_ns)
    for at, name, is_ref in _PLAIN:
        before, after = None if old is None else old[at], new[at]
        if asked or asks:
            if at == _STATE:
                before, after = ASKING if asked else before, ASKING if asks else after
            elif at == _ATTENTION:
                before, after = ASKING_ATTENTION if asked else before, ASKING_ATTENTION if asks else after
        if before != after:
            if is_ref:
                before, after = before and node_id(before), after and node_id(after)
            fields[name] = {"from": before, "to": after}
    if old is None or old[_TASKS:_BLOCKED] != new[_TASKS:_BLOCKED]:
        fields["task_counts"] = {"from": None if old is None else task_counts(old), "to": task_counts(new)}
    if new[_BLOCKED:_HIDDEN] != (None,) * 5 if old is None else old[_BLOCKED:_HIDDEN] != new[_BLOCKED:_HIDDEN]:
        fields["blocked"] = {"from": None if old is None else blocked(old), "to": blocked(new)}
    return fields


def task_counts(row: NodeRow) -> dict[str, int]:
    """`task_counts` as REST shows it (E111)."""
    return {
        "total": row.tasks_total,
        "pending": row.tasks_pending,
        "in_progress": row.tasks_in_progress,
        "completed": row.tasks_completed,
        "open": row.tasks_pending + row.tasks_in_progress,
    }


def blocked(row: NodeRow) -> dict[str, Any] | None:
    """`blocked` as REST shows it (R42)."""
    if row.blocked_on is None:
        return None
    return {
        "on_ids": [node_id(ref) for ref in row.blocked_on],
        "starting": row.blocked_starting,
        "node_count": row.blocked_node_count,
        "open_tasks": row.blocked_open_tasks,
        "cycle": row.blocked_cycle,
    }
