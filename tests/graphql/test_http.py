"""GraphQL over HTTP (Q29, Q33, Q34, Q40-Q43): statuses, media types, and what is refused before anything is read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.domain.problems import StoreUnavailable
from app.graphql.http import graphql_routes
from app.store.connection import Store
from tests.served import Served, account, served

pytestmark = pytest.mark.once

RESPONSE = "application/graphql-response+json"


@dataclass
class Door:
    """A door with keys of one account."""

    served: Served
    key: str
    reading: str
    writing: str

    async def post(self, body: Any, key: str | None = "", **headers: str) -> httpx.Response:
        """A POST with this body, JSON if it is no text."""
        given = {"Content-Type": "application/json", **({} if key is None else {"Authorization": f"Bearer {key or self.key}"}), **headers}
        content = body if isinstance(body, str | bytes) else json.dumps(body)
        return await self.served.client.post("/graphql", content=content, headers=given)

    async def get(self, params: dict[str, str], **headers: str) -> httpx.Response:
        """A GET with these parameters."""
        return await self.served.client.get("/graphql", params=params, headers={"Authorization": f"Bearer {self.key}", **headers})


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Door]:
    async with served(store) as found:
        name = account()
        yield Door(found, await found.key(name), await found.key(name, ("read",)), await found.key(name, ("write",)))


def code(answer: httpx.Response) -> str:
    """The code of the only error."""
    (error,) = answer.json()["errors"]
    found: str = error["extensions"]["code"]
    return found


async def test_media_types(door: Door) -> None:
    """Q29: the newer media type for whoever names it, else plain JSON."""
    for accept, expected in (
        (RESPONSE, RESPONSE), (f"application/json;q=0.5, {RESPONSE}", RESPONSE), ("application/json", "application/json"),
        ("*/*", "application/json"), (f"application/json, {RESPONSE};q=0.9", "application/json"), ("", "application/json"),
    ):  # fmt: skip
        answer = await door.post({"query": "{ __typename }"}, Accept=accept)
        assert answer.headers["content-type"] == f"{expected}; charset=utf-8"
        assert answer.json() == {"data": {"__typename": "Query"}}


async def test_queries_by_get(door: Door) -> None:
    """Q29: GET takes queries with their variables; a mutation is 405."""
    query = "query A($y: Boolean!) { __typename @include(if: $y) } query B { viewer { account } }"
    answer = await door.get({"query": query, "variables": '{"y": true}', "operationName": "A"})
    assert answer.json() == {"data": {"__typename": "Query"}}
    mutation = await door.get({"query": "mutation { createGraph(input: {}) { graph { id } } }"})
    assert (mutation.status_code, mutation.headers["allow"], code(mutation)) == (405, "POST", "BAD_REQUEST")
    for params in ({}, {"query": ""}, {"query": "{ __typename }", "variables": "["}, {"query": "{ __typename }", "variables": "[]"}):
        assert (await door.get(params)).status_code == 400


NO_REQUEST = (
    ("{", 400), ("[]", 400), ('[{"query": "{ __typename }"}]', 400), ('"query"', 400), ({}, 400), ({"query": 5}, 400),
    ({"query": "{ __typename }", "variables": []}, 400), ({"query": "{ __typename }", "operationName": 5}, 400),
    ({"query": "{ __typename }", "extensions": "x"}, 400), (b"\xff\xfe", 400),
)  # fmt: skip


@pytest.mark.parametrize(("body", "status"), NO_REQUEST)
async def test_what_is_no_request(door: Door, body: Any, status: int) -> None:
    """Q33, Q43: batches and everything else that is no GraphQL request, whatever the media type."""
    for accept in (RESPONSE, "application/json"):
        answer = await door.post(body, Accept=accept)
        assert (answer.status_code, code(answer)) == (status, "BAD_REQUEST")
        assert "data" not in answer.json()
        assert answer.headers["cache-control"] == "no-store"


async def test_other_bodies_and_methods(door: Door) -> None:
    """Q34, Q43: text, forms and other encodings are 415, other methods 405."""
    body = json.dumps({"query": "{ __typename }"})
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json; charset=latin-1", ""):
        assert (await door.post(body, **{"Content-Type": kind})).status_code == 415
    put = await door.served.client.put("/graphql", content=body)
    assert (put.status_code, put.headers["allow"]) == (405, "GET, POST")


async def test_bodies_have_a_size(door: Door) -> None:
    """Q33: over 1 MiB is 413, over 8 MiB with a key that may write, also where the length is not told."""
    large = json.dumps({"query": "{ __typename }", "variables": {"x": "x" * 1_100_000}})
    assert (await door.post(large, door.reading)).status_code == 413
    assert (await door.post(large, door.key)).status_code == 200

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * 100_000

    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {door.reading}"}
    answer = await door.served.client.post("/graphql", content=pieces(), headers=headers)
    assert (answer.status_code, code(answer)) == (413, "BAD_REQUEST")

    for key, most in ((door.reading, 2**20), (door.writing, 2**23)):
        told = await door.post({"query": "{ server { limits { bodyBytes } } }"}, key)
        assert told.json()["data"]["server"]["limits"]["bodyBytes"] == most


async def test_without_a_key(door: Door) -> None:
    """Q43: 401, whatever is asked; the key itself is never told."""
    wrong = "ag_sk_live_" + "x" * 32
    for key in (None, wrong, "nonsense"):
        answer = await door.post({"query": "{ __typename }"}, key)
        assert (answer.status_code, code(answer)) == (401, "UNAUTHENTICATED")
        assert wrong not in answer.text


NOT_RUN = (
    ({"query": "{"}, "GRAPHQL_PARSE_FAILED"),
    ({"query": "{ nothing }"}, "GRAPHQL_VALIDATION_FAILED"),
    ({"query": "{ " + "__typename " * 5_000 + "}"}, "TOO_MANY_TOKENS"),
    ({"query": "query($g: ID!) { graph(id: $g) { id } }"}, "BAD_USER_INPUT"),
    ({"query": "query($g: ID!) { graph(id: $g) { id } }", "variables": {"g": {}}}, "BAD_USER_INPUT"),
    ({"query": "query A { __typename }", "operationName": "B"}, "BAD_USER_INPUT"),
    ({"query": "query A { __typename } query B { __typename }"}, "BAD_USER_INPUT"),
    ({"query": "fragment f on Query { __typename }"}, "GRAPHQL_VALIDATION_FAILED"),
)  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), NOT_RUN)
async def test_what_is_not_run(door: Door, body: Any, expected: str) -> None:
    """Q43: no `data`; 400 with the newer media type, 200 with plain JSON."""
    for accept, status in ((RESPONSE, 400), ("application/json", 200)):
        answer = await door.post(body, Accept=accept)
        assert answer.status_code == status
        assert "data" not in answer.json()
        assert {error["extensions"]["code"] for error in answer.json()["errors"]} == {expected}


async def test_scopes(door: Door) -> None:
    """Q20, O17: reading needs READ, writing WRITE, and neither includes the other."""
    create = {"query": "mutation { createGraph(input: {}) { __typename } }"}
    read = {"query": "{ graphs { totalCount } }"}
    assert code(await door.post(create, door.reading)) == "FORBIDDEN"
    assert code(await door.post(read, door.writing)) == "FORBIDDEN"
    assert (await door.post(create, door.writing)).json() == {"data": {"createGraph": {"__typename": "CreateGraphPayload"}}}


async def test_surprises_are_told_by_the_request_id_alone(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Q40, Q42: what was not foreseen is INTERNAL, with the request id and nothing else."""

    async def broken(*_: Any) -> None:
        raise RuntimeError("/somewhere/secret")

    monkeypatch.setattr(type(door.served.services.graphs), "list", broken)
    answer = await door.post({"query": "{ graphs { totalCount } }"})
    (error,) = answer.json()["errors"]
    assert error["extensions"] == {"code": "INTERNAL", "requestId": answer.headers["request-id"]}
    assert "secret" not in answer.text
    assert answer.status_code == 200


