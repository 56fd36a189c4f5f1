"""The projector's rows in the form in which the oracle shows a state, so that the two can be compared."""

from __future__ import annotations

from typing import Any

from app.domain.changes import task_counts
from app.domain.history import State
from app.domain.rows import Cell, NodeRow
from app.domain.shown import ASKING, ASKING_ATTENTION, is_probably_asking, is_stale
from app.domain.times import rfc_3339

_HIDDEN = ("created_text", "placed", "active_ns", "asking_ns")
_STALE_AFTER_NS = 1_800_000_000_000
_PARTS = {"task": "tasks", "spawn": "spawns", "wait": "waits", "message": "messages"}


def shown_nodes(now: dict[Cell, State], time_ns: int) -> dict[str, dict[str, Any]]:
    """Ref -> what the oracle's `state_after` gives for it, from rows alone, judged at `time_ns`."""
    rows = {cell.ref: state.row for cell, state in now.items() if cell.kind == "node"}
    nodes = {ref: _node(ref, row, time_ns) for ref, row in rows.items() if isinstance(row, NodeRow)}
    for ref, row in sorted(rows.items(), key=lambda item: _start(item[1])):  # type: ignore[arg-type]
        if row.parent is not None:  # type: ignore[union-attr]
            nodes[row.parent]["children"].append(ref)  # type: ignore[union-attr]
    for cell, state in sorted(now.items(), key=lambda item: item[0].position):
        if cell.kind in _PARTS:
            part = state.row._asdict()
            if cell.kind == "message":
                peer = part.pop("peer")
                part["peer"], part["peer_name"] = (peer, None) if peer in nodes else (None, peer)
                part["reply_to_message_id"] = part.pop("reply_to")
            nodes[cell.ref][_PARTS[cell.kind]].append(part)
    return nodes


def _start(row: NodeRow) -> tuple[str, int]:
    return rfc_3339(row.created) if row.created_text is None else row.created_text, row.placed


def _node(ref: str, row: NodeRow, time_ns: int) -> dict[str, Any]:
    node = {name: value for name, value in row._asdict().items() if name not in _HIDDEN and not name.startswith(("tasks_", "blocked_"))}
    if is_probably_asking(row.asking_ns, time_ns):
        node["state"], node["attention"] = ASKING, ASKING_ATTENTION
    blocked = None
    if row.blocked_on is not None:
        blocked = {
            "on": list(row.blocked_on),
            "starting": row.blocked_starting,
            "node_count": row.blocked_node_count,
            "open_tasks": row.blocked_open_tasks,
            "cycle": row.blocked_cycle,
        }
    return {
        **node,
        "ref": ref,
        "stale": is_stale(node["state"], blocked is not None, row.active_ns, time_ns, _STALE_AFTER_NS),
        "task_counts": task_counts(row),
        "blocked": blocked,
        "children": [],
        "tasks": [],
        "spawns": [],
        "waits": [],
        "messages": [],
    }
