"""listEvents and retrieveEvent (R57-R66)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.domain.filters import EventFilter, is_type_pattern
from app.domain.ids import event_own_id
from app.rest.call import Answer, Call, Plan
from app.rest.errors import naming
from app.rest.expand import Form, Tree
from app.rest.expanding import Expanding, envelope
from app.rest.grammar import invalid
from app.rest.shown import Shown, as_of_event_id, shown_event
from app.rest.urls import list_url
from app.services.event_pages import EventPage, EventRow
from app.services.graph_at import GraphAt, Row
from app.services.slices import events_of
from app.services.together import together

_ALONE = Form("event")
_LISTED = Form("event", in_list=True)

_AT_ONCE = 8
"""Events whose nodes are expanded at the same time: each is at a moment of its own."""


def list_events(call: Call) -> Plan:
    """Held events, filtered, in order, cut."""
    asked = call.asked
    tree = _LISTED.read(asked.get("expand", ()))
    refs = call.refs("node_id", "root_id")
    types = asked.get("type")
    if not all(map(is_type_pattern, types or ())):
        raise invalid("type", "A type is words of a-z and _ joined by dots; a.* is a family, * all.")
    wanted = EventFilter(None if types is None else tuple(types), refs["node_id"], refs["root_id"], asked.get("created"))

    async def read(at: GraphAt) -> Answer:
        page = await events_of(at, EventPage(call.limit, asked.get("order") == "asc", filter=wanted), call.cursors)
        data = await _shown(at, page.rows, tree)
        return Answer(envelope(list_url(call.path, asked.pairs), as_of_event_id(at), page.has_more, data))

    return Plan(read, now=True, held=True, timeless=True)


def retrieve_event(call: Call) -> Plan:
    """One held event."""
    tree = _ALONE.read(call.asked.get("expand", ()))
    own_id = event_own_id(call.named["event_id"])
    if own_id is None:
        raise call.missing("event_id")

    async def read(at: GraphAt) -> Answer:
        with naming("event_id"):
            row = await at.event(own_id)
        [shown] = await _shown(at, [row], tree)
        return Answer(shown, fixed=True)

    return Plan(read, now=True, held=True, timeless=True)


async def _shown(at: GraphAt, rows: Sequence[EventRow], tree: Tree) -> list[Shown]:
    shown = [shown_event(row, at.info.id) for row in rows]
    if "node" in tree:
        found = await at.nodes_after((row, row["ref"]) for row in rows)
        slots = asyncio.Semaphore(_AT_ONCE)

        async def expand(row: EventRow, event: Shown, node: Row) -> None:
            async with slots:
                [event["node"]] = await Expanding(at.at_event(row)).nodes([node], tree["node"])

        async with together() as group:
            for row, event in zip(rows, shown, strict=True):
                node = found.get((row["seq"], row["ref"]))
                if node is not None:
                    group.create_task(expand(row, event, node))
    return shown
