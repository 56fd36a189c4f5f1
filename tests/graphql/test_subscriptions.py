"""Subscriptions over a real server (Q23-Q27, Q48): what each message holds, and that nothing is missed or comes twice."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest_asyncio

from app.domain.ids import node_id
from app.graphql.reading import Reading
from app.settings import Settings
from app.store.connection import Store
from tests.graphql.live import PATIENCE, Caller, Subscribed, calling, streaming
from tests.grown import event
from tests.listening import listening
from tests.served import Served, account, served
from tests.store.contents import raw

EVENTS = """subscription($g: ID!, $c: String, $a: ID, $f: EventFilter, $n: Int = 100) {
  events(graphId: $g, cursor: $c, after: $a, filter: $f, batchSize: $n) {
    cursor firstArrival lastArrival lateEventIds historyChanged more events { id type node { state headline } }
  }
}"""
GRAPH = """subscription($g: ID!, $c: String, $t: Int = 50) {
  graph(id: $g, cursor: $c, throttleMs: $t) {
    cursor sinceEventId historyChanged changes { nodeId created removed fields { field from to } }
    graph { asOfEventId eventsCursor title live counts { nodes stale } }
  }
}"""
NODE = "subscription($g: ID!, $n: ID!) { node(graphId: $g, id: $n, throttleMs: 50) { asOfEventId state stale title summary } }"
GRAPHS = "subscription($f: GraphFilter) { graphs(filter: $f, throttleMs: 250) { graphs { id title live } goneIds } }"


@dataclass
class Fleet:
    """A served gateway, a key of an account of its own, and a connection."""

    door: Served
    address: str
    key: str
    caller: Caller


def patient(usual: Settings, **more: Any) -> Settings:
    """Deadlines that no busy machine reaches."""
    return usual.model_copy(update={"deadline": 60.0, "write_deadline": 60.0, **more})


@pytest_asyncio.fixture
async def fleet(store: Store) -> AsyncIterator[Fleet]:
    async with served(store, patient) as door, listening(door.application) as address:
        key = await door.key(account(), ("read", "write", "admin"))
        async with calling(address, key) as caller:
            yield Fleet(door, address, key, caller)


def some(first: int, count: int, node: str = "one", **data: Any) -> list[dict[str, Any]]:
    """Reports of a node, one a second."""
    return [
        event(n, "status", node, 1_000 * n, **{"state": "working", "summary": f"step {n}", **data}) for n in range(first, first + count)
    ]


def ids(batch: dict[str, Any]) -> list[str]:
    return [each["id"] for each in batch["events"]]


async def watched(door: Served, number: int) -> None:
    """Returns when so many subscriptions have begun: what is taken in from then on is told to all of them."""
    async with asyncio.timeout(PATIENCE):
        while door.services.live.news.watchers < number:  # noqa: ASYNC110 - there is nothing to wait for
            await asyncio.sleep(0.01)


async def events_cursor(fleet: Fleet, graph_id: str) -> str:
    """Where a graph's stream of events stands."""
    body = await fleet.door.ask(fleet.key, "query($g: ID!) { graph(id: $g) { eventsCursor } }", {"g": graph_id})
    found: str = body["data"]["graph"]["eventsCursor"]
    return found


def named(numbers: range | list[int]) -> list[str]:
    return [f"evt_{number:08d}" for number in numbers]


