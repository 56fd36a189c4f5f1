"""The Rho door over HTTP: who may, in which order things are checked, and what each failure looks like (G47-G54, G81-G89)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from app.domain.problems import DeadlineExceeded, StoreUnavailable
from app.domain.rho.envelope import canonical_json, graph_digest
from app.domain.rho.json_text import read_json
from app.domain.rho.profiles import Profile
from app.domain.rho.validate import validate
from app.services.rho.importing import RhoImports
from app.settings import Settings
from app.store.connection import Store
from tests.domain.rho.envelopes import edge, envelope, event, node, session
from tests.grown import event as agent_event
from tests.served import Served, account, served
from tests.store.contents import raw

PROJECT = "orchard-project-0001"
SYNC, READ = "/v1/graph/sync", f"/v1/projects/{PROJECT}/graph"


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Served]:
    async with served(store) as opened:
        yield opened


class Caller:
    """Somebody with a key of an account of their own."""

    def __init__(self, door: Served, key: str) -> None:
        self.key = key
        self._client = door.client

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self._client.get(path, headers={"Authorization": f"Bearer {self.key}"}, **more)

    async def post(self, path: str, body: Any) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self._client.post(path, content=content, headers={"Authorization": f"Bearer {self.key}"})

    async def sync(self, graph: Any, sync_id: str = "sync-1", project: str = PROJECT, **more: Any) -> httpx.Response:
        return await self.post(SYNC, {"syncId": sync_id, "projectId": project, "graph": graph, **more})


@pytest_asyncio.fixture
async def caller(door: Served) -> Caller:
    return Caller(door, await door.key(account()))


def told(answer: httpx.Response) -> tuple[int, str, str | None]:
    """Status, code and path of a failure, which always has a text."""
    body = answer.json()
    assert isinstance(body["error"], str)
    assert body["error"]
    assert answer.headers["cache-control"] == "no-store"
    return answer.status_code, body["code"], body.get("details", {}).get("path")


async def test_credentials(door: Served, caller: Caller) -> None:
    """G81: a bearer key, else `X-API-Key`; without one, or with a wrong one, 401, whatever else is wrong."""
    for path in (READ, "/v1/sessions/!!/graph", "/api/rho/session"):
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"X-API-Key": "wrong"}, {"Authorization": "Basic " + "A" * 44}):
            answer = await door.client.get(path, headers=headers)
            assert told(answer) == (401, "unauthorized", None)
            assert answer.headers["www-authenticate"] == "Bearer"
    assert (await door.client.get(READ, headers={"X-API-Key": caller.key})).status_code == 200
    assert (await door.client.get(READ, headers={"Authorization": f"bearer {caller.key}", "X-API-Key": "wrong"})).status_code == 200
    assert (await door.client.get(READ, headers={"Authorization": "Bearer wrong", "X-API-Key": caller.key})).status_code == 401


@pytest.mark.parametrize(("method", "path", "allowed"), [("PUT", SYNC, "POST"), ("GET", SYNC, "POST"), ("POST", READ, "GET")])
async def test_methods(door: Served, method: str, path: str, allowed: str) -> None:
    """G87: 405, and which method there is."""
    answer = await door.client.request(method, path)
    assert told(answer) == (405, "method_not_allowed", None)
    assert answer.headers["allow"] == allowed


async def test_scopes(door: Served) -> None:
    """O17, Q50: uploads need `write`, reads `read`; a key for certain graphs brings nothing in and sees nothing."""
    name = account()
    writer = Caller(door, await door.key(name, ("write",)))
    reader = Caller(door, await door.key(name, ("read",)))
    assert (await writer.sync(session("a"))).status_code == 202
    assert told(await writer.get(READ)) == (403, "forbidden", None)
    assert told(await reader.sync(session("a"))) == (403, "forbidden", None)
    assert told(await reader.post("/api/rho/import", session("a"))) == (403, "forbidden", None)
    assert len((await reader.get(READ)).json()["graph"]["nodes"]) == 1
    whole = Caller(door, await door.key(name))
    graph_id = await door.graph(whole.key, [])
    restricted = Caller(door, await door.key(name, graph_ids=[graph_id]))
    assert (await restricted.get(READ)).json()["graph"]["nodes"] == []
    assert told(await restricted.sync(session("b"), "sync-2")) == (403, "forbidden", None)
    assert told(await restricted.get("/v1/sessions/a/graph")) == (404, "not_found", None)
    assert (await whole.get("/v1/sessions/a/graph")).status_code == 200


async def test_the_rate_limit(store: Store) -> None:
    """G82, G87: counted after the credential, before anything else is looked at; `Retry-After: 2`."""

    def slow(settings: Settings) -> Settings:
        return settings.model_copy(update={"rate_limit": 0.001, "rate_burst": 1})

    async with served(store, slow) as door:
        caller = Caller(door, await door.key(account()))
        assert told(await caller.get("/v1/sessions/!!/graph")) == (400, "invalid_id", None)
        answer = await caller.get("/v1/sessions/!!/graph")
        assert told(answer) == (429, "rate_limited", None)
        assert answer.headers["retry-after"] == "2"
        assert (await door.client.get("/v1/sessions/a/graph")).status_code == 401


def bodies() -> dict[str, tuple[bytes | dict[str, Any], tuple[int, str, str | None]]]:
    """Uploads that are refused: the body; status, code and path."""
    good = {"syncId": "sync-1", "projectId": PROJECT, "graph": session("a")}
    text = json.dumps(good)
    a = "rho/session/a"

    def graph(*facts: Any, **more: Any) -> dict[str, Any]:
        return {**good, "graph": envelope(*facts, **more)}

    return {
        "empty": (b"", (400, "invalid_json", "")),
        "more after it": (text.encode() + b"{}", (400, "invalid_json", "")),
        "a key twice": ((text[:-1] + ',"syncId":"x"}').encode(), (400, "invalid_json", "")),
        "a key twice within": (text.replace('"edges"', '"nodes": [], "edges"').encode(), (400, "invalid_json", "")),
        "deep": (b'{"graph":' * 50_000, (400, "invalid_json", "")),
        "deep and whole": (text.replace('"events": []', '"events": ' + "[" * 90_000 + "]" * 90_000).encode(), (400, "invalid_json", "")),
        "a number beyond all bounds": (text.replace('"events": []', '"events": 1e400').encode(), (400, "invalid_json", "")),
        "a number of many digits": (text.replace('"events": []', '"events": ' + "9" * 5_000).encode(), (400, "invalid_json", "")),
        "not UTF-8": (text.encode().replace(b"sync-1", b"sync-\xff"), (400, "invalid_json", "")),
        "a lone surrogate": (text.replace("sync-1", "\\udfff").encode(), (400, "invalid_json", "")),
        "a list": (b"[1]", (400, "not_object", "")),
        "another field": ({**good, "z": 1, "extra": 1}, (400, "unknown_field", "extra")),
        "no sync id": ({**good, "syncId": " \t"}, (400, "invalid_sync_id", "syncId")),
        "a number for a sync id": ({**good, "syncId": 1}, (400, "invalid_sync_id", "syncId")),
        "other letters": ({**good, "syncId": "sync/1"}, (400, "invalid_sync_id", "syncId")),
        "a project with space": ({**good, "projectId": " p"}, (400, "invalid_project_id", "projectId")),
        "a long project": ({**good, "projectId": "p" * 129}, (400, "invalid_project_id", "projectId")),
        "a long session": ({**good, "sessionId": "s" * 129}, (400, "invalid_session_id", "sessionId")),
        "a session that is no text": ({**good, "sessionId": 0}, (400, "invalid_session_id", "sessionId")),
        "a null graph": ({**good, "graph": None}, (400, "missing_graph", "graph")),
        "a graph that is none": ({**good, "graph": 3}, (400, "not_object", "")),
        "dangling": (graph(node(a), edge("e", "contains", a, "rho/task/x")), (400, "dangling_edge_target", "edges[0].to")),
        "no subject": (graph(node(a), event("v", "x")), (400, "dangling_event_subject", "events[0].subject")),
        "too many": (graph(*(node(f"n{n}") for n in range(251))), (400, "too_many_nodes", "nodes")),
        "another project": (graph(node(a), scope={"project_id": "other"}), (409, "project_scope_mismatch", "scope.project_id")),
        "a tenant": (graph(node(a), scope={"tenant_id": "t"}), (400, "tenant_scope", "scope.tenant_id")),
        "private": (graph(node(a, prompt="x")), (400, "sensitive_attribute", "nodes[0].attributes.prompt")),
        "too large": (text.encode() + b" " * (1_048_577 - len(text)), (413, "body_too_large", None)),
        "far too large": (b" " * 6_000_000, (413, "body_too_large", None)),
    }


BODIES = bodies()


@pytest.mark.parametrize("name", BODIES)
async def test_refused_uploads(caller: Caller, name: str) -> None:
    """G44, G47-G49, G53: an exact answer, and nothing is stored."""
    body, expected = BODIES[name]
    assert told(await caller.post(SYNC, body)) == expected
    assert (await caller.get(READ)).json()["graph"]["nodes"] == []


async def test_an_upload_at_every_bound(caller: Caller) -> None:
    """G48: the longest names, white space around the sync id, an empty session id."""
    answer = await caller.sync(session("a"), f" {'s' * 256}\n", "p" * 128, sessionId="")
    assert answer.status_code == 202
    assert answer.json() == {"accepted": True, "duplicate": False, "graphDigest": graph_digest(session("a")), "facts": 1}
    again = await caller.sync(session("a"), "s" * 256, "p" * 128)
    assert (again.status_code, again.json()) == (200, {"accepted": True, "duplicate": True, "graphDigest": graph_digest(session("a"))})
    empty = await caller.sync(envelope(), "empty")
    assert (empty.status_code, "facts" in empty.json()) == (202, False)


async def test_simultaneous_uploads(caller: Caller) -> None:
    """G50: exactly one of them is 202; of two graphs under one id, one is accepted and the other a conflict."""
    answers = await asyncio.gather(*(caller.sync(session("a")) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [202]
    answers = await asyncio.gather(*(caller.sync(session(f"b{n}"), "sync-2") for n in range(4)))
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 3
    assert {told(answer)[1:] for answer in answers if answer.status_code == 409} == {("sync_id_conflict", "syncId")}


async def test_what_was_uploaded_is_read_back(caller: Caller) -> None:
    """G54: facts as received, the newest uploads first, of one session if it is named, so many of each type."""
    a, b = "rho/session/a", "rho/task/b"
    first = envelope(node(a, status="working"), node(b), edge("e", "contains", a, b), event("v", b))
    await caller.sync(first, "s1", sessionId="a")
    await caller.sync(session("c"), "s2", sessionId="c")
    body = (await caller.get(READ)).json()
    assert (body["limits"], body["pagination"]) == ({"perFactType": 100}, {"next_cursor": None})
    graph = body["graph"]
    assert (graph["schema_version"], graph["scope"]) == ("rho-local.graph/v1", {"project_id": PROJECT})
    assert [one["id"] for one in graph["nodes"]] == [a, "rho/session/c", b]
    assert (graph["edges"], graph["events"]) == (first["edges"], first["events"])
    assert graph["nodes"][0] == first["nodes"][0]
    of_c = (await caller.get(READ, params={"sessionId": "c", "limit": 1_000})).json()
    assert (of_c["graph"]["nodes"], of_c["limits"]) == (session("c")["nodes"], {"perFactType": 250})
    cut = (await caller.get(READ, params={"limit": "1"})).json()["graph"]
    assert [len(cut[name]) for name in ("nodes", "edges", "events")] == [1, 1, 1]
    assert (await caller.get("/v1/projects/none/graph")).json()["graph"]["nodes"] == []


@pytest.mark.parametrize(
    ("path", "params", "code"),
    [
        (READ, {"limit": "0"}, "invalid_limit"),
        (READ, {"limit": "-1"}, "invalid_limit"),
        (READ, {"limit": ""}, "invalid_limit"),
        (READ, {"limit": "1.0"}, "invalid_limit"),
        (READ, {"sessionId": "a b"}, "invalid_session_id"),
        ("/v1/projects//graph", {}, "invalid_project_id"),
        ("/v1/projects/a%2Fb/graph", {}, "invalid_project_id"),
        ("/v1/sessions//graph", {}, "missing_id"),
        ("/v1/sessions/%20%09/graph", {}, "missing_id"),
        ("/v1/sessions/../graph", {}, "invalid_id"),
        ("/v1/sessions/%2E%2E/graph", {}, "invalid_id"),
        ("/v1/sessions/a%2Fb/graph", {}, "invalid_id"),
        (f"/v1/sessions/{'a' * 129}/graph", {}, "invalid_id"),
        ("/v1/sessions/ä/graph", {}, "invalid_id"),
        ("/v1/sessions/a/graph", {"repository": "a\nb"}, "invalid_repository"),
        ("/v1/sessions/a/graph", {"repository": "ä" * 129}, "invalid_repository"),
        ("/v1/sessions/!/graph", {"repository": "a\nb"}, "invalid_id"),
    ],
)
async def test_refused_reads(caller: Caller, path: str, params: dict[str, str], code: str) -> None:
    """G54, G82-G84, G87."""
    if ".." in path:  # clients resolve that by themselves
        path = path.replace("..", "%2E%2E")
    answer = await caller.get(path, params=params)
    assert told(answer)[:2] == (400, code)


def fleet() -> list[dict[str, Any]]:
    """A session with an agent, and one that another session's agent started."""
    return [
        agent_event(1, "session.started", "s1", 0, cwd="/home/x/orchard", title="Secret title"),
        agent_event(2, "agent.spawned", "s1/a", 1_000, "s1"),
        agent_event(3, "agent.finished", "s1/a", 2_000, "s1"),
        agent_event(4, "session.started", "s2", 3_000),
    ]


