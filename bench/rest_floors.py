"""Floors of REST: a page of nodes and a page of events, by hand from rows of the store (see floors.py)."""

from __future__ import annotations

from time import time
from typing import Any

import orjson
from neo4j import READ_ACCESS, AsyncDriver
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.domain.ids import event_id, node_id

PAGE = 1_000

_STALE_AFTER_NS = 1_800_000_000_000
_ASKING_AFTER_NS = 10_000_000_000
_ASKS = "May be waiting for your approval to run a command"
_COLUMNS = (
    "ref", "provider", "kind", "parent", "root", "session", "requested_by", "depth", "state", "attention", "title", "summary", "headline",
    "purpose", "agent_type", "background", "link_method", "spawn_call_id", "cwd", "created", "ended", "last_event", "child_count",
    "descendant_count", "background_agent_count", "tasks_total", "tasks_pending", "tasks_in_progress", "tasks_completed",
    "blocked_on", "blocked_starting", "blocked_node_count", "blocked_open_tasks", "blocked_cycle", "active_ns", "asking_ns",
)  # fmt: skip

_NODES = f"MATCH (n:Node {{g: $g}}) RETURN collect([{', '.join(f'n.{name}' for name in _COLUMNS)}]) AS rows"
_EVENTS = (
    "UNWIND $buckets AS bucket MATCH (e:Event {g: $g, bucket: bucket}) USING INDEX e:Event(g, bucket) "
    "WITH e ORDER BY e.seq DESC LIMIT $limit RETURN collect([e.id, e.type, e.ref, e.time_ms, e.line, e.changes]) AS rows"
)


def rest_floors(driver: AsyncDriver, database: str | None) -> Starlette:
    """`nodes?graph=ID&g=KEY&as_of=EVENT`: the newest thousand; `events?…&low=B&high=B`: the newest thousand, in those buckets."""

    async def rows_of(text: str, **params: Any) -> list[list[Any]]:
        async with driver.session(database=database, default_access_mode=READ_ACCESS, fetch_size=-1) as session:
            record = await (await session.run(text, params)).single()
            return [] if record is None else list(record[0])

    async def nodes(request: Request) -> Response:
        asked = request.query_params
        rows = await rows_of(_NODES, g=asked["g"])
        rows.sort(key=lambda row: row[0])
        rows.sort(key=lambda row: row[19], reverse=True)
        now_ns = int(time()) * 1_000_000_000
        data = [_node(row, asked["graph"], asked["as_of"], now_ns) for row in rows[:PAGE]]
        url = f"/api/v1/graphs/{asked['graph']}/nodes?limit={PAGE}&as_of={asked['as_of']}"
        return _list(url, asked["as_of"], len(rows) > PAGE, data)

    async def events(request: Request) -> Response:
        asked = request.query_params
        buckets = list(range(int(asked["high"]), int(asked["low"]) - 1, -1))
        rows = await rows_of(_EVENTS, g=asked["g"], buckets=buckets, limit=PAGE + 1)
        data = [_event(row, asked["graph"]) for row in rows[:PAGE]]
        return _list(f"/api/v1/graphs/{asked['graph']}/events?limit={PAGE}", asked["as_of"], len(rows) > PAGE, data)

    return Starlette(routes=[Route("/nodes", nodes), Route("/events", events)])


def _list(url: str, as_of: str, has_more: bool, data: list[Any]) -> Response:
    body = {"object": "list", "url": url, "as_of_event_id": as_of, "has_more": has_more, "data": data}
    return Response(orjson.dumps(body), media_type="application/json")


def _node(row: list[Any], graph_id: str, as_of: str, now_ns: int) -> dict[str, Any]:
    (
        ref, provider, kind, parent, root, session, requested_by, depth, state, attention, title, summary, headline, purpose, agent_type,
        background, link_method, spawn_call_id, cwd, created, ended, last_event, child_count, descendant_count, background_agents, total,
        pending, running, done, on, starting, node_count, open_tasks, cycle, active, asking,
    ) = row  # fmt: skip
    if asking is not None and now_ns - asking >= _ASKING_AFTER_NS:
        state, attention = "input_required", _ASKS
    return {
        "id": node_id(ref), "object": "node", "as_of_event_id": as_of, "graph_id": graph_id, "provider_ref": ref, "provider": provider,
        "kind": kind, "parent_id": None if parent is None else node_id(parent), "root_id": node_id(root), "session_id": node_id(session),
        "requested_by_id": None if requested_by is None else node_id(requested_by), "depth": depth, "state": state,
        "stale": state == "working" and node_count is None and active is not None and now_ns - active > _STALE_AFTER_NS,
        "attention": attention, "title": title, "summary": summary, "headline": headline, "purpose": purpose, "agent_type": agent_type,
        "background": background, "link_method": link_method, "spawn_call_id": spawn_call_id, "cwd": cwd, "created": created,
        "ended": ended, "last_event": last_event, "child_count": child_count, "descendant_count": descendant_count,
        "background_agent_count": background_agents,
        "task_counts": {"total": total, "pending": pending, "in_progress": running, "completed": done, "open": pending + running},
        "blocked": None if node_count is None else {
            "on_ids": [node_id(each) for each in on], "starting": starting, "node_count": node_count, "open_tasks": open_tasks,
            "cycle": cycle,
        },
    }  # fmt: skip


def _event(row: list[Any], graph_id: str) -> dict[str, Any]:
    own_id, kind, ref, time_ms, line, changes = row
    envelope = orjson.loads(line)
    source = envelope["source"]
    return {
        "id": event_id(own_id), "object": "event", "type": kind, "created": time_ms, "graph_id": graph_id, "node_id": node_id(ref),
        "source": {name: source.get(name) for name in ("provider", "provider_version", "adapter")},
        "payload": envelope.get("data", {}),
        "changes": orjson.Fragment(changes),
    }  # fmt: skip