async def test_events_come_once_each_from_any_place_on(fleet: Fleet) -> None:
    """Q23, Q24: from now on, from a graph's own cursor, after an event, from a batch's cursor; numbers are contiguous."""
    door, key, caller = fleet.door, fleet.key, fleet.caller
    graph_id = await door.graph(key, some(0, 5))
    seen = await door.ask(key, "query($g: ID!) { graph(id: $g) { eventsCursor asOfEventId } }", {"g": graph_id})
    live = await caller.subscribe(EVENTS, g=graph_id)
    await watched(door, 1)
    await live.nothing(0.1)
    await door.append(key, graph_id, some(5, 3))
    batch = await live.next()
    assert (ids(batch), batch["firstArrival"], batch["lastArrival"], batch["more"]) == (named(range(5, 8)), 6, 8, False)
    assert batch["events"][0]["node"] == {"state": "WORKING", "headline": "step 5"}
    for given, expected in (
        ({"c": seen["data"]["graph"]["eventsCursor"]}, range(5, 8)), ({"a": "evt_00000001"}, range(2, 8)),
        ({"a": "evt_00000006"}, range(7, 8)),
    ):  # fmt: skip
        for size in (1, 2, 100):
            again = await caller.subscribe(EVENTS, g=graph_id, n=size, **given)
            found, last = list[str](), None
            while len(found) < len(expected):
                batch = await again.next()
                assert len(batch["events"]) <= size
                assert last is None or batch["firstArrival"] == last + 1
                assert batch["lastArrival"] - batch["firstArrival"] + 1 == len(batch["events"])
                assert batch["more"] is (len(found) + len(batch["events"]) < len(expected))
                found, last = found + ids(batch), batch["lastArrival"]
            assert found == named(expected)
            await again.end()
    await door.append(key, graph_id, some(8, 1))
    on = await caller.subscribe(EVENTS, g=graph_id, c=batch["cursor"])
    assert ids(await on.next()) == ids(await live.next()) == named([8])


async def test_an_empty_graph_has_a_cursor(fleet: Fleet) -> None:
    """Q24: nothing is missed on a graph that has had nothing yet."""
    graph_id = await fleet.door.graph(fleet.key, [])
    begin = await events_cursor(fleet, graph_id)
    await fleet.door.append(fleet.key, graph_id, some(0, 2))
    live = await fleet.caller.subscribe(EVENTS, g=graph_id, c=begin)
    assert ids(await live.next()) == named(range(2))


async def test_late_events_come_as_they_came(fleet: Fleet) -> None:
    """Q23: in the order of arrival, told apart; the state shown is that just after each in its place."""
    graph_id = await fleet.door.graph(fleet.key, some(10, 2))
    live = await fleet.caller.subscribe(EVENTS, g=graph_id)
    await watched(fleet.door, 1)
    await fleet.door.append(fleet.key, graph_id, [*some(3, 2), *some(12, 1)])
    batch = await live.next()
    assert (ids(batch), batch["lateEventIds"], batch["historyChanged"]) == (named([3, 4, 12]), named([3, 4]), False)
    assert [each["node"]["headline"] for each in batch["events"]] == ["step 3", "step 4", "step 12"]
    again = await fleet.caller.subscribe(EVENTS, g=graph_id, a="evt_00000011")
    assert (batch := await again.next())["lateEventIds"] == named([3, 4])
    assert batch["firstArrival"] == 3


async def test_a_filter_leaves_out_but_counts(fleet: Fleet) -> None:
    """Q23: numbers count every event; after every 500 left out an empty batch moves the cursor on."""
    graph_id = await fleet.door.graph(fleet.key, [])
    live = await fleet.caller.subscribe(EVENTS, g=graph_id, f={"nodeId": node_id("acme:two")})
    await watched(fleet.door, 1)
    await fleet.door.append(fleet.key, graph_id, [*some(0, 3), *some(3, 1, "two"), *some(4, 1)])
    batch = await live.next()
    assert (ids(batch), batch["firstArrival"], batch["lastArrival"]) == (named([3]), 1, 5)
    await fleet.door.append(fleet.key, graph_id, some(5, 1_201))
    for last in (505, 1_005):
        batch = await live.next()
        assert (batch["events"], batch["lastArrival"]) == ([], last)
    await live.nothing(0.4)
    await fleet.door.append(fleet.key, graph_id, some(1_206, 1, "two"))
    batch = await live.next()
    assert (ids(batch), batch["firstArrival"], batch["lastArrival"]) == (named([1_206]), 1_006, 1_207)
    tree = await fleet.caller.subscribe(EVENTS, g=graph_id, a="evt_00000001", f={"rootId": node_id("acme:two"), "type": ["status"]}, n=1)
    assert ids(await tree.next()) == named([3])


