"""Large events, and long lists of them, as variables (Q19): the same answers as short ones get, without a look at each item."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from graphql import OperationDefinitionNode, parse

from app.demo.fleet import fleet
from app.graphql.bulk import Bulk, packed, unpacked
from app.store.connection import Store
from tests.grown import event
from tests.served import Served, account, served

APPEND = "mutation($id: ID!, $events: [JSON!]!) { appendEvents(graphId: $id, events: $events) { accepted duplicates invalid { index } } }"


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Served]:
    async with served(store) as found:
        yield found


@pytest.mark.parametrize(
    ("kind", "value", "is_packed"),
    [
        ("[JSON!]!", [{}] * 501, True), ("[JSON!]", [[1]] * 501, True), ("[JSON!]!", [{}] * 500, False), ("[JSON]", [{}] * 501, False),
        ("[JSON!]!", [{}] * 501 + [None], False), ("JSON!", [{}] * 501, False), ("[ID!]!", ["a"] * 501, False), ("[JSON!]!", {}, False),
    ],
)  # fmt: skip
def test_what_is_passed_through_as_one_item(kind: str, value: Any, is_packed: bool) -> None:
    """Only long lists of which every item is right whatever it is."""
    operation = parse(f"query($x: {kind}, $y: Int) {{ a }}").definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    found = packed(operation, {"x": value, "y": 1})
    assert (found == {"x": Bulk(value), "y": 1}) is is_packed
    assert unpacked([found["x"]] if is_packed else value) == value


async def test_a_long_list_is_taken_as_a_short_one(door: Served) -> None:
    """Q19: counts, and the places of envelopes that could not be used."""
    key = await door.key(account())
    made = await door.ask(key, "mutation { createGraph(input: {}) { graph { id } } }")
    graph_id = made["data"]["createGraph"]["graph"]["id"]
    events: list[Any] = list(fleet(600, keyframe=False))[:600]
    events[550] = "no event"
    answer = await door.ask(key, APPEND, {"id": graph_id, "events": events})
    assert answer == {"data": {"appendEvents": {"accepted": 599, "duplicates": 0, "invalid": [{"index": 550}]}}}
    answer = await door.ask(key, APPEND, {"id": graph_id, "events": [*events, None]})
    (error,) = answer["errors"]
    assert error["extensions"]["code"] == "BAD_USER_INPUT"
    answer = await door.ask(key, APPEND, {"id": graph_id, "events": [*events[:549]] + [1] * 9_500})
    (error,) = answer["errors"]
    assert error["extensions"]["argument"] == "events"


async def test_events_nested_as_deep_as_they_may_be_are_shown_wherever_events_are(door: Served) -> None:
    """E2: what is nested deeper is left out when it comes, since no answer could hold it."""
    key = await door.key(account())
    data: list[Any] = []
    for _ in range(123):
        data = [data]
    fits, deeper = event(1, "status", "s", 0, state="working", more={"in": data}), event(2, "status", "s", 1, more={"in": [data]})
    graph_id = await door.graph(key, [])
    answer = await door.ask(key, APPEND, {"id": graph_id, "events": [fits, deeper]})
    assert answer == {"data": {"appendEvents": {"accepted": 1, "duplicates": 0, "invalid": [{"index": 1}]}}}
    again = "events(first: 1) { nodes { graph { " * 8
    answer = await door.ask(
        key, f"query($g: ID!) {{ graph(id: $g) {{ {again} events {{ nodes {{ payload }} }} {'} } }' * 8} }} }}", {"g": graph_id}
    )
    found = answer["data"]["graph"]
    for _ in range(8):
        found = found["events"]["nodes"][0]["graph"]
    assert found["events"]["nodes"] == [{"payload": fits["data"]}]
