"""Tasks, spawns, waits and messages at a place."""

from __future__ import annotations

from typing import Any

from app.domain.moments import AsOf
from app.store import parts
from app.store.connection import Store
from app.store.parts import PartKind
from app.store.reading import Reading
from tests.grown import event, grow, soon


async def whole_graph(reading: Reading, kind: PartKind) -> dict[str, list[dict[str, Any]]]:
    columns = parts.COLUMNS[kind]
    return {ref: [dict(zip(columns, row, strict=True)) for row in rows] for ref, rows in (await parts.whole(reading, kind)).items()}


async def test_parts_come_in_order_and_as_they_were(store: Store) -> None:
    """E81-E83, E125: replaced and deleted tasks are there at the moments at which they were, in the tool's order."""
    items = [{"id": "1", "text": "one", "status": "pending"}, {"id": "2", "text": "two", "status": "pending"}]
    events = [
        event(0, "tasks.updated", "a", 0, items=items),
        event(1, "task.upserted", "a", 1, id="3", text="three", status="in_progress"),
        event(2, "task.deleted", "a", 2, id="2"),
        event(3, "tasks.updated", "a", 3, items=[{"id": "9", "text": "nine", "status": "completed"}]),
        event(4, "wait.started", "a", 4, wait_id="w1", on="acme:b"),
        event(5, "wait.started", "a", 5, wait_id="w2", on="acme:never"),
        event(6, "wait.ended", "a", 6, wait_id="w1"),
        event(7, "task.upserted", "b", 7, id="1", text="of b"),
    ]
    grown = await grow(store, events, pieces=3)
    wanted = [["one", "two"], ["one", "two", "three"], ["one", "three"], ["nine"], ["nine"], ["nine"], ["nine"], ["nine"]]
    for number, texts in enumerate(wanted):
        at = await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(event=f"{number:08d}"), soon())
        reading = Reading(store, at.moment, soon())
        whole, of = await whole_graph(reading, "task"), await parts.of(reading, "task", ["acme:a"])
        assert [row["text"] for row in whole["acme:a"]] == texts
        assert of == {"acme:a": whole["acme:a"]}
        assert set(whole) == ({"acme:a", "acme:b"} if number == 7 else {"acme:a"})
        waits = (await whole_graph(reading, "wait")).get("acme:a", [])
        open_waits = [(row["id"], row["on"], row["open"]) for row in waits]
        assert open_waits == [("w1", "acme:b", number < 6), ("w2", "acme:never", True)][: max(0, min(number - 3, 2))]
        assert await parts.of(reading, "message", ["acme:a", "acme:nobody"]) == {}
        assert await parts.of(reading, "wait", []) == {}