async def test_cursors_that_do_not_fit(fleet: Fleet) -> None:
    """Q15, Q23, Q40: of another graph, unreadable, of what never came; both; and what is no longer held, with what is."""
    door, key = fleet.door, fleet.key
    graph_id, other = await door.graph(key, some(0, 3)), await door.graph(key, some(0, 9))
    cursors = [await events_cursor(fleet, each) for each in (graph_id, other)]
    for query in (EVENTS, GRAPH):
        for wrong in ("x", cursors[1]):
            assert (await (await fleet.caller.subscribe(query, g=graph_id, c=wrong)).error())["code"] == "CURSOR_INVALID"
    for variables, expected in (
        ({"c": cursors[0], "a": "evt_00000001"}, {"code": "BAD_USER_INPUT", "argument": "after"}),
        ({"n": 0}, {"code": "BAD_USER_INPUT", "argument": "batchSize"}),
        ({"n": 1_001}, {"code": "BAD_USER_INPUT", "argument": "batchSize"}),
        ({"a": "nonsense"}, {"code": "BAD_USER_INPUT", "argument": "after"}), ({"a": "evt_9"}, {"code": "NOT_FOUND"}),
        ({"g": "gph_aaaaaaaaaaaa"}, {"code": "NOT_FOUND"}),
    ):  # fmt: skip
        assert await (await fleet.caller.subscribe(EVENTS, **{"g": graph_id, **variables})).error() == expected
    trimmed = await door.graph(key, some(0, 5), keep=0)
    begin = await events_cursor(fleet, trimmed)
    await door.ask(key, "mutation($g: ID!) { updateGraph(input: {id: $g, retentionEvents: 10}) { graph { id } } }", {"g": trimmed})
    slow = await fleet.caller.subscribe(EVENTS, g=trimmed, c=begin, n=1)
    for first in range(5, 45, 5):
        await door.append(key, trimmed, some(first, 5))
    held = (await door.ask(key, "query($g: ID!) { graph(id: $g) { retention { firstEventId lastEventId } } }", {"g": trimmed}))["data"]
    assert held["graph"]["retention"]["firstEventId"] > "evt_00000005"
    for query in (EVENTS, GRAPH):
        found = await (await fleet.caller.subscribe(query, g=trimmed, c=begin)).error()
        assert found == {"code": "OUTSIDE_RETENTION_WINDOW", **held["graph"]["retention"]}
    await slow.end()


async def test_a_keyframe_is_told_by_a_batch_of_its_own(fleet: Fleet, store: Store) -> None:
    """Q23: what it changed has no number, so an empty batch says so, once."""
    graph_id = await fleet.door.graph(fleet.key, some(0, 2))
    live = await fleet.caller.subscribe(EVENTS, g=graph_id)
    whole = await fleet.caller.subscribe(GRAPH, g=graph_id)
    await whole.next()
    await watched(fleet.door, 2)
    await raw(store, "MATCH (g:Graph {id: $id}) SET g.rebased = 2", id=graph_id)
    batch = await live.next()
    assert (batch["events"], batch["firstArrival"], batch["historyChanged"]) == ([], None, True)
    assert (await whole.next())["historyChanged"] is True
    await fleet.door.append(fleet.key, graph_id, some(2, 1))
    assert (batch := await live.next())["historyChanged"] is False
    assert ids(batch) == named([2])


async def test_a_graph_and_what_changed(fleet: Fleet) -> None:
    """Q26: the first message at once, then all that changed since the one before, however many appends it was."""
    door, key = fleet.door, fleet.key
    graph_id = await door.graph(key, some(0, 3))
    live = await fleet.caller.subscribe(GRAPH, g=graph_id)
    first = await live.next()
    assert (first["sinceEventId"], first["changes"], first["graph"]["asOfEventId"]) == (None, [], "evt_00000002")
    assert first["cursor"] == first["graph"]["eventsCursor"]
    told = first
    for number in range(3, 9):
        await door.append(key, graph_id, some(number, 1, f"n{number}"))
    while told["graph"]["asOfEventId"] != "evt_00000008":
        before, told = told, await live.next()
        assert told["sinceEventId"] == before["graph"]["asOfEventId"]
        assert not told["historyChanged"]
        assert [each["nodeId"] for each in told["changes"]] == [
            node_id(f"acme:n{n}") for n in range(int(before["graph"]["asOfEventId"][4:]) + 1, int(told["graph"]["asOfEventId"][4:]) + 1)
        ]
    assert told["graph"]["counts"]["nodes"] == 7
    again = await fleet.caller.subscribe(GRAPH, g=graph_id, c=first["cursor"])
    covering = await again.next()
    assert (covering["sinceEventId"], covering["historyChanged"]) == ("evt_00000002", False)
    assert [each["nodeId"] for each in covering["changes"]] == [node_id(f"acme:n{n}") for n in range(3, 9)]
    await door.append(key, graph_id, some(1_000, 1))
    await door.append(key, graph_id, [event(999_999, "status", "late", 1_500, state="idle")])
    from_late = await fleet.caller.subscribe(GRAPH, g=graph_id, c=covering["cursor"])
    found = await from_late.next()
    assert (found["sinceEventId"], found["historyChanged"]) == ("evt_00000008", True)
    while told["graph"]["counts"]["nodes"] < 8:
        told = await live.next()
    assert told["historyChanged"]