async def test_a_session_is_given_as_a_graph(door: Served, caller: Caller) -> None:
    """G81-G86: by any of its names, in the scope that was asked for or its directory's; made now; valid, canonical, and kept by nobody."""
    await door.graph(caller.key, fleet())
    answers = [await caller.get(f"/v1/sessions/{name}/graph") for name in ("acme.s1", " acme.s1 ")]
    body = answers[0].text
    assert answers[1].text == body
    assert answers[0].headers["content-type"] == "application/json"
    assert answers[0].headers["cache-control"] == "no-store"
    document = read_json(body)
    validate(document, Profile.PORTABLE, closed=True)
    assert canonical_json(document) == body
    assert document["scope"] == {"repository_id": "orchard"}
    assert document["generated_at"].startswith("2026-03-02T")  # what the tests' clock says
    assert [one["id"] for one in document["nodes"]] == ["rho/runtime-task/acme.s1.a", "rho/session/acme.s1"]
    assert "Secret" not in body
    assert "/home" not in body
    scoped = await caller.get("/v1/sessions/acme.s1/graph?repository=%20mine%20&repository=other&unknown=1")
    assert scoped.json()["scope"] == {"repository_id": "mine"}
    assert told(await caller.get("/v1/sessions/acme.s9/graph")) == (404, "not_found", None)
    stranger = Caller(door, await door.key(account()))
    assert told(await stranger.get("/v1/sessions/acme.s1/graph")) == (404, "not_found", None)


