"""Keyframes: the stored state as JSON (E134), its checks (E135), and the packing of it into parts (E127, E128, E130)."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import fields
from typing import Any

from tests.oracle.payloads import (
    STATES,
    TASK_STATUSES,
    TEXT,
    Check,
    is_boolean,
    is_count,
    is_text,
    is_texts,
    one_of,
    optional,
    read_fields,
    required,
)
from tests.oracle.times import SECOND
from tests.oracle.world import Ended, Message, Node, Request, Task, Unpaired, Wait, World

Json = dict[str, Any]

PART_LENGTH = 196_608
MOST_PARTS = 2_048
MOST_BYTES = 64 * 1024 * 1024
NODE = "agent-graph:keyframe"


def list_of(item_fields: dict[str, tuple[Check, Any]]) -> Check:
    return lambda value: isinstance(value, list) and all(read_fields(item_fields, item) is not None for item in value)


def dict_of(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(check(item) for item in value.values())


BOOLEAN = optional(is_boolean)

TASK = {"id": required(is_text), "text": required(is_text), "active_text": TEXT, "status": required(one_of(*TASK_STATUSES))}
REQUEST = {
    "call_id": required(is_text),
    "kind": required(one_of("agent", "session")),
    **dict.fromkeys(("agent_type", "purpose", "title", "child"), TEXT),
    "background": required(is_boolean),
    "run": BOOLEAN,
    "returned": required(is_boolean),
    "requested_at": required(is_text),
}
WAIT = {
    "wait_id": required(is_text),
    "on": TEXT,
    "reason": TEXT,
    "open": required(is_boolean),
    "spawn": required(is_boolean),
    "started_at": required(is_text),
    "ended_at": TEXT,
}
MESSAGE = {
    "message_id": required(is_text),
    "direction": required(one_of("sent", "received")),
    "peer": required(is_text),
    **dict.fromkeys(("reply_to", "summary", "body"), TEXT),
    "ts": required(is_text),
}
NODE_FIELDS = {
    "id": required(is_text),
    "kind": required(one_of("session", "agent")),
    "provider": required(is_text),
    "children": required(is_texts),
    "state": required(one_of(*STATES)),
    "tasks": required(list_of(TASK)),
    "spawns": required(list_of(REQUEST)),
    "waits": required(list_of(WAIT)),
    "messages": required(list_of(MESSAGE)),
    "last_event_at": required(is_text),
    "open_tasks": required(is_count),
    "stale": required(is_boolean),
    **dict.fromkeys(("parent", "summary", "attention", "title", "cwd", "agent_type", "purpose", "spawned_by", "requested_by"), TEXT),
    **dict.fromkeys(("link", "process", "started_at", "ended_at", "asked_at"), TEXT),
    **dict.fromkeys(("background", "planning", "stopped"), BOOLEAN),
    "asking": optional(dict_of(is_text)),
    "background_agents": optional(is_count),
}
TIME = {"secs_since_epoch": required(is_count), "nanos_since_epoch": required(is_count)}


def is_time(value: Any) -> bool:
    return read_fields(TIME, value) is not None


def is_end(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and is_time(value[0]) and is_text(value[1]) and is_boolean(value[2])


def is_unpaired(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and is_time(value[0]) and is_text(value[1]) and is_texts(value[2])


STATE = {
    "nodes": required(dict_of(lambda node: read_fields(NODE_FIELDS, node) is not None)),
    "processes": required(dict_of(is_text)),
    "requesters": required(dict_of(is_texts)),
    "ended": required(dict_of(is_end)),
    "started": required(dict_of(is_time)),
    "unpaired_runs": optional(is_unpaired),
}


def adds_up(state: Any) -> bool:
    """E134 and E135: whether this is a state that a log may start from."""
    if read_fields(STATE, state) is None:
        return False
    nodes = state["nodes"]
    for ref, node in nodes.items():
        calls = [request["call_id"] for request in node["spawns"]]
        children = node["children"]
        parent = node.get("parent")
        if node["id"] != ref or len(set(calls)) < len(calls) or len(set(children)) < len(children):
            return False
        if any(child not in nodes or nodes[child].get("parent") != ref for child in children):
            return False
        if parent is not None and (parent not in nodes or ref not in nodes[parent]["children"]):
            return False
    named = {*state["processes"].values(), *(ref for refs in state["requesters"].values() for ref in refs)}
    named.update((state.get("unpaired_runs") or [None, None, []])[2])
    return all(ref in nodes for ref in named)


def _time(nanoseconds: int) -> Json:
    return {"secs_since_epoch": nanoseconds // SECOND, "nanos_since_epoch": nanoseconds % SECOND}


def _nanoseconds(time: Json) -> int:
    return int(time["secs_since_epoch"]) * SECOND + int(time["nanos_since_epoch"])


def _known(values: Json) -> Json:
    return {key: value for key, value in values.items() if value is not None}


# The JSON key of each value of a node's parts and of a node whose name there is another than in world.py.
REQUEST_KEYS = {"requested": "requested_at"}
WAIT_KEYS = {"id": "wait_id", "started": "started_at", "ended": "ended_at"}
MESSAGE_KEYS = {"id": "message_id", "time": "ts"}
NODE_KEYS = {
    "ref": "id",
    "created": "started_at",
    "ended": "ended_at",
    "last_event": "last_event_at",
    "spawn_call_id": "spawned_by",
    "link_method": "link",
    "approvals": "asking",
    "plan_mark": "planning",
    "stop_mark": "stopped",
    "question_time": "asked_at",
}
LEFT_OUT_WHEN_EMPTY = ("approvals", "plan_mark", "stop_mark", "background_agents")


def _part_json(part: Task | Request | Wait | Message, keys: dict[str, str]) -> Json:
    return _known({keys.get(name, name): value for name, value in vars(part).items()})


def node_json(node: Node) -> Json:
    values = {**vars(node), **{name: getattr(node, name) or None for name in LEFT_OUT_WHEN_EMPTY}}
    return {
        **_known({NODE_KEYS.get(name, name): value for name, value in values.items()}),
        "children": list(node.children),
        "tasks": [_part_json(task, {}) for task in node.tasks],
        "spawns": [_part_json(request, REQUEST_KEYS) for request in node.spawns],
        "waits": [_part_json(wait, WAIT_KEYS) for wait in node.waits],
        "messages": [_part_json(message, MESSAGE_KEYS) for message in node.messages],
        "open_tasks": 0,
        "stale": False,
    }


def world_json(world: World) -> Json:
    """E134: the state as a keyframe holds it."""
    unpaired = world.unpaired
    return {
        "nodes": {ref: node_json(node) for ref, node in world.nodes.items()},
        "processes": dict(world.processes),
        "requesters": {call_id: list(refs) for call_id, refs in world.requesters.items()},
        "ended": {ref: [_time(end.time), end.ts, end.quick] for ref, end in world.ended.items()},
        "started": {ref: _time(time) for ref, time in world.started.items()},
        "unpaired_runs": [_time(unpaired.time), unpaired.ts, list(unpaired.refs)] if unpaired and unpaired.refs else None,
    }


def _values(kind: Any, keys: dict[str, str], value: Json) -> Json:
    """The values of a dataclass's fields by the names of `kind`, unknown ones left out."""
    names = {each.name: keys.get(each.name, each.name) for each in fields(kind)}
    return {name: value[key] for name, key in names.items() if value.get(key) is not None}


