"""What differs between two states of a node, as the public API shows it (E137, R62-R65)."""

from __future__ import annotations

from itertools import compress
from operator import ne
from typing import Any

import orjson

from app.domain.ids import node_id
from app.domain.rows import NodeRow
from app.domain.shown import ASKING, ASKING_ATTENTION, is_probably_asking

_MEMBERS = NodeRow._fields
_TASKS, _BLOCKED, _HIDDEN = _MEMBERS.index("tasks_total"), _MEMBERS.index("blocked_on"), _MEMBERS.index("created_text")
_REFS = frozenset({"parent", "root", "session", "requested_by"})
_PLAIN = tuple((f"{name}_id" if name in _REFS else name, name in _REFS) for name in _MEMBERS[:_TASKS])
_PLACES = range(len(_PLAIN))
_NOTHING = (None,) * len(_PLAIN)


def change(
    id_text: bytes, old: NodeRow | None, new: NodeRow, old_ns: int, new_ns: int, old_blocked: bytes, new_blocked: bytes
) -> bytes | None:
    """A node's entry in a change list, as JSON (R62); None if it shows the same as before.

    Its members that differ, in R40's order, each as `{"from": ..., "to": ...}` with REST's values. `old` is judged at `old_ns`, `new` at
    `new_ns` (Unix ns). Without `old` the node is new: every member that is not null, from null (R64). `id_text` is its public id; the texts
    of `blocked` are those of `blocked_text`.
    """
    fields = _fields(old, new, old_ns, new_ns)
    if old_blocked != new_blocked:
        fields["blocked"] = {"from": orjson.Fragment(old_blocked), "to": orjson.Fragment(new_blocked)}
    if not fields:
        return None
    return b'{"node_id":"%b","created":%b,"fields":%b}' % (id_text, b"true" if old is None else b"false", orjson.dumps(fields))


def recount(id_text: bytes, old: NodeRow, new: NodeRow, old_blocked: bytes, new_blocked: bytes) -> bytes:
    """The same for a node of which nothing differs but the counts of nodes below it, `blocked`, or both."""
    fields = []
    if old.child_count != new.child_count:
        fields.append(b'"child_count":{"from":%d,"to":%d}' % (old.child_count, new.child_count))
    if old.descendant_count != new.descendant_count:
        fields.append(b'"descendant_count":{"from":%d,"to":%d}' % (old.descendant_count, new.descendant_count))
    if old_blocked != new_blocked:
        fields.append(b'"blocked":{"from":%b,"to":%b}' % (old_blocked, new_blocked))
    return b'{"node_id":"%b","created":false,"fields":{%b}}' % (id_text, b",".join(fields))


def blocked_text(blocked: tuple[tuple[str, ...], int, int, int, bool] | None, on_ids: bytes) -> bytes:
    """`blocked` as REST shows it, as JSON (R42), from a row's five members; `on_ids` are the items of its array of public ids."""
    if blocked is None:
        return b"null"
    _, starting, node_count, open_tasks, cycle = blocked
    return b'{"on_ids":[%b],"starting":%d,"node_count":%d,"open_tasks":%d,"cycle":%b}' % (
        on_ids,
        starting,
        node_count,
        open_tasks,
        b"true" if cycle else b"false",
    )


def task_counts(row: NodeRow) -> dict[str, int]:
    """`task_counts` as REST shows it (E111)."""
    return {
        "total": row.tasks_total,
        "pending": row.tasks_pending,
        "in_progress": row.tasks_in_progress,
        "completed": row.tasks_completed,
        "open": row.tasks_pending + row.tasks_in_progress,
    }


def _fields(old: NodeRow | None, new: NodeRow, old_ns: int, new_ns: int) -> dict[str, dict[str, Any]]:
    """All members but `blocked`."""
    fields: dict[str, dict[str, Any]] = {}
    before = _NOTHING if old is None else _as_shown(old, old_ns)
    after = _as_shown(new, new_ns)
    for at in compress(_PLACES, map(ne, before, after)):
        (name, is_ref), was, now = _PLAIN[at], before[at], after[at]
        if is_ref:
            was, now = was and node_id(was), now and node_id(now)
        fields[name] = {"from": was, "to": now}
    if old is None or old[_TASKS:_BLOCKED] != new[_TASKS:_BLOCKED]:
        fields["task_counts"] = {"from": None if old is None else task_counts(old), "to": task_counts(new)}
    return fields


def _as_shown(row: NodeRow, time_ns: int) -> NodeRow:
    """With what the clock decides at that time (E113)."""
    if is_probably_asking(row.asking_ns, time_ns):
        return row._replace(state=ASKING, attention=ASKING_ATTENTION)
    return row
