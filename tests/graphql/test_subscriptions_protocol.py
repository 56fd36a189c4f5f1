"""The protocols of subscriptions (Q21, Q22, Q25, Q28, Q34, Q36, Q39): close codes, pings, limits, slow readers, what is freed."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from app.graphql.subscriptions import websocket
from app.services.logins import COOKIE
from app.store.connection import Store
from tests.graphql.live import PATIENCE, PROTOCOL, calling, streaming
from tests.graphql.test_subscriptions import EVENTS, GRAPH, Fleet, fleet, ids, named, patient, some, watched  # noqa: F401 - a fixture
from tests.grown import soon
from tests.listening import listening
from tests.served import Served, account, served

pytestmark = pytest.mark.once

PLAIN = EVENTS.replace("node { state headline }", "")
PAYLOADS = EVENTS.replace("node { state headline }", "payload")
INIT = {"type": "connection_init"}
ASK = {"type": "subscribe", "id": "1", "payload": {"query": "{ viewer { account } }"}}


@asynccontextmanager
async def gateway(store: Store, **settings: Any) -> AsyncIterator[tuple[Served, str, str]]:
    """A door with these settings, its address, and a key of a new account."""
    async with served(store, lambda usual: patient(usual, **settings)) as door, listening(door.application) as address:
        yield door, address, await door.key(account(), ("read", "write", "admin"))


async def closed(address: str, *messages: Any, protocol: str = PROTOCOL, **headers: str) -> int | None:
    """The code with which a connection that sends these is closed."""
    async with connect(f"ws://{address}/graphql", subprotocols=[Subprotocol(protocol)], additional_headers=headers) as made:
        for message in messages:
            await made.send(message if isinstance(message, str | bytes) else json.dumps(message))
        return await ended(made)


async def ended(made: ClientConnection) -> int | None:
    """The code with which a connection is closed, whatever it says before."""
    with suppress(ConnectionClosed):
        async with asyncio.timeout(PATIENCE):
            while True:
                await made.recv()
    return made.close_code


async def test_close_codes(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """Q22: those of graphql-transport-ws."""
    good = {**INIT, "payload": {"Authorization": f"Bearer {fleet.key}"}}
    wrong = {**INIT, "payload": {"Authorization": "Bearer ag_sk_live_" + "0" * 32}}
    slow = {**ASK, "payload": {"query": "subscription { graphs { goneIds } }"}}
    for expected, messages in {
        4400: [[good, "{"], [good, "[]"], [good, {"type": "hello"}], [good, {**ASK, "id": ""}], [good, {**ASK, "payload": None}], [b"x"]],
        4401: [[ASK]],
        4403: [[INIT], [wrong], [{**INIT, "payload": {"Authorization": 5}}]],
        4409: [[good, slow, slow]],
        4429: [[good, good]],
        1009: [[good, "x" * 9_000_000], ["x" * 2_000_000]],
    }.items():
        for each in messages:
            assert await closed(fleet.address, *each) == expected
    assert await closed(fleet.address, protocol="graphql-ws") == 4406
    monkeypatch.setattr(websocket, "INIT_SECONDS", 0.2)
    assert await closed(fleet.address) == 4408


async def test_who_asks(fleet: Fleet) -> None:  # noqa: F811
    """Q22, Q34: by header, or by what `connection_init` says; a cookie counts for our own pages alone."""
    cookie = f"{COOKIE}={await fleet.door.services.logins.with_key(fleet.key, soon())}"
    for headers, payload, expected in (
        ({"Authorization": f"Bearer {fleet.key}"}, {}, "connection_ack"), ({}, {"Authorization": f"Bearer {fleet.key}"}, "connection_ack"),
        ({"Cookie": cookie, "Origin": f"http://{fleet.address}"}, {}, "connection_ack"),
        ({"Cookie": cookie, "Origin": "https://elsewhere.example"}, {}, 4403), ({"Cookie": cookie}, {}, 4403),
    ):  # fmt: skip
        async with connect(f"ws://{fleet.address}/graphql", subprotocols=[PROTOCOL], additional_headers=headers) as made:
            await made.send(json.dumps({**INIT, "payload": payload}))
            try:
                found = json.loads(await made.recv())["type"]
            except ConnectionClosed as end:
                found = end.rcvd and end.rcvd.code
        assert found == expected, headers


async def test_operations_of_all_kinds(fleet: Fleet) -> None:  # noqa: F811
    """Q22, Q36: queries and mutations too; what cannot be run is an `error`, what fails while it runs a `next`."""
    caller = fleet.caller
    one = await caller.subscribe('{ viewer { account } none: graph(id: "gph_aaaaaaaaaaaa") { id } }')
    message = await one.message()
    assert message["payload"]["data"]["none"] is None
    assert message["payload"]["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert (await one.message())["type"] == "complete"
    made = await caller.subscribe("mutation { createGraph(input: {}) { graph { id } } }")
    assert (await made.message())["payload"]["data"]["createGraph"]["graph"]["id"]
    for query, code in (
        ("{", "GRAPHQL_PARSE_FAILED"), ("subscription { none }", "GRAPHQL_VALIDATION_FAILED"), ("", "BAD_REQUEST"),
        ("subscription { graphs { goneIds } node(graphId: 1, id: 2) { id } }", "GRAPHQL_VALIDATION_FAILED"),
        ("subscription($n: Int!) { graphs(throttleMs: $n) { goneIds } }", "BAD_USER_INPUT"),
        ("subscription { graphs(throttleMs: 100) { goneIds } }", "BAD_USER_INPUT"),
    ):  # fmt: skip
        assert (await (await caller.subscribe(query)).error())["code"] == code
    graph_id = await fleet.door.graph(fleet.key, some(0, 300))
    wide = """subscription($g: ID!) {
      events(graphId: $g, after: "evt_00000000", batchSize: 250) { events { graph { nodes(first: 999) { nodes { id } } } } }
    }"""
    assert (await (await caller.subscribe(wide, g=graph_id)).error())["code"] == "QUERY_TOO_COMPLEX"


async def test_limits_of_connections_keys_and_rates(store: Store) -> None:
    """Q28, Q39: so many subscriptions on a connection and with a key; operations count for the rate limit."""
    most = {"connection_subscriptions": 2, "key_subscriptions": 3}
    async with gateway(store, **most) as (_, address, key), calling(address, key) as one, calling(address, key) as two:
        query = "subscription { graphs { goneIds } }"
        held = [await caller.subscribe(query) for caller in (one, one, two)]
        for each in held:
            await each.next()
        assert [(await (await caller.subscribe(query)).error())["code"] for caller in (one, two)] == ["RATE_LIMITED"] * 2
        async with httpx.AsyncClient() as client:
            headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
            answer = await client.post(f"http://{address}/graphql", json={"query": query}, headers=headers)
        assert answer.status_code == 429
        await held[0].end()
        await asyncio.sleep(0.2)
        await (await two.subscribe(query)).next()
    async with gateway(store, rate_limit=0.01, rate_burst=1) as (door, address, key):
        async with calling(address, key) as caller:
            await caller.subscribe("{ __typename }")
            refused = await (await caller.subscribe("{ __typename }")).error()
        assert refused["code"] == "RATE_LIMITED"
        assert refused["retryAfter"] > 0
        assert not door.services.live.listeners.count


async def test_a_revoked_key_ends_its_subscriptions(store: Store) -> None:
    """Q21: within 5 s, with 4403; over server-sent events with an error."""
    async with gateway(store) as (door, address, _):
        name = account()
        other = await door.key(name, ("read", "write"))
        graph_id = await door.graph(other, some(0, 2))
        admin = await door.key(name, ("admin",))
        async with calling(address, other) as caller, streaming(address, other, EVENTS, {"g": graph_id, "a": "evt_00000000"}) as events:
            await (await caller.subscribe(GRAPH, g=graph_id)).next()
            await anext(events)
            asked = await door.ask(admin, "{ viewer { keys { id scopes } } }")
            (own,) = [each["id"] for each in asked["data"]["viewer"]["keys"] if "WRITE" in each["scopes"]]
            await door.ask(admin, "mutation($id: ID!) { revokeKey(id: $id) { id } }", {"id": own})
            async with asyncio.timeout(5):
                await caller.socket.wait_closed()
                last = [each async for each in events]
            assert caller.socket.close_code == 4403
            assert [each[0] for each in last] == ["next", "complete"]
            assert last[0][2]["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"


async def test_pings(store: Store) -> None:
    """Q28: both ways; a connection that leaves one unanswered is closed, and what it held is freed."""
    async with gateway(store, ping_every=0.3) as (door, address, key), calling(address, key) as patient:
        held = await patient.subscribe("subscription { graphs { goneIds } }")
        await held.next()
        await patient.say({"type": "ping", "payload": {"n": 1}})
        async with calling(address, key, read=False) as silent:
            await silent.subscribe("subscription { graphs { goneIds } }")
            assert await ended(silent.socket) == 1011
        assert door.services.live.listeners.count == 1
        await held.nothing(0.3)
        assert patient.socket.close_code is None
    await freed(door)


async def test_slow_readers_are_told_and_cost_the_others_nothing(store: Store) -> None:
    """Q25: one that takes nothing for too long, or falls too far behind, gets the cursor to go on from; another one goes on meanwhile."""
    async with gateway(store, slow_consumer_after=1.0) as (door, address, key):
        graph_id = await door.graph(key, [])
        body = "x" * 5_000
        async with calling(address, key, read=False) as slow, calling(address, key) as quick:
            await slow.subscribe(PAYLOADS, g=graph_id, n=20)
            fast = await quick.subscribe(PLAIN, g=graph_id, n=1_000)
            await watched(door, 2)
            count = 0
            for first in range(0, 600, 100):
                await door.append(key, graph_id, some(first, 100, detail=body))
            while count < 600:
                count += len((await fast.next(10))["events"])
            await asyncio.sleep(1.5)
            found, last = list[str](), None
            while last is None:
                message = await slow.hear()
                if message["type"] == "next":
                    found += ids(message["payload"]["data"]["events"])
                elif message["type"] == "error":
                    (last,) = message["payload"]
            assert last["extensions"]["code"] == "SLOW_CONSUMER"
            assert found == named(range(len(found)))
            assert len(found) < 600
            on = await quick.subscribe(PLAIN, g=graph_id, c=last["extensions"]["cursor"], n=1_000)
            while len(found) < 600:
                found += ids(await on.next())
            assert found == named(range(600))
    await freed(door)


@pytest.mark.parametrize("revoked", [False, True], ids=["for too long", "with a key that was revoked"])
async def test_streams_that_nobody_reads_are_given_up(store: Store, *, revoked: bool) -> None:
    """Q21, Q25, Q28: an error that nobody takes is not waited for."""
    async with gateway(store, slow_consumer_after=60.0 if revoked else 0.5) as (door, address, key):
        graph_id = await door.graph(key, some(0, 600, detail="x" * 5_000))
        host, _, port = address.partition(":")
        with socket.socket() as narrow:
            narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32_768)
            narrow.connect((host, int(port)))
            body = json.dumps({"query": PAYLOADS, "variables": {"g": graph_id, "a": "evt_00000000", "n": 20}})
            head = f"POST /graphql HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\nAccept: text/event-stream\r\n"
            narrow.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
            await watched(door, 1)
            if revoked:
                (own,) = (await door.ask(key, "{ viewer { keys { id } } }"))["data"]["viewer"]["keys"]
                await door.ask(key, "mutation($id: ID!) { revokeKey(id: $id) { id } }", {"id": own["id"]})
            await freed(door)


async def test_falling_far_behind(store: Store) -> None:
    """Q25: more than so many events behind, after having been level."""
    async with gateway(store, slow_consumer_events=50) as (door, address, key):
        graph_id = await door.graph(key, some(0, 200))
        async with calling(address, key) as caller:
            late = await caller.subscribe(PLAIN, g=graph_id, a="evt_00000000", n=10)
            found = list[str]()
            while len(found) < 199:
                found += ids(await late.next())
            assert found == named(range(1, 200)), "catching up from far behind is no fault"
            async with calling(address, key, read=False) as slow:
                await slow.subscribe(PAYLOADS, g=graph_id, n=1)
                await watched(door, 2)
                for first in range(200, 600, 20):
                    await door.append(key, graph_id, some(first, 20, detail="x" * 5_000))
                kinds = list[str]()
                while "error" not in kinds:
                    message = await slow.hear()
                    kinds.append(message["type"])
                assert message["payload"][0]["extensions"]["code"] == "SLOW_CONSUMER"
                assert len(kinds) < 400


async def test_connections_that_come_and_go_leave_nothing_behind(store: Store, long: bool) -> None:
    """Issue 8: connect, subscribe, drop, in every way in which a caller goes."""
    async with gateway(store) as (door, address, key):
        graph_id = await door.graph(key, some(0, 3))
        before = len(asyncio.all_tasks())
        for number in range(1_000 if long else 40):
            if number % 4 == 3:
                async with streaming(address, key, EVENTS, {"g": graph_id, "a": "evt_00000000"}) as events:
                    await anext(events)
                continue
            async with calling(address, key) as caller:
                each = await caller.subscribe(GRAPH if number % 2 else EVENTS, g=graph_id)
                if number % 2:
                    await each.next()
                if number % 4 == 2:
                    caller.socket.transport.abort()
        await freed(door)
        async with asyncio.timeout(5):
            while len(asyncio.all_tasks()) > before:  # noqa: ASYNC110 - there is nothing to wait for
                await asyncio.sleep(0.05)


async def freed(door: Served) -> None:
    """Returns when nothing is held for anybody; within 5 s (Q28)."""
    async with asyncio.timeout(5):
        while door.services.live.listeners.count or door.services.live.news.watchers:  # noqa: ASYNC110 - there is nothing to wait for
            await asyncio.sleep(0.05)
    gc.collect()
