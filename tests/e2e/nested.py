"""One nested operation, four levels of nodes with all that a node has, and the answer to it worked out from the naive fold."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import Any

from tests.oracle import tree_order

ROOTS, CHILDREN, MESSAGES = 100, 5, 4

_NODE = """
  id providerRef provider kind state stale attention title summary headline purpose agentType background linkMethod spawnCallId cwd
  created ended lastEvent depth childCount descendantCount backgroundAgentCount parentId rootId sessionId requestedById
  taskCounts { total pending inProgress completed open } tasks { taskId text activeText status }
  spawns { callId kind agentType purpose background run title childId returned requested child { providerRef state } }
  waits { waitId kind onId reason open started ended on { providerRef title } }
  messages(first: %(messages)d) { totalCount nodes { messageId direction replyToMessageId summary body created peerId peerName } }
  blocked { starting nodeCount openTasks cycle onIds on { providerRef state } }
"""
_CHILDREN = "children(first: %(children)d) { totalCount nodes { ...N %(inside)s } }"


def operation() -> str:
    """The operation, with the variables `id` and `asOf`."""
    inside = ""
    for _ in range(3):
        inside = _CHILDREN % {"children": CHILDREN, "inside": inside}
    roots = f"roots(first: {ROOTS}) {{ totalCount nodes {{ ...N {inside} }} }}"
    graph = f"graph(id: $id, asOf: $asOf) {{ asOfEventId asOfTime counts {{ nodes sessions agents stale blocked }} {roots} }}"
    return f"query Nested($id: ID!, $asOf: AsOf) {{ {graph} }} fragment N on Node {{ {_NODE % {'messages': MESSAGES}} }}"


def expected(state: dict[str, Any], event_id: str, time_ms: int) -> dict[str, Any]:
    """The data of the answer, where `state` is what the naive fold shows."""
    roots = [ref for ref in tree_order(state) if state[ref]["parent"] is None]
    nodes = list(state.values())
    counts = {
        "nodes": len(nodes),
        "sessions": sum(node["kind"] == "session" for node in nodes),
        "agents": sum(node["kind"] == "agent" for node in nodes),
        "stale": sum(node["stale"] for node in nodes),
        "blocked": sum(node["blocked"] is not None for node in nodes),
    }
    shown = [_node(state, ref, 3) for ref in roots[:ROOTS]]
    graph = {"asOfEventId": f"evt_{event_id}", "asOfTime": time_ms, "counts": counts, "roots": {"totalCount": len(roots), "nodes": shown}}
    return {"graph": graph}


def _id(ref: str | None) -> str | None:
    return None if ref is None else "node_" + urlsafe_b64encode(ref.encode()).rstrip(b"=").decode()


def _node(state: dict[str, Any], ref: str, levels: int) -> dict[str, Any]:
    node = state[ref]
    shown = {
        "id": _id(ref), "providerRef": ref, "provider": node["provider"], "kind": node["kind"].upper(), "state": node["state"].upper(),
        "stale": node["stale"], "attention": node["attention"], "title": node["title"], "summary": node["summary"],
        "headline": node["headline"], "purpose": node["purpose"], "agentType": node["agent_type"], "background": node["background"],
        "linkMethod": node["link_method"], "spawnCallId": node["spawn_call_id"], "cwd": node["cwd"], "created": node["created"],
        "ended": node["ended"], "lastEvent": node["last_event"], "depth": node["depth"], "childCount": node["child_count"],
        "descendantCount": node["descendant_count"], "backgroundAgentCount": node["background_agent_count"],
        "parentId": _id(node["parent"]), "rootId": _id(node["root"]), "sessionId": _id(node["session"]),
        "requestedById": _id(node["requested_by"]), "taskCounts": _counts(node["task_counts"]),
        "tasks": [
            {"taskId": task["id"], "text": task["text"], "activeText": task["active_text"], "status": task["status"].upper()}
            for task in node["tasks"]
        ],
        "spawns": [_spawn(state, spawn) for spawn in node["spawns"]], "waits": [_wait(state, wait) for wait in node["waits"]],
        "messages": {"totalCount": len(node["messages"]), "nodes": [_message(each) for each in node["messages"][:MESSAGES]]},
        "blocked": None if node["blocked"] is None else _blocked(state, node["blocked"]),
    }  # fmt: skip
    if levels:
        below = [_node(state, child, levels - 1) for child in node["children"][:CHILDREN]]
        shown["children"] = {"totalCount": len(node["children"]), "nodes": below}
    return shown


def _counts(counts: dict[str, int]) -> dict[str, int]:
    return {"inProgress" if name == "in_progress" else name: value for name, value in counts.items()}


def _spawn(state: dict[str, Any], spawn: dict[str, Any]) -> dict[str, Any]:
    child = state.get(spawn["child"])
    return {
        "callId": spawn["call_id"], "kind": spawn["kind"].upper(), "agentType": spawn["agent_type"], "purpose": spawn["purpose"],
        "background": spawn["background"], "run": spawn["run"], "title": spawn["title"], "childId": _id(spawn["child"]),
        "returned": spawn["returned"], "requested": spawn["requested"],
        "child": None if child is None else {"providerRef": spawn["child"], "state": child["state"].upper()},
    }  # fmt: skip


def _wait(state: dict[str, Any], wait: dict[str, Any]) -> dict[str, Any]:
    target = state.get(wait["on"])
    return {
        "waitId": wait["id"], "kind": wait["kind"].upper(), "onId": _id(wait["on"]), "reason": wait["reason"], "open": wait["open"],
        "started": wait["started"], "ended": wait["ended"],
        "on": None if target is None else {"providerRef": wait["on"], "title": target["title"]},
    }  # fmt: skip


def _message(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "messageId": message["id"], "direction": message["direction"].upper(), "replyToMessageId": message["reply_to_message_id"],
        "summary": message["summary"], "body": message["body"], "created": message["created"], "peerId": _id(message["peer"]),
        "peerName": message["peer_name"],
    }  # fmt: skip


def _blocked(state: dict[str, Any], blocked: dict[str, Any]) -> dict[str, Any]:
    return {
        "starting": blocked["starting"], "nodeCount": blocked["node_count"], "openTasks": blocked["open_tasks"], "cycle": blocked["cycle"],
        "onIds": [_id(ref) for ref in blocked["on"]],
        "on": [{"providerRef": ref, "state": state[ref]["state"].upper()} for ref in blocked["on"] if ref in state],
    }  # fmt: skip
