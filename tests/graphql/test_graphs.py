"""Changing and deleting graphs by mutation (Q20, Q41)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio

from app.services.viewer import ALL_SCOPES
from app.store.connection import Store
from app.store.deadline import Deadline
from tests.served import Served, account, served

UPDATE = "mutation($i: UpdateGraphInput!) { updateGraph(input: $i) { graph { title } } }"
DELETE = "mutation($g: ID!) { deleteGraph(id: $g) { id } }"
TITLE = "query($g: ID!) { graph(id: $g) { title } }"


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Served]:
    async with served(store) as found:
        yield found


def codes(body: dict[str, Any]) -> list[str]:
    return [error["extensions"]["code"] for error in body.get("errors", [])]


async def test_what_is_left_out_stays_and_null_takes_away(door: Served) -> None:
    """Q20: the title and what is kept, each for itself; null retention is the server's setting."""
    owner = account()
    key = await door.key(owner)
    graph_id = await door.graph(key, [])

    async def held() -> tuple[str | None, int | None]:
        viewer = await door.services.access.viewer(f"Bearer {key}")
        assert viewer is not None
        row = (await door.services.graphs.own(viewer, graph_id, Deadline.after(30))).row
        return row.title, row.retention_events

    for given, title, retention in (
        ({"title": "One"}, "One", 0), ({}, "One", 0), ({"retentionEvents": 50}, "One", 50), ({"title": None}, None, 50),
        ({"title": "Two", "retentionEvents": None}, "Two", None),
    ):  # fmt: skip
        body = await door.ask(key, UPDATE, {"i": {"id": graph_id, **given}})
        assert body == {"data": {"updateGraph": {"graph": {"title": title}}}}
        assert await held() == (title, retention)
    refused = await door.ask(key, UPDATE, {"i": {"id": graph_id, "retentionEvents": -1}})
    assert refused["errors"][0]["extensions"] == {"code": "BAD_USER_INPUT", "argument": "input.retentionEvents"}


async def test_several_changes_in_one_request_are_seen_one_after_the_other(door: Served) -> None:
    """Q3: each payload is of the moment just after its own mutation."""
    key = await door.key(account(), tuple(ALL_SCOPES))
    graph_id = await door.graph(key, [])
    body = await door.ask(
        key,
        """mutation($g: ID!) {
          a: updateGraph(input: {id: $g, title: "A"}) { graph { title } }
          b: updateGraph(input: {id: $g, title: "B"}) { graph { title } }
          c: deleteGraph(id: $g) { id }
          d: updateGraph(input: {id: $g, title: "D"}) { graph { title } }
        }""",
        {"g": graph_id},
    )
    assert body["data"] == {"a": {"graph": {"title": "A"}}, "b": {"graph": {"title": "B"}}, "c": {"id": graph_id}, "d": None}
    assert codes(body) == ["NOT_FOUND"]


async def test_deleting_needs_admin_and_is_for_good(door: Served) -> None:
    """Q20, Q41: another account's graph is not found; a deleted one is not found by anybody."""
    owner = account()
    writer, admin = await door.key(owner), await door.key(owner, tuple(ALL_SCOPES))
    stranger = await door.key(account(), tuple(ALL_SCOPES))
    graph_id = await door.graph(writer, [])
    assert codes(await door.ask(writer, DELETE, {"g": graph_id})) == ["FORBIDDEN"]
    assert codes(await door.ask(stranger, DELETE, {"g": graph_id})) == ["NOT_FOUND"]
    assert codes(await door.ask(admin, DELETE, {"g": "gph_x"})) == ["NOT_FOUND"]
    assert codes(await door.ask(writer, TITLE, {"g": graph_id})) == []
    assert await door.ask(admin, DELETE, {"g": graph_id}) == {"data": {"deleteGraph": {"id": graph_id}}}
    for key in (writer, admin):
        assert codes(await door.ask(key, TITLE, {"g": graph_id})) == ["NOT_FOUND"]
