"""The client for Rho's addresses, blocking and not: what it sends is prepared, what it gets is checked (G93, G94)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from app.client import AsyncRhoClient, Refused, RhoClient, RhoFailure
from app.domain.rho.envelope import graph_digest
from app.domain.rho.normalize import prepare
from app.store.connection import Store
from tests.conformance.test_rho import CASES
from tests.domain.rho.envelopes import edge, envelope, event, node, session
from tests.grown import event as agent_event
from tests.served import account, served

KEY = "ag_sk_live_" + "0" * 32
Handler = Callable[[httpx.Request], httpx.Response]
Calls = Callable[[Handler, str, tuple[Any, ...]], Awaitable[Any]]


async def blocking(handler: Handler, method: str, arguments: tuple[Any, ...]) -> Any:
    """A call of the client that blocks."""
    with RhoClient("http://rho.test/", KEY, transport=httpx.MockTransport(handler)) as client:
        return getattr(client, method)(*arguments)


async def waiting(handler: Handler, method: str, arguments: tuple[Any, ...]) -> Any:
    """A call of the one that does not."""
    async with AsyncRhoClient("http://rho.test/", KEY, transport=httpx.MockTransport(handler)) as client:
        return await getattr(client, method)(*arguments)


BOTH = pytest.mark.parametrize("call", [blocking, waiting])


@pytest.mark.once
async def test_against_the_door(store: Store) -> None:
    """G93: a session as a graph, uploaded, uploaded again."""
    async with served(store) as door:
        key = await door.key(account())
        await door.graph(key, [agent_event(1, "session.started", "s1", 0, cwd="/home/x/orchard")])
        async with AsyncRhoClient("http://graphs.test", key, transport=door.client._transport) as client:
            graph = await client.graph("acme.s1", "mine")
            assert graph["scope"] == {"repository_id": "mine"}
            first = await client.sync(graph, "p1", "acme.s1")
            second = await client.sync(graph, "p1")
            prepared = prepare(graph)
            assert (first.sync_id, first.graph_digest, first.duplicate) == (prepared.sync_id, graph_digest(prepared.document), False)
            assert (second.sync_id, second.facts, second.duplicate) == (first.sync_id, first.facts, True)
            with pytest.raises(RhoFailure) as failure:
                await client.graph("none")
            assert (failure.value.status, failure.value.code) == (404, "not_found")


@BOTH
async def test_what_is_sent(call: Calls) -> None:
    """G45, G47, G81: addresses, credentials, the prepared document; no session id where there is none."""
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if request.method == "GET":
            return httpx.Response(200, json=session("a"))
        return httpx.Response(299, json={"accepted": True, "duplicate": False, "graphDigest": "d"})

    document = CASES["normalize-whole-envelope"]["input"]["envelope"]
    assert await call(handler, "graph", ("a b/..", "x&y")) == session("a")
    done = await call(handler, "sync", (document, "p1", "s1"))
    await call(handler, "sync", (document, "p1"))
    assert str(seen[0].url) == "http://rho.test/v1/sessions/a%20b%2F../graph?repository=x%26y"
    assert {request.headers["authorization"] for request in seen} == {f"Bearer {KEY}"}
    sent = json.loads(seen[1].content)
    expected = CASES["normalize-whole-envelope"]["expect"]
    assert sent == {"syncId": expected["sync_id"], "projectId": "p1", "sessionId": "s1", "graph": expected["prepared"]}
    assert "sessionId" not in json.loads(seen[2].content)
    assert (done.sync_id, done.facts, done.graph_digest) == (expected["sync_id"], expected["facts"], "d")


A = "rho/session/a"
WRONG = {
    "an attribute that is no text": ({**session("a"), "nodes": [node(A) | {"attributes": {"n": 1}}]}, "attribute_not_string"),
    "an event about nobody": (envelope(node(A), event("v", "rho/task/x")), "dangling_event_subject"),
    "an edge to nobody": (envelope(node(A), edge("e", "contains", A, "rho/task/x")), "dangling_edge_target"),
    "another schema": ({**session("a"), "schema_version": "rho.graph/v2"}, "unsupported_schema_version"),
}


@BOTH
@pytest.mark.parametrize("name", WRONG)
async def test_what_comes_is_checked(call: Calls, name: str) -> None:
    """G93, G94: the whole portable profile, before anything is handed over."""
    document, kind = WRONG[name]
    with pytest.raises(Refused) as refused:
        await call(lambda _: httpx.Response(200, json=document), "graph", ("a",))
    assert refused.value.kind == kind


@BOTH
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (httpx.Response(401, json={"error": "unauthorized", "code": "unauthorized"}), "unauthorized"),
        (httpx.Response(409, json={"error": "in use", "code": "sync_id_conflict"}), "sync_id_conflict"),
        (httpx.Response(502, text="<html>"), None),
        (httpx.Response(200, json=[]), None),
    ],
)
async def test_failures(call: Calls, answer: httpx.Response, code: str | None) -> None:
    """G53, G87, G93: told with status and code, whatever answered."""
    for method, arguments in (("graph", ("a",)), ("sync", (session("a"), "p"))):
        with pytest.raises(RhoFailure) as failure:
            await call(lambda _: httpx.Response(answer.status_code, content=answer.content), method, arguments)
        assert (failure.value.status, failure.value.code) == (answer.status_code, code)


@BOTH
async def test_what_may_not_leave_is_not_sent(call: Calls) -> None:
    """G26, G31, G44: a tenant, and more than a mebibyte."""

    def handler(_: httpx.Request) -> httpx.Response:
        raise AssertionError("sent")

    with pytest.raises(Refused, match="tenant_scope"):
        await call(handler, "sync", (envelope(node(A), scope={"tenant_id": "t"}), "p"))
    large = [node(f"rho/task/{number:03d}", **{f"a{place}": "x" * 500 for place in range(20)}) for number in range(240)]
    with pytest.raises(Refused, match="body_too_large"):
        await call(handler, "sync", (envelope(*large), "p"))
