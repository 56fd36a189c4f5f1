"""What clients and the way in between may keep (Q30, Q31), and how much they may ask (Q39)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

import pytest
import pytest_asyncio

from app.store.connection import Store
from tests.graphql.test_http import Door, code
from tests.grown import event
from tests.served import Served, account, served

pytestmark = pytest.mark.once

EVENTS = [event(n, "status", "one", 1_000 * n, state="working") for n in range(3)]
LAST = "evt_00000002"


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Door]:
    async with served(store) as found:
        name = account()
        yield Door(found, await found.key(name), await found.key(name, ("read",)), await found.key(name, ("write",)))


@pytest_asyncio.fixture(scope="module")
async def graph_id(door: Door) -> str:
    return await door.served.graph(door.key, list(EVENTS))


async def test_the_same_answer_is_not_sent_twice(door: Door, graph_id: str) -> None:
    """Q31, R29, R30: a weak tag made of the bytes; a new event makes another."""
    asked = {"query": f'{{ graph(id: "{graph_id}") {{ events {{ totalCount }} }} }}'}
    first = await door.get(asked)
    tag = first.headers["etag"]
    assert tag.startswith('W/"')
    assert (first.headers["cache-control"], first.headers["vary"]) == ("private, no-cache", "Authorization, Cookie, Accept")
    for known in (tag, f'"x", {tag} '):
        again = await door.get(asked, **{"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["cache-control"] == "private, no-cache"
        assert "content-type" not in again.headers
    for unknown in ("*", tag.removeprefix("W/"), 'W/"x"'):
        assert (await door.get(asked, **{"If-None-Match": unknown})).status_code == 200
    await door.served.append(door.key, graph_id, [event(100, "status", "one", 100_000, state="idle")])
    changed = await door.get(asked, **{"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag


async def test_errors_and_posts_are_not_kept(door: Door, graph_id: str) -> None:
    """Q31: no-store with an error; tags are for GET alone."""
    wrong = await door.get({"query": '{ graph(id: "gph_aaaaaaaaaaaa") { id } }'})
    assert (wrong.headers["cache-control"], "etag" in wrong.headers) == ("no-store", False)
    posted = await door.post({"query": f'{{ graph(id: "{graph_id}") {{ id }} }}'})
    assert (posted.headers["cache-control"], "etag" in posted.headers) == ("private, no-cache", False)


AT = f'asOf: {{event: "{LAST}"}}'
MINUTE = [
    f"{{ graph(id: $g, {AT}) {{ id key asOfTime eventsCursor counts {{ nodes }} nodes {{ nodes {{ id graph {{ key }} }} }} }} }}",
    f"{{ __typename a: graph(id: $g, {AT}) {{ ...f }} b: graph(id: $g, {AT}) {{ ...f }} }} fragment f on Graph {{ id asOfEventId }}",
    f'{{ graph(id: $g, {AT}) {{ difference(from: {{event: "evt_00000000"}}) {{ eventCount }} }} }}',
    f'{{ graph(id: $g, {AT}) {{ node(ref: "acme:one") {{ at(asOf: {{event: "evt_00000000"}}) {{ state }} }} }} }}',
]
AGAIN = [
    f'{{ graph(id: $g, {AT}) {{ node(ref: "acme:one") {{ rho {{ id }} }} }} }}',
    f'{{ graph(id: $g, {AT}) {{ node(ref: "acme:one") {{ rhoExport {{ digest }} }} }} }}',
    "{ graph(id: $g) { id } }",
    "{ graph(id: $g, asOf: null) { id } }",
    "{ graph(id: $g, asOf: {time: 1798761999000}) { id } }",
    f"{{ graph(id: $g, {AT}) {{ id }} viewer {{ account }} }}",
    f"{{ graph(id: $g, {AT}) {{ id }} graphs {{ totalCount }} }}",
    f"{{ graph(id: $g, {AT}) {{ difference(from: {{time: 1798761600000}}) {{ eventCount }} }} }}",
    f'{{ graph(id: $g, {AT}) {{ node(ref: "acme:one") {{ at(asOf: {{time: 1798761600000}}) {{ state }} }} }} }}',
    f"{{ graph(id: $g, {AT}) {{ nodes {{ nodes {{ graph {{ ...f }} }} }} }} }} fragment f on Graph {{ ... on Graph {{ live }} }}",
    *(f"{{ graph(id: $g, {AT}) {{ {name} }} }}" for name in ("source", "title", "url", "created", "lastEvent", "live")),
    f"{{ graph(id: $g, {AT}) {{ timeline {{ from }} }} }}",
    f"{{ graph(id: $g, {AT}) {{ retention {{ eventCount }} }} }}",
]


@pytest.mark.parametrize(("selection", "expected"), [*((each, 60) for each in MINUTE), *((each, 0) for each in AGAIN)])
async def test_only_what_is_fixed_may_be_kept_for_a_minute(door: Door, graph_id: str, selection: str, expected: int) -> None:
    """Q31: by event alone, and with nothing of now (Q2) or of a time under it; never immutable."""
    answer = await door.get({"query": f"query($g: ID!) {selection}", "variables": json.dumps({"g": graph_id})})
    assert "errors" not in answer.json(), answer.json()
    assert answer.headers["cache-control"] == (f"private, max-age={expected}" if expected else "private, no-cache")


@pytest.mark.parametrize(
    ("declared", "sent", "expected"),
    [
        ("$a: AsOf", {"a": {"event": LAST}}, 60), ("$a: AsOf", {"a": {"time": 1_798_761_999_000}}, 0), ("$a: AsOf", {"a": None}, 0),
        ("$a: AsOf", {}, 0), (f'$a: AsOf = {{event: "{LAST}"}}', {}, 60), (f'$a: AsOf = {{event: "{LAST}"}}', {"a": None}, 0),
    ],
)  # fmt: skip
async def test_moments_in_variables_count_as_they_are_sent(
    door: Door, graph_id: str, declared: str, sent: dict[str, Any], expected: int
) -> None:
    """Q31: what the document says alone is not enough."""
    variables = json.dumps({"g": graph_id, **sent})
    answer = await door.get({"query": f"query($g: ID!, {declared}) {{ graph(id: $g, asOf: $a) {{ id }} }}", "variables": variables})
    assert answer.headers["cache-control"] == (f"private, max-age={expected}" if expected else "private, no-cache")


def persisted(query: str, **more: Any) -> dict[str, Any]:
    return {"persistedQuery": {"version": 1, "sha256Hash": sha256(query.encode()).hexdigest(), **more}}


async def test_a_document_is_sent_once_and_then_named(door: Door) -> None:
    """Q30, Q43: not found first, kept with its text, by POST and GET alike; a document that is wrong is not kept."""
    query = "query Kept { viewer { account } }"
    for accept, status in (("application/graphql-response+json", 400), ("application/json", 200)):
        unknown = await door.post({"extensions": persisted(query)}, Accept=accept)
        assert (unknown.status_code, code(unknown)) == (status, "PERSISTED_QUERY_NOT_FOUND")
        assert "data" not in unknown.json()
    whole = await door.post({"query": query, "extensions": persisted(query)})
    named = await door.post({"extensions": persisted(query), "operationName": "Kept"})
    by_get = await door.get({"extensions": json.dumps(persisted(query))})
    assert whole.json() == named.json() == by_get.json() == {"data": {"viewer": {"account": whole.json()["data"]["viewer"]["account"]}}}
    wrong = "{ nothing }"
    assert code(await door.post({"query": wrong, "extensions": persisted(wrong)})) == "GRAPHQL_VALIDATION_FAILED"
    assert code(await door.post({"extensions": persisted(wrong)})) == "PERSISTED_QUERY_NOT_FOUND"


@pytest.mark.parametrize("more", [{"version": 2}, {"sha256Hash": 5}, {"sha256Hash": "x" * 64}, {"sha256Hash": "0" * 64}])
async def test_other_names_of_documents_are_no_request(door: Door, more: dict[str, Any]) -> None:
    """Q30: version 1, and a SHA-256 that is the document's."""
    query = "{ __typename }"
    answer = await door.post({"query": query, "extensions": persisted(query, **more)})
    assert (answer.status_code, code(answer)) == (400, "BAD_REQUEST")


