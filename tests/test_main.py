"""The application as a whole: health, ids, logs, time (O16, O26, O28, O30)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from app.services.logins import CODE_MS
from app.settings import StoreAddress
from tests.application import Opened, opened
from tests.faults.proxy import proxied
from tests.timing import least

REQUEST_ID = re.compile(r"req_[A-Za-z0-9_-]{16}")


@pytest.fixture(scope="module")
async def gateway(store_address: StoreAddress, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Opened]:
    async with opened(store_address, tmp_path_factory.mktemp("main"), log_format="json") as found:
        yield found


async def test_health_needs_no_key_and_tells_nothing_else(gateway: Opened) -> None:
    """O26."""
    for path in ("/healthz", "/readyz"):
        answer = await gateway.nobody.get(path)
        assert answer.status_code == 200
        assert list(answer.json()) == ["status"]


@pytest.mark.parametrize("path", ["/healthz", "/", "/login", "/graphql", "/nowhere", "/static/style.css", "/l/x"])
async def test_every_answer_has_a_request_id_of_its_own(gateway: Opened, path: str) -> None:
    """O28, R3: `req_` and 16 base64url characters."""
    ids = {(await gateway.nobody.get(path)).headers["request-id"] for _ in range(3)}
    assert len(ids) == 3
    assert all(REQUEST_ID.fullmatch(one) for one in ids)


async def test_without_a_key_everything_but_health_is_closed(gateway: Opened) -> None:
    """O18: no way in without a key, from the loopback interface neither."""
    assert (await gateway.nobody.post("/graphql", json={"query": "{ viewer { account } }"})).status_code == 401
    assert (await gateway.nobody.get("/", follow_redirects=False)).status_code == 303


async def test_a_request_is_one_log_line_without_content(gateway: Opened, capfd: pytest.CaptureFixture[str]) -> None:
    """O21, O28: id, key's record id, door, operation, status and ms; never a query, a key or a login code."""
    capfd.readouterr()
    answer = await gateway.client.post("/graphql", json={"query": "query Sesame { viewer { account } } #zauberwort"})
    code = (await gateway.client.post("/login/code")).json()["url"].partition("code=")[2]
    await gateway.nobody.get(f"/login?code={code}")
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert len(lines) == 3
    first = lines[0]
    assert first["id"] == answer.headers["request-id"]
    assert (first["door"], first["operation"], first["status"]) == ("graphql", "query", 200)
    assert first["key"] == gateway.services.operator.id
    assert first["ms"] >= 0
    text = json.dumps(lines)
    assert gateway.key not in text
    assert code not in text
    assert "zauberwort" not in text
    assert "Sesame" not in text


async def test_a_log_line_tells_what_was_asked_of_the_store(gateway: Opened, capfd: pytest.CaptureFixture[str]) -> None:
    """O28: statements and rows; four nodes more are four rows more, and no statement more. An answer of the process alone has none."""
    append = "mutation($g: ID!, $e: [JSON!]!) { appendEvents(graphId: $g, events: $e) { accepted } }"
    told = []
    for nodes in (3, 7):
        made = (await gateway.client.post("/graphql", json={"query": "mutation { createGraph(input: {}) { graph { id } } }"})).json()
        graph = made["data"]["createGraph"]["graph"]["id"]
        at = "2026-03-02T09:00:00Z"
        events = [{"v": 1, "id": f"E{n:025d}", "ts": at, "type": "session.started", "node": f"p:{n}", "data": {}} for n in range(nodes)]
        await gateway.client.post("/graphql", json={"query": append, "variables": {"g": graph, "e": events}})
        capfd.readouterr()
        await gateway.client.post("/graphql", json={"query": f'{{ graph(id: "{graph}") {{ nodes {{ nodes {{ title }} }} }} }}'})
        told.append(json.loads(capfd.readouterr().err.splitlines()[-1]))
    few, many = told
    assert few["statements"] == many["statements"] > 1
    assert many["rows"] - few["rows"] == 4
    await gateway.nobody.get("/static/style.css")
    static = json.loads(capfd.readouterr().err.splitlines()[-1])
    assert (static["statements"], static["rows"]) == (0, 0)


async def test_a_fault_is_answered_with_its_id_and_told_in_the_log(
    gateway: Opened, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """R6, O28: nothing given away, the detail beside the request id."""

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the secret detail")

    with monkeypatch.context() as patch:
        patch.setattr("app.services.bundle.Services.store_answers", broken)
        answer = await gateway.nobody.get("/readyz")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    logged = capfd.readouterr().err
    assert "the secret detail" in logged
    assert answer.headers["request-id"] in logged


async def test_whatever_asks_for_the_time_asks_the_clock(store_address: StoreAddress, tmp_path: Path) -> None:
    """O16: a login code made now is good by the application's own clock alone."""
    now = 1_500_000_000_000
    async with opened(store_address, tmp_path, clock=lambda: now) as early:
        early_code, late_code = [(await early.client.post("/login/code")).json()["url"].partition("code=")[2] for _ in range(2)]
        now += CODE_MS - 1
        assert "set-cookie" in (await early.nobody.get(f"/login?code={early_code}")).headers
        now += 1
        assert "set-cookie" not in (await early.nobody.get(f"/login?code={late_code}")).headers


@pytest.mark.alone
async def test_a_store_that_is_gone_is_known_within_two_seconds_and_used_again_when_it_is_back(
    store_address: StoreAddress, tmp_path: Path
) -> None:
    """O26, O30: health stays, readiness and requests say 503 in time; ready again within 5 s of the store's return, without a restart."""
    async with proxied(store_address) as way, opened(way.address, tmp_path / "data") as gateway:
        asks = {
            "/readyz": lambda: gateway.nobody.get("/readyz"),
            "/graphql": lambda: gateway.client.post("/graphql", json={"query": "{ viewer { account } }"}),
            "/": lambda: gateway.client.get("/", headers={"Accept": "text/html"}),
        }
        assert (await gateway.nobody.get("/readyz")).status_code == 200
        await way.refuse()
        assert (await gateway.nobody.get("/healthz")).status_code == 200
        for path, ask in asks.items():

            async def refused(path: str = path, ask: Callable[[], Awaitable[httpx.Response]] = ask) -> None:
                answer = await ask()
                assert answer.status_code == 503, path
                assert answer.headers["retry-after"] == "1"

            assert await least(refused, 2.5) < 2.5, path
        assert "does not answer" in (await gateway.nobody.get("/readyz")).json()["reason"]

        async def back() -> None:
            await way.refuse()
            assert (await gateway.nobody.get("/readyz")).status_code == 503
            await way.start()

        async def ready() -> None:
            async with asyncio.timeout(60):
                while (await gateway.nobody.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - that is how one finds out
                    await asyncio.sleep(0.1)

        assert await least(ready, 5, before=back) < 5
        for path, ask in asks.items():
            assert (await ask()).status_code in (200, 303), path


async def test_the_application_can_be_started_again(store_address: StoreAddress, tmp_path: Path) -> None:
    """O16: each lifespan stands alone; the operator's key stays."""
    async with opened(store_address, tmp_path) as first:
        routes = len(first.app.routes)
    async with first.app.router.lifespan_context(first.app):
        assert len(first.app.routes) == routes
    await asyncio.sleep(0)