async def test_an_upload_of_a_finished_session_repeats(door: Served, caller: Caller) -> None:
    """G46, M24: as of its own last event, whatever happens elsewhere in its graph; the latest session where none is named (G90)."""
    graph_id = await door.graph(caller.key, fleet())

    async def made(**params: str) -> Any:
        answer = await caller.get("/api/rho/session", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    first = await made(id="acme.s1", upload="1")
    assert first["generated_at"] == "2027-01-01T00:00:02Z"
    await door.append(caller.key, graph_id, [agent_event(5, "session.started", "s3", 60_000)])
    assert await made(id="acme.s1", upload="1") == first
    assert (await made(id="acme.s1"))["generated_at"] != first["generated_at"]
    assert "rho/session/acme.s3" in [one["id"] for one in (await made())["nodes"]]


async def test_imports(caller: Caller) -> None:
    """M6: a local graph through the door that commands use, private attributes and all; the session is there by its name then."""
    document = session("x", prompt="private", created="now")
    answer = await caller.post("/api/rho/import?project=p1", document)
    body = answer.json()
    assert (answer.status_code, body["created"], body["facts"]) == (200, True, 1)
    assert not (await caller.post("/api/rho/import?project=p1", document)).json()["created"]
    assert (await caller.get("/v1/sessions/x/graph")).text == canonical_json(document)
    assert told(await caller.post("/api/rho/import?project=a%20b", document)) == (400, "invalid_project_id", "projectId")
    assert told(await caller.post("/api/rho/import", {**document, "x": 1})) == (400, "unknown_field", "x")
    assert told(await caller.post("/api/rho/import", b" " * 1_048_577)) == (413, "body_too_large", None)


async def test_a_damaged_snapshot(store: Store, caller: Caller) -> None:
    """M10: 500 `integrity_error`, never a doubtful document."""
    key = (await caller.post("/api/rho/import", session("x"))).json()["snapshot"]
    await raw(store, "MATCH (s:RhoSnapshot {key: $key})-[:RHO_NODE]->(n) SET n.body = '{}'", key=key)
    assert told(await caller.get("/v1/sessions/x/graph")) == (500, "integrity_error", None)


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        (StoreUnavailable(), 503, "graph_unavailable"),
        (DeadlineExceeded(), 503, "graph_unavailable"),
        (RuntimeError("secret"), 500, "internal"),
    ],
)
async def test_faults(store: Store, monkeypatch: pytest.MonkeyPatch, fault: Exception, status: int, code: str) -> None:
    """O30, G53, G87: a store that is gone is 503 with a pause to make; what nobody foresaw is 500 and tells nothing."""

    async def failing(*_: Any, **__: Any) -> Any:
        raise fault

    async with served(store) as door:
        caller = Caller(door, await door.key(account()))
        monkeypatch.setattr(RhoImports, "sync", failing)
        answer = await caller.sync(session("a"))
        assert told(answer) == (status, code, None)
        assert "secret" not in answer.text
        assert ("retry-after" in answer.headers) == (status == 503)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("id", "kind", "nodes", "x")), inner, max_size=3),
    max_leaves=8,
)


@hypothesis_settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
async def test_no_input_is_a_surprise(caller: Caller, data: st.DataObject) -> None:
    """G53: whatever is put in the place of any part of an upload, the answer is 202, 200 or an exact refusal, never a 500."""
    a = "rho/session/a"
    document: Any = {"syncId": "s", "projectId": "p", "graph": envelope(node(a), edge("e", "contains", a, a), event("v", a))}
    place, path = document, []
    while isinstance(place, dict | list) and place and (not path or data.draw(st.booleans())):
        path.append(data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place)))))
        place = place[path[-1]]
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = data.draw(JSON_VALUES)
    answer = await caller.post(SYNC, document)
    assert answer.status_code in (200, 202, 400, 409), answer.text
    if answer.status_code >= 400:
        told(answer)