async def test_a_key_has_so_many_requests(store: Store) -> None:
    """Q39, Q43, R13, R14: 429 with Retry-After, whatever the media type; a 304 costs nothing, anything else a token."""
    async with served(store, lambda settings: settings.model_copy(update={"rate_limit": 2.0, "rate_burst": 3})) as found:
        name = account()
        own: Served = found
        key, other = await own.key(name), await own.key(name)
        door = Door(own, key, key, key)
        query = {"query": "{ viewer { account } }"}
        first = await door.get(query)
        assert first.headers["ratelimit-remaining"] == "2"
        for _ in range(5):
            again = await door.get(query, **{"If-None-Match": first.headers["etag"]})
            assert (again.status_code, again.headers["ratelimit-remaining"]) == (304, "2")
        assert (await door.post({"query": "{"})).headers["ratelimit-remaining"] == "1"
        assert (await door.post("[]")).headers["ratelimit-remaining"] == "0"
        refused = await door.get(query, **{"If-None-Match": first.headers["etag"]})
        assert (refused.status_code, code(refused), refused.headers["retry-after"]) == (429, "RATE_LIMITED", "1")
        assert refused.json()["errors"][0]["extensions"] == {"code": "RATE_LIMITED", "retryAfter": 1}
        assert refused.headers["cache-control"] == "no-store"
        limits = [refused.headers[f"ratelimit-{each}"] for each in ("limit", "remaining", "reset")]
        assert limits == ["2", "0", "2"]
        assert (await door.post(query, other)).status_code == 200
        own.clock.ms += 500
        assert (await door.get(query)).status_code == 200
