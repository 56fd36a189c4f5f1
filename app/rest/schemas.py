"""What answers hold, as JSON Schema (R4, R32, R36, R40, R43, R56, R57)."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from app.rest.errors import CATALOGUE
from app.rest.operations import STATES

Schema: TypeAlias = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "integer"}
FLAG: Final[Schema] = {"type": "boolean"}
TIME: Final[Schema] = {"type": "integer", "format": "int64", "description": "Unix milliseconds."}
URI: Final[Schema] = {"type": "string", "format": "uri"}


def const(value: str) -> Schema:
    """Always this text."""
    return {"type": "string", "const": value}


def one_of(*words: str) -> Schema:
    """One of these texts."""
    return {"type": "string", "enum": list(words)}


def ref(name: str) -> Schema:
    """A named schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def items(name: str) -> Schema:
    """A list of a named schema."""
    return {"type": "array", "items": ref(name)}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}


def record(members: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """An object with these members, all there but the optional ones."""
    return {"type": "object", "required": list(members), "properties": members | (optional or {})}


def listed(name: str, as_of: Schema) -> Schema:
    """A list's envelope (R32)."""
    return record({"object": const("list"), "url": TEXT, "as_of_event_id": as_of, "has_more": FLAG, "data": items(name)})


def _texts(*names: str) -> dict[str, Schema]:
    return dict.fromkeys(names, nullable(TEXT))


SCHEMAS: Final[dict[str, Schema]] = {
    "NodeState": one_of(*STATES),
    "NodeKind": one_of("session", "agent"),
    "Graph": record(
        {
            "id": TEXT,
            "object": const("graph"),
            "as_of_event_id": nullable(TEXT),
            "source": one_of("watch", "paste", "upload"),
            "url": URI,
            "created": TIME,
            "last_event": TIME,
            "retention": ref("Retention"),
            "counts": ref("GraphCounts"),
        }
    ),
    "Retention": record(
        {
            **_texts("first_event_id", "last_event_id"),
            "first_event_created": nullable(TIME),
            "last_event_created": nullable(TIME),
            "event_count": NUMBER,
        }
    ),
    "GraphCounts": record(
        {
            **dict.fromkeys(("nodes", "sessions", "agents", "stale", "blocked"), NUMBER),
            "by_state": record(dict.fromkeys(STATES, NUMBER)),
        }
    ),
    "Node": record(
        {
            "id": TEXT,
            "object": const("node"),
            "as_of_event_id": TEXT,
            "graph_id": TEXT,
            "provider_ref": TEXT,
            "provider": TEXT,
            "kind": ref("NodeKind"),
            "parent_id": nullable(TEXT),
            "root_id": TEXT,
            "session_id": TEXT,
            "requested_by_id": nullable(TEXT),
            "depth": {**NUMBER, "minimum": 0},
            "state": ref("NodeState"),
            "stale": FLAG,
            **_texts("attention", "title", "summary", "headline", "purpose", "agent_type"),
            "background": nullable(FLAG),
            **_texts("link_method", "spawn_call_id", "cwd"),
            "created": TIME,
            "ended": nullable(TIME),
            "last_event": TIME,
            **dict.fromkeys(("child_count", "descendant_count", "background_agent_count"), NUMBER),
            "task_counts": ref("TaskCounts"),
            "blocked": nullable(ref("Blocked")),
        },
        {
            **dict.fromkeys(("parent", "root", "session", "requested_by"), ref("Node")),
            **dict.fromkeys(("children", "descendants"), ref("NodeList")),
            "tasks": items("Task"),
            "spawns": items("Spawn"),
            "waits": items("Wait"),
            "messages": items("Message"),
        },
    ),
    "TaskCounts": record(dict.fromkeys(("total", "pending", "in_progress", "completed", "open"), NUMBER)),
    "Blocked": record(
        {
            "on_ids": {"type": "array", "items": TEXT},
            **dict.fromkeys(("starting", "node_count", "open_tasks"), NUMBER),
            "cycle": FLAG,
        },
        {"on": items("Node")},
    ),
    "Task": record({"id": TEXT, "text": TEXT, "active_text": nullable(TEXT), "status": one_of("pending", "in_progress", "completed")}),
    "Spawn": record(
        {
            "call_id": TEXT,
            "kind": one_of("agent", "session"),
            **_texts("agent_type", "purpose"),
            "background": FLAG,
            "run": nullable(FLAG),
            **_texts("title", "child_id"),
            "returned": FLAG,
            "requested": TIME,
        }
    ),
    "Wait": record(
        {
            "id": TEXT,
            "kind": one_of("spawn", "explicit"),
            **_texts("on_id", "reason"),
            "open": FLAG,
            "started": TIME,
            "ended": nullable(TIME),
        }
    ),
    "Message": record(
        {
            "id": TEXT,
            "direction": one_of("sent", "received"),
            **_texts("peer_id", "peer_name", "reply_to_message_id", "summary", "body"),
            "created": TIME,
        }
    ),
    "Event": record(
        {
            "id": TEXT,
            "object": const("event"),
            "type": {**TEXT, "description": "As sent, known or not."},
            "created": TIME,
            "graph_id": TEXT,
            "node_id": TEXT,
            "source": ref("EventSource"),
            "payload": {"type": "object", "additionalProperties": True},
            "changes": items("NodeChange"),
        },
        {"node": ref("Node")},
    ),
    "EventSource": record({"provider": TEXT, **_texts("provider_version", "adapter")}),
    "NodeChange": record(
        {"node_id": TEXT, "created": FLAG, "fields": {"type": "object", "additionalProperties": ref("FieldChange")}},
    ),
    "FieldChange": record({"from": {}, "to": {}}),
    "GraphList": listed("Graph", {"type": "null"}),
    "NodeList": listed("Node", nullable(TEXT)),
    "EventList": listed("Event", nullable(TEXT)),
    "NodeSearchResult": record(
        {
            "object": const("search_result"),
            "url": TEXT,
            "as_of_event_id": nullable(TEXT),
            "has_more": FLAG,
            "next_page": nullable(TEXT),
            "total_count": NUMBER,
            "data": items("Node"),
        }
    ),
    "Error": record(
        {
            "error": record(
                {
                    "type": one_of(*dict.fromkeys(kind.type for kind in CATALOGUE.values())),
                    "code": {**TEXT, "examples": list(CATALOGUE)},
                    "message": TEXT,
                    "param": nullable(TEXT),
                    "doc_url": URI,
                },
                {"first_event_id": TEXT, "last_event_id": TEXT},
            )
        }
    ),
}
"""By name."""
