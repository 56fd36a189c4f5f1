"""Rows as REST shows them (R36, R40, R43, R57)."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any, Final, TypeAlias

import orjson

from app.domain.differences import blocked
from app.domain.ids import GRAPH_PREFIX, event_id, node_id
from app.domain.payloads import shown_payload, shown_source
from app.services.event_pages import EventRow
from app.services.graph_at import GraphAt, PartKind, Row

Shown: TypeAlias = dict[str, Any]


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


def shown_node(row: Row, graph_id: str, as_of: str | None) -> Shown:
    """A node: all of its members, nothing expanded (R40)."""
    parent, requested_by = row["parent"], row["requested_by"]
    return {
        "id": node_id(row["ref"]),
        "object": "node",
        "as_of_event_id": as_of,
        "graph_id": graph_id,
        "provider_ref": row["ref"],
        "provider": row["provider"],
        "kind": row["kind"],
        "parent_id": None if parent is None else node_id(parent),
        "root_id": node_id(row["root"]),
        "session_id": node_id(row["session"]),
        "requested_by_id": None if requested_by is None else node_id(requested_by),
        "depth": row["depth"],
        "state": row["state"],
        "stale": row["stale"],
        "attention": row["attention"],
        "title": row["title"],
        "summary": row["summary"],
        "headline": row["headline"],
        "purpose": row["purpose"],
        "agent_type": row["agent_type"],
        "background": row["background"],
        "link_method": row["link_method"],
        "spawn_call_id": row["spawn_call_id"],
        "cwd": row["cwd"],
        "created": row["created"],
        "ended": row["ended"],
        "last_event": row["last_event"],
        "child_count": row["child_count"],
        "descendant_count": row["descendant_count"],
        "background_agent_count": row["background_agent_count"],
        "task_counts": {
            "total": row["tasks_total"],
            "pending": row["tasks_pending"],
            "in_progress": row["tasks_in_progress"],
            "completed": row["tasks_completed"],
            "open": row["tasks_pending"] + row["tasks_in_progress"],
        },
        "blocked": None if row["blocked_node_count"] is None else blocked(row),
    }


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
        "changes": orjson.Fragment(row["changes"]),
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
