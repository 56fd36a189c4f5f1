"""The reads that are timed: the operation, and how the same answer is made by hand from rows of the store.

Column names are the store's. Statements give rows as lists of the columns; what the rules decide by the clock is decided here too, or the
answers would not be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.domain.ids import node_id

Row: TypeAlias = list[Any]

_ASKING_AFTER_NS = 10_000_000_000
_STALE_AFTER_NS = 1_800_000_000_000
_STATES = {name: name.upper() for name in ("working", "input_required", "idle", "completed", "failed", "canceled")}
_KINDS = {"session": "SESSION", "agent": "AGENT"}
_ASKS = "May be waiting for your approval to run a command"

_CARD = "id providerRef kind state title headline purpose agentType parentId created lastEvent childCount"
_CARD_COLUMNS = (
    "ref", "kind", "state", "title", "headline", "purpose", "agent_type", "parent", "created", "last_event", "child_count", "asking_ns",
)  # fmt: skip
_ALL = (
    "id graphId providerRef provider kind parentId rootId sessionId requestedById depth state stale attention title summary headline "
    "purpose agentType background linkMethod spawnCallId cwd created ended lastEvent childCount descendantCount backgroundAgentCount "
    "taskCounts { total pending inProgress completed open } blocked { starting nodeCount openTasks cycle }"
)
_ALL_COLUMNS = (
    "ref", "provider", "kind", "parent", "root", "session", "requested_by", "depth", "state", "attention", "title", "summary", "headline",
    "purpose", "agent_type", "background", "link_method", "spawn_call_id", "cwd", "created", "ended", "last_event", "child_count",
    "descendant_count", "background_agent_count", "tasks_total", "tasks_pending", "tasks_in_progress", "tasks_completed",
    "blocked_starting", "blocked_node_count", "blocked_open_tasks", "blocked_cycle", "active_ns", "asking_ns",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Read:
    """An operation with the variables `id` and `asOf`, and its floor: columns of every node, and data from graph id, rows, time (ns).

    `tasks`: each row is followed by its node's tasks, as they are shown. `large`: of the tree of 25,001 nodes.
    """

    operation: str
    columns: Sequence[str]
    shape: Callable[[str, list[Row], int], dict[str, Any]]
    tasks: bool = False
    large: bool = False


def _card(row: Row, now_ns: int) -> dict[str, Any]:
    ref, kind, state, title, headline, purpose, agent_type, parent, created, last_event, child_count, asking = row[:12]
    if asking is not None and now_ns - asking >= _ASKING_AFTER_NS:
        state = "input_required"
    return {
        "id": node_id(ref), "providerRef": ref, "kind": _KINDS[kind], "state": _STATES[state], "title": title, "headline": headline,
        "purpose": purpose, "agentType": agent_type, "parentId": None if parent is None else node_id(parent), "created": created,
        "lastEvent": last_event, "childCount": child_count,
    }  # fmt: skip


def _all(graph_id: str, row: Row, now_ns: int) -> dict[str, Any]:
    (
        ref, provider, kind, parent, root, session, requested_by, depth, state, attention, title, summary, headline, purpose, agent_type,
        background, link_method, spawn_call_id, cwd, created, ended, last_event, child_count, descendant_count, background_agents, total,
        pending, running, done, starting, node_count, open_tasks, cycle, active, asking,
    ) = row  # fmt: skip
    if asking is not None and now_ns - asking >= _ASKING_AFTER_NS:
        state, attention = "input_required", _ASKS
    return {
        "id": node_id(ref), "graphId": graph_id, "providerRef": ref, "provider": provider, "kind": _KINDS[kind],
        "parentId": None if parent is None else node_id(parent), "rootId": node_id(root), "sessionId": node_id(session),
        "requestedById": None if requested_by is None else node_id(requested_by), "depth": depth, "state": _STATES[state],
        "stale": state == "working" and node_count is None and active is not None and now_ns - active > _STALE_AFTER_NS,
        "attention": attention, "title": title, "summary": summary, "headline": headline, "purpose": purpose, "agentType": agent_type,
        "background": background, "linkMethod": link_method, "spawnCallId": spawn_call_id, "cwd": cwd, "created": created, "ended": ended,
        "lastEvent": last_event, "childCount": child_count, "descendantCount": descendant_count, "backgroundAgentCount": background_agents,
        "taskCounts": {"total": total, "pending": pending, "inProgress": running, "completed": done, "open": pending + running},
        "blocked": None if node_count is None else {
            "starting": starting, "nodeCount": node_count, "openTasks": open_tasks, "cycle": cycle
        },
    }  # fmt: skip


def _newest_first(rows: list[Row], created: int) -> None:
    rows.sort(key=lambda row: row[0])
    rows.sort(key=lambda row: row[created], reverse=True)


def _flat_card(_graph_id: str, rows: list[Row], now_ns: int) -> dict[str, Any]:
    _newest_first(rows, 8)
    return {"graph": {"nodes": {"nodes": [_card(row, now_ns) for row in rows]}}}


def _flat_all(graph_id: str, rows: list[Row], now_ns: int) -> dict[str, Any]:
    _newest_first(rows, 19)
    return {"graph": {"nodes": {"nodes": [_all(graph_id, row, now_ns) for row in rows]}}}


_LEVELS = 4
_WIDTH = 16


def _tree_operation(fields: str) -> str:
    inside = fields
    for _ in range(_LEVELS - 1):
        inside = f"{fields} children(first: {_WIDTH}) {{ nodes {{ {inside} }} }}"
    return f"query($id: ID!, $asOf: AsOf) {{ graph(id: $id, asOf: $asOf) {{ roots(first: {_WIDTH}) {{ nodes {{ {inside} }} }} }} }}"


def _tree(_graph_id: str, rows: list[Row], now_ns: int) -> dict[str, Any]:
    rows.sort(key=lambda row: (row[8], row[12]))
    under: dict[str | None, list[dict[str, Any]]] = {}
    made = []
    for row in rows:
        node = _card(row, now_ns)
        under.setdefault(row[7], []).append(node)
        made.append((row[13], row[0], node))
    for depth, ref, node in made:
        if depth < _LEVELS - 1:
            node["children"] = {"nodes": under.get(ref, [])}
    return {"graph": {"roots": {"nodes": under.get(None, [])}}}


_TASKS = "tasks { taskId text activeText status }"


def _tree_all(graph_id: str, rows: list[Row], now_ns: int) -> dict[str, Any]:
    rows.sort(key=lambda row: (row[19], row[-2]))
    under: dict[str | None, list[dict[str, Any]]] = {}
    made = []
    for row in rows:
        node = _all(graph_id, row[:-2], now_ns)
        node["tasks"] = row[-1]
        under.setdefault(row[3], []).append(node)
        made.append((row[0], node))
    for ref, node in made:
        if node["depth"] < _LEVELS - 1:
            node["children"] = {"nodes": under.get(ref, [])}
    return {"graph": {"roots": {"nodes": under.get(None, [])}}}


def task(id: str, text: str, active_text: str | None, status: str) -> dict[str, Any]:
    """A task as `_TASKS` shows it."""
    return {"taskId": id, "text": text, "activeText": active_text, "status": status.upper()}


ROOT = "claude-code:tree"
"""The ref of the root of trees."""


def _below(_graph_id: str, rows: list[Row], now_ns: int) -> dict[str, Any]:
    rows.sort(key=lambda row: (row[8], row[12]))
    under: dict[str | None, list[Row]] = {}
    for row in rows:
        under.setdefault(row[7], []).append(row)
    nodes, waiting = [], list(reversed(under.get(ROOT, [])))
    while waiting:
        row = waiting.pop()
        nodes.append(_card(row, now_ns))
        waiting += reversed(under.get(row[0], []))
    return {"graph": {"node": {"descendants": {"nodes": nodes}}}}


_BELOW = (
    f'query($id: ID!, $asOf: AsOf) {{ graph(id: $id, asOf: $asOf) {{ node(ref: "{ROOT}") {{ '
    f"descendants(first: 25000) {{ nodes {{ {_CARD} }} }} }} }} }}"
)


def _flat_operation(fields: str) -> str:
    return f"query($id: ID!, $asOf: AsOf) {{ graph(id: $id, asOf: $asOf) {{ nodes(first: 1000) {{ nodes {{ {fields} }} }} }} }}"


READS = {
    "tree-1000x12": Read(_tree_operation(_CARD), (*_CARD_COLUMNS, "placed", "depth"), _tree),
    "flat-1000x12": Read(_flat_operation(_CARD), _CARD_COLUMNS, _flat_card),
    "flat-1000x30": Read(_flat_operation(_ALL), _ALL_COLUMNS, _flat_all),
    "tree-1000x30-tasks": Read(_tree_operation(f"{_ALL} {_TASKS}"), (*_ALL_COLUMNS, "placed"), _tree_all, tasks=True),
    "descendants-25000": Read(_BELOW, (*_CARD_COLUMNS, "placed"), _below, large=True),
}