async def test_time_alone_is_told(fleet: Fleet) -> None:
    """Q26: a node gone stale, and a graph no longer live, within 2 s; with `stale` among the changes."""
    door, key = fleet.door, fleet.key
    graph_id = await door.graph(key, some(0, 1))
    door.clock.ms = 1_798_761_600_000 + 1_000
    await door.append(key, graph_id, some(1, 1))
    whole, one = await fleet.caller.subscribe(GRAPH, g=graph_id), await fleet.caller.subscribe(NODE, g=graph_id, n=node_id("acme:one"))
    every = await fleet.caller.subscribe(GRAPHS)
    assert (await whole.next())["graph"]["live"]
    assert not (await one.next())["stale"]
    assert [each["live"] for each in (await every.next())["graphs"]] == [True]
    await asyncio.gather(whole.nothing(1.2), one.nothing(1.2), every.nothing(1.2))
    door.clock.ms += 1_802_000
    found = await whole.next()
    assert found["changes"] == [
        {"nodeId": node_id("acme:one"), "created": False, "removed": False, "fields": [{"field": "stale", "from": False, "to": True}]}
    ]
    assert (found["graph"]["live"], found["graph"]["counts"]["stale"]) == (False, 1)
    assert (await one.next())["stale"]
    assert [each["live"] for each in (await every.next())["graphs"]] == [False]


async def test_one_node_when_a_field_of_it_changes(fleet: Fleet) -> None:
    """Q26: not for what others do; NOT_FOUND where there is none."""
    graph_id = await fleet.door.graph(fleet.key, some(0, 1))
    live = await fleet.caller.subscribe(NODE, g=graph_id, n=node_id("acme:one"))
    assert (await live.next())["summary"] == "step 0"
    await fleet.door.append(fleet.key, graph_id, some(1, 1, "two"))
    await live.nothing(0.6)
    await fleet.door.append(fleet.key, graph_id, some(2, 1, title="Now"))
    assert (found := await live.next())["title"] == "Now"
    assert found["asOfEventId"] == "evt_00000002"
    for gone in (node_id("acme:none"), "nonsense"):
        assert (await (await fleet.caller.subscribe(NODE, g=graph_id, n=gone)).error())["code"] == "NOT_FOUND"


async def test_graphs_that_are_new_changed_or_gone(fleet: Fleet) -> None:
    """Q48, Q28: and a deleted graph ends its own subscriptions with NOT_FOUND."""
    door, key = fleet.door, fleet.key
    one = await door.graph(key, some(0, 1))
    every = await fleet.caller.subscribe(GRAPHS)
    assert [each["id"] for each in (await every.next())["graphs"]] == [one]
    two = await door.graph(key, [])
    assert (await every.next())["graphs"] == [{"id": two, "title": None, "live": False}]
    await door.ask(key, 'mutation($g: ID!) { updateGraph(input: {id: $g, title: "Two"}) { graph { id } } }', {"g": two})
    assert (await every.next())["graphs"][0]["title"] == "Two"
    await door.append(key, one, some(1, 1))
    assert [each["id"] for each in (await every.next())["graphs"]] == [one]
    own = [await fleet.caller.subscribe(query, g=one, n=named_) for query, named_ in ((EVENTS, 5), (NODE, node_id("acme:one")))]
    own.append(await fleet.caller.subscribe(GRAPH, g=one))
    await own[1].next()
    await own[2].next()
    await watched(door, 4)
    await door.ask(key, "mutation($g: ID!) { deleteGraph(id: $g) { id } }", {"g": one})
    assert await every.next() == {"graphs": [], "goneIds": [one]}
    assert [(await each.error())["code"] for each in own] == ["NOT_FOUND"] * 3


