"""Rows as REST shows them (R36, R40, R43, R57)."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from operator import itemgetter
from typing import Any, Final, TypeAlias

import orjson
from msgspec import UNSET, Raw, Struct

from app.domain.differences import blocked
from app.domain.ids import GRAPH_PREFIX, event_id, node_id
from app.domain.payloads import shown_payload, shown_source
from app.services.event_pages import EventRow
from app.services.graph_at import GraphAt, PartKind, Row

Shown: TypeAlias = dict[str, Any]
Expanded: TypeAlias = Any
"""What is expanded: nodes, lists or parts."""


def as_of_event_id(at: GraphAt) -> str | None:
    """The event that everything of a moment is just after (R24)."""
    return _event(at.moment.event)


async def shown_graph(at: GraphAt, origin: str) -> Shown:
    """A graph; its counts are the moment's, the rest is of now (R36)."""
    info = at.info
    return {
        "id": info.id,
        "object": "graph",
        "as_of_event_id": as_of_event_id(at),
        "source": info.source,
        "url": f"{origin}/l/{info.id.removeprefix(GRAPH_PREFIX)}",
        "created": info.created,
        "last_event": info.last_event,
        "retention": {
            "first_event_id": _event(info.first_event_id),
            "last_event_id": _event(info.last_event_id),
            "first_event_created": info.first_event_created,
            "last_event_created": info.last_event_created,
            "event_count": info.event_count,
        },
        "counts": await at.counts(),
    }


class TaskCounts(Struct, gc=False):
    """How many tasks a node has, by status (R41)."""

    total: int
    pending: int
    in_progress: int
    completed: int
    open: int


class ShownNode(Struct, gc=False):
    """A node: all of its members (R40), and what is expanded of it (R48), which is left out where it is not set.

    A struct, since a dict takes twice as long to make; it is no part of any cycle.
    """

    id: str
    object: str
    as_of_event_id: str | None
    graph_id: str
    provider_ref: str
    provider: str
    kind: str
    parent_id: str | None
    root_id: str
    session_id: str
    requested_by_id: str | None
    depth: int
    state: str
    stale: bool
    attention: str | None
    title: str | None
    summary: str | None
    headline: str | None
    purpose: str | None
    agent_type: str | None
    background: bool | None
    link_method: str | None
    spawn_call_id: str | None
    cwd: str | None
    created: int
    ended: int | None
    last_event: int
    child_count: int
    descendant_count: int
    background_agent_count: int
    task_counts: TaskCounts
    blocked: Shown | None
    parent: Expanded = UNSET
    root: Expanded = UNSET
    session: Expanded = UNSET
    requested_by: Expanded = UNSET
    children: Expanded = UNSET
    descendants: Expanded = UNSET
    tasks: Expanded = UNSET
    spawns: Expanded = UNSET
    waits: Expanded = UNSET
    messages: Expanded = UNSET


_members = itemgetter(
    "ref", "parent", "root", "session", "requested_by", "tasks_pending", "tasks_in_progress", "blocked_node_count", "provider", "kind",
    "depth", "state", "stale", "attention", "title", "summary", "headline", "purpose", "agent_type", "background", "link_method",
    "spawn_call_id", "cwd", "created", "ended", "last_event", "child_count", "descendant_count", "background_agent_count", "tasks_total",
    "tasks_completed",
)  # fmt: skip


def shown_node(row: Row, graph_id: str, as_of: str | None) -> ShownNode:
    """A node, nothing expanded (R40)."""
    (
        ref, parent, root, session, requested_by, pending, in_progress, waits, provider, kind, depth, state, stale, attention, title,
        summary, headline, purpose, agent_type, background, link_method, spawn_call_id, cwd, created, ended, last_event, child_count,
        descendant_count, background_agents, total, completed,
    ) = _members(row)  # fmt: skip
    return ShownNode(
        node_id(ref), "node", as_of, graph_id, ref, provider, kind, None if parent is None else node_id(parent), node_id(root),
        node_id(session), None if requested_by is None else node_id(requested_by), depth, state, stale, attention, title, summary,
        headline, purpose, agent_type, background, link_method, spawn_call_id, cwd, created, ended, last_event, child_count,
        descendant_count, background_agents, TaskCounts(total, pending, in_progress, completed, pending + in_progress),
        None if waits is None else blocked(row),
    )  # fmt: skip


def shown_event(row: EventRow, graph_id: str) -> Shown:
    """An event (R57) with what it changed, which is stored as it is shown (R62-R65)."""
    envelope: dict[str, Any] = orjson.loads(row["line"])
    return {
        "id": event_id(row["id"]),
        "object": "event",
        "type": row["type"],
        "created": row["time_ms"],
        "graph_id": graph_id,
        "node_id": node_id(row["ref"]),
        "source": shown_source(envelope)._asdict(),
        "payload": shown_payload(envelope),
        "changes": Raw(row["changes"]),
    }


def _task(row: Row, there: Container[str]) -> Shown:
    return {"id": row["id"], "text": row["text"], "active_text": row["active_text"], "status": row["status"]}


def _spawn(row: Row, there: Container[str]) -> Shown:
    names = ("call_id", "kind", "agent_type", "purpose", "background", "run", "title", "returned", "requested")
    return {name: row[name] for name in names} | {"child_id": _node(row["child"])}


def _wait(row: Row, there: Container[str]) -> Shown:
    return {name: row[name] for name in ("id", "kind", "reason", "open", "started", "ended")} | {"on_id": _node(row["on"])}


def _message(row: Row, there: Container[str]) -> Shown:
    peer = row["peer"]
    return {
        "id": row["id"],
        "direction": row["direction"],
        "peer_id": node_id(peer) if peer in there else None,
        "peer_name": None if peer in there else peer,
        "reply_to_message_id": row["reply_to"],
        "summary": row["summary"],
        "body": row["body"],
        "created": row["created"],
    }


PARTS: Final[Mapping[str, tuple[PartKind, Callable[[Row, Container[str]], Shown]]]] = {
    "tasks": ("task", _task),
    "spawns": ("spawn", _spawn),
    "waits": ("wait", _wait),
    "messages": ("message", _message),
}
"""A node's parts (R43): which rows, and how one is shown, given the refs of those its peers that are nodes."""


def _event(own_id: str | None) -> str | None:
    return None if own_id is None else event_id(own_id)


def _node(ref: str | None) -> str | None:
    return None if ref is None else node_id(ref)