def _part(kind: Any, keys: dict[str, str], value: Json) -> Any:
    return kind(**{**dict.fromkeys(each.name for each in fields(kind)), **_values(kind, keys, value)})


def node_of(value: Json) -> Node:
    parts = {
        "children": list(value["children"]),
        "approvals": dict(value.get("asking") or {}),
        "tasks": [_part(Task, {}, each) for each in value["tasks"]],
        "spawns": [_part(Request, REQUEST_KEYS, each) for each in value["spawns"]],
        "waits": [_part(Wait, WAIT_KEYS, each) for each in value["waits"]],
        "messages": [_part(Message, MESSAGE_KEYS, each) for each in value["messages"]],
    }
    return Node(**{"created": None, **_values(Node, NODE_KEYS, value), **parts})


def world_of(state: Json | None) -> World:
    """The state a log starts from: that of its keyframe (E133), or nothing."""
    if state is None:
        return World()
    unpaired = state.get("unpaired_runs")
    return World(
        nodes={ref: node_of(node) for ref, node in state["nodes"].items()},
        processes=dict(state["processes"]),
        requesters={call_id: list(refs) for call_id, refs in state["requesters"].items()},
        ended={ref: Ended(_nanoseconds(time), ts, quick) for ref, (time, ts, quick) in state["ended"].items()},
        started={ref: _nanoseconds(time) for ref, time in state["started"].items()},
        unpaired=None if unpaired is None else Unpaired(_nanoseconds(unpaired[0]), unpaired[1], list(unpaired[2])),
    )


def pack(state: Json, ts: str, event_id: str, *, part_length: int = PART_LENGTH, restart: bool = False) -> list[Json]:
    """E127, E128: the envelopes of a keyframe standing for the state after the event `event_id` of time `ts`."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    text = b64encode(deflate.compress(json.dumps(state, ensure_ascii=False).encode()) + deflate.flush()).decode()
    texts = [text[start : start + part_length] for start in range(0, len(text), part_length)]
    marked = {"restart": True} if restart else {}
    return [
        {
            "v": 1,
            "id": f"{event_id}~{part:06}",
            "ts": ts,
            "type": "keyframe",
            "node": NODE,
            "data": {"part": part, "parts": len(texts), "text": text, **marked},
        }
        for part, text in enumerate(texts)
    ]


def unpack(parts: list[Json | None]) -> Json | None:
    """E130: the state that the data of these parts holds, or None if merging fails."""
    known = [part for part in parts if part is not None]
    count = len(parts)
    if len(known) < count or count > MOST_PARTS or any(part["parts"] != count for part in known):
        return None
    if sorted(part["part"] for part in known) != list(range(count)):
        return None
    text = "".join(part["text"] for part in sorted(known, key=lambda part: part["part"]))
    inflate = zlib.decompressobj(-15)
    try:
        unpacked = inflate.decompress(b64decode(text, validate=True), MOST_BYTES + 1)
        if len(unpacked) > MOST_BYTES or not inflate.eof or inflate.unused_data:
            return None
        state = json.loads(unpacked.decode())
    except (ValueError, RecursionError, zlib.error):
        return None
    return state if adds_up(state) else None