async def test_over_server_sent_events(fleet: Fleet) -> None:
    """Q22, Q23: `next` with the cursor as `id`, `Last-Event-ID` before everything; queries too, and `complete`."""
    graph_id = await fleet.door.graph(fleet.key, some(0, 4))
    async with streaming(fleet.address, fleet.key, EVENTS, {"g": graph_id, "a": "evt_00000000", "n": 2}) as events:
        kind, cursor, told = await anext(events)
        assert (kind, cursor, ids(told["data"]["events"])) == ("next", told["data"]["events"]["cursor"], named([1, 2]))
    async with streaming(
        fleet.address, fleet.key, EVENTS, {"g": graph_id, "a": "evt_00000000"}, **{"Last-Event-ID": cursor or ""}
    ) as events:
        assert ids((await anext(events))[2]["data"]["events"]) == named([3])
    async with streaming(fleet.address, fleet.key, "{ viewer { scopes } }", {}) as events:
        found = [each async for each in events]
    assert [each[0] for each in found] == ["next", "complete"]
    async with streaming(fleet.address, fleet.key, EVENTS, {"g": "gph_aaaaaaaaaaaa"}) as events:
        found = [each async for each in events]
    assert [each[0] for each in found] == ["next", "complete"]
    assert found[0][2]["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    async with streaming(fleet.address, fleet.key, "subscription { none }", {}) as events:
        assert (await anext(events))[2]["errors"][0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
    asked = await fleet.door.ask(fleet.key, EVENTS, {"g": graph_id})
    assert asked["errors"][0]["extensions"]["code"] == "BAD_REQUEST"


async def test_every_subscriber_hears_soon(fleet: Fleet) -> None:
    """Q27: 60 of them on three connections, one statement for all; far within a second on an idle machine."""
    graph_id = await fleet.door.graph(fleet.key, some(0, 1))
    async with calling(fleet.address, fleet.key) as second, calling(fleet.address, fleet.key) as third:
        every: list[Subscribed] = [await each.subscribe(EVENTS, g=graph_id) for each in (fleet.caller, second, third) for _ in range(20)]
        await watched(fleet.door, 60)
        over = await fleet.caller.subscribe(EVENTS, g=graph_id)
        assert (await over.error())["code"] == "RATE_LIMITED"
        await fleet.door.append(fleet.key, graph_id, some(1, 1))
        began = time.monotonic()
        for each in every:
            assert ids(await each.next()) == named([1])
        assert time.monotonic() - began < 10


async def test_what_messages_and_answers_read_is_let_go_with_them(fleet: Fleet) -> None:
    """Q28: nothing waits for the garbage collector, which looks through everything only seldom."""
    graph_id = await fleet.door.graph(fleet.key, some(1, 20))
    query = "query($g: ID!) { graph(id: $g) { events(first: 20) { nodes { id node { title headline } } } roots { nodes { id } } } }"
    followed = await fleet.caller.subscribe(EVENTS, g=graph_id)
    seen = await fleet.caller.subscribe(GRAPH, g=graph_id)
    await seen.next()
    await watched(fleet.door, 2)
    gc.collect()
    gc.disable()
    try:
        before = readings()
        for number in range(21, 26):
            await fleet.door.append(fleet.key, graph_id, some(number, 1))
            assert (await followed.next())["firstArrival"] == number
            await seen.next()
            assert len((await fleet.door.ask(fleet.key, query, {"g": graph_id}))["data"]["graph"]["events"]["nodes"]) == 20
        assert readings() <= before + 2, "at most those of a message that is being made"
    finally:
        gc.enable()


def readings() -> int:
    """How many there are, in use or not."""
    return sum(type(thing) is Reading for thing in gc.get_objects())