async def test_a_store_that_is_gone_is_503(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Q43: before anything is worked out, with Retry-After."""

    async def gone(*_: Any) -> None:
        raise StoreUnavailable

    monkeypatch.setattr(type(door.served.services.graphs), "at", gone)
    answer = await door.post({"query": '{ graph(id: "gph_aaaaaaaaaaaa") { id } }'})
    assert (answer.status_code, answer.headers["retry-after"], code(answer)) == (503, "1", "STORE_UNAVAILABLE")
    beside = await door.post({"query": '{ viewer { account } graph(id: "gph_aaaaaaaaaaaa") { id } }'})
    assert beside.status_code == 200


async def test_graphiql(door: Door) -> None:
    """Q32, O21: a page for browsers without a key, under a policy that allows no inline script and no other origin."""
    answer = await door.served.client.get("/graphql", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "http" not in policy
    assert "<script>" not in answer.text
    off = door.served.services.settings.model_copy(update={"graphiql": False, "introspection": False})
    route, _ = graphql_routes(door.served.services, off)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(route.app), base_url="http://graphs.test") as client:  # type: ignore[attr-defined]
        assert (await client.get("/graphql", headers={"Accept": "text/html"})).status_code == 401
        asked = {"query": "{ __schema { description } }"}
        answer = await client.post("/graphql", json=asked, headers={"Authorization": f"Bearer {door.key}"})
        assert code(answer) == "GRAPHQL_VALIDATION_FAILED"


async def test_budget(door: Door) -> None:
    """Q36: nested children are fine on a small graph; going up and down multiplies and is refused, with cost and limit."""
    events = [
        {"v": 1, "id": f"{n:026d}", "ts": f"2027-01-01T00:00:{n:02d}.000Z", "type": "agent.spawned", "node": f"acme:s/{n}"}
        for n in range(40)
    ]
    graph_id = await door.served.graph(door.key, events)
    down = "children(first: 1000) { nodes { " * 6 + "id" + " } }" * 6
    fine = await door.post({"query": f'{{ graph(id: "{graph_id}") {{ roots {{ nodes {{ {down} }} }} }} }}'})
    assert "errors" not in fine.json()
    up = "children(first: 1000) { nodes { parent { " * 4 + "id" + " } } }" * 4
    refused = await door.post({"query": f'{{ graph(id: "{graph_id}") {{ roots {{ nodes {{ {up} }} }} }} }}'})
    (error,) = refused.json()["errors"]
    assert error["extensions"]["code"] == "QUERY_TOO_COMPLEX"
    many = await door.post({"query": "{ graphs(first: 1000) { nodes { timeline(buckets: 1000) { from } } } }"})
    assert many.json()["errors"][0]["extensions"] == {"code": "QUERY_TOO_COMPLEX", "cost": 1_001_000, "limit": 100_000}
    assert error["extensions"]["cost"] > error["extensions"]["limit"] == 100_000


async def test_bodies_that_do_not_come_are_not_waited_for(store: Store) -> None:
    """Q38, Q43: no longer than an append may take."""

    async def begun() -> AsyncIterator[bytes]:
        yield b'{"query": '
        await asyncio.sleep(60)

    async with served(store, lambda usual: usual.model_copy(update={"write_deadline": 0.3})) as door:
        key = await door.key(account())
        given = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        async with asyncio.timeout(30):
            answer = await door.client.post("/graphql", content=begun(), headers=given)
    assert (answer.status_code, code(answer)) == (400, "BAD_REQUEST")
