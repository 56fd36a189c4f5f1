"""REST over HTTP: methods, compression, faults, and what no case of the conformance files looks at (R1-R6, R14, R29-R31, O38)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.domain.key_form import new_secret
from app.domain.problems import DeadlineExceeded, StoreUnavailable
from app.services.etags import etag
from app.settings import Settings, StoreAddress
from app.store.connection import Store
from tests.application import opened
from tests.served import Served, account, served
from tests.strategies.logs import random_log

pytestmark = pytest.mark.once


@dataclass
class Door:
    """A door, a key and a graph."""

    served: Served
    key: str
    graph: str

    async def get(self, path: str, **headers: str) -> httpx.Response:
        """A GET with the key; `G` in the path is the graph."""
        sent = {"Authorization": f"Bearer {self.key}", **headers}
        return await self.served.client.get(f"/api/v1{path.replace('/G', '/' + self.graph)}", headers=sent)


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Door]:
    async with served(store) as found:
        key = await found.key(account())
        yield Door(found, key, await found.graph(key, random_log(5, 120)))


async def test_other_methods_are_no_part_of_it(door: Door) -> None:
    """R1: 405."""
    for method in ("POST", "PUT", "PATCH", "DELETE", "HEAD"):
        answer = await door.served.client.request(method, "/api/v1/graphs", headers={"Authorization": f"Bearer {door.key}"})
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize("path", ["", "/", "/graphs/", "/graphs//nodes", "/graph", "/graphs/G/nodes/", "/graphs/G/events/x/y"])
async def test_any_other_path_is_told_in_the_catalogues_words(door: Door, path: str) -> None:
    """R1: `resource_missing` of `url`."""
    answer = await door.get(path)
    assert (answer.status_code, answer.json()["error"]["param"]) == (404, "url")


async def test_long_answers_are_compressed(door: Door) -> None:
    """R1: for those who accept it, and the tag is that of the bytes within."""
    packed = await door.get("/graphs/G/nodes", **{"Accept-Encoding": "gzip"})
    plain = await door.get("/graphs/G/nodes", **{"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    for refusing in ("gzip;q=0", "br, gzip; q=0.00, deflate"):
        assert "content-encoding" not in (await door.get("/graphs/G/nodes", **{"Accept-Encoding": refusing})).headers
    assert (await door.get("/graphs/G/nodes", **{"Accept-Encoding": "br, gzip;q=0.05"})).headers["content-encoding"] == "gzip"
    assert packed.content == plain.content
    assert packed.headers["etag"] == plain.headers["etag"] == etag(plain.content)
    assert re.fullmatch(r'W/"[A-Za-z0-9_-]{27}"', etag(b"x"))


async def test_an_error_never_holds_a_key(door: Door) -> None:
    """R4."""
    secret = new_secret()
    answer = await door.get("/graphs", Authorization=f"Bearer {secret}")
    assert answer.status_code == 401
    assert secret not in answer.text
    assert answer.json()["error"]["doc_url"] == "https://graphs.example/docs/reference#errors"


@pytest.mark.parametrize(
    "path",
    [
        "/graphs?KEY=1", "/graphs?limit[KEY]=1", f"/graphs?{'a' * 80}KEY=1", "/graphs/G/nodes?expand=KEY",
        "/graphs/G/nodes?expand=data.KEY", f"/graphs/G/nodes?expand={'a' * 80}KEY", "/graphs/G/nodes/search?query=KEY:1",
        "/graphs/G/nodes?as_of=KEY", "/graphs/G/nodes/KEY", "/KEY",
    ],
)  # fmt: skip
async def test_a_key_in_the_wrong_place_is_not_repeated(door: Door, path: str) -> None:
    """R4, R18: what a message shows of it is its first 11 and last 4 characters; `param` is the name as it was sent."""
    answer = await door.get(path.replace("KEY", door.key))
    error = answer.json()["error"]
    assert answer.status_code in (400, 404)
    assert door.key[:12] not in error["message"]
    assert error["param"] == answer.request.url.query.decode().partition("=")[0] or door.key not in answer.text


async def test_cookies_and_parameters_are_no_credentials(door: Door) -> None:
    """R8."""
    answer = await door.served.client.get(f"/api/v1/graphs?api_key={door.key}", headers={"Cookie": f"agw_login={door.key}"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "api_key_missing")


async def test_a_key_that_may_not_read_is_refused(door: Door) -> None:
    """O17: 403 for each operation."""
    key = await door.served.key(account(), ("write",))
    for path in ("/graphs", "/graphs/G", "/graphs/G/nodes", "/graphs/G/events"):
        answer = await door.get(path, Authorization=f"Bearer {key}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "api_key_restricted")


@pytest.mark.parametrize(
    ("problem", "status"), [(StoreUnavailable(), 503), (DeadlineExceeded(), 503), (RuntimeError("the secret detail"), 500)]
)
async def test_faults_are_told_in_the_same_shape(door: Door, monkeypatch: pytest.MonkeyPatch, problem: Exception, status: int) -> None:
    """R6, O30: nothing is given away."""

    async def fails(*_: Any) -> None:
        raise problem

    monkeypatch.setattr(type(door.served.services.graphs), "at", fails)
    answer = await door.get("/graphs/G")
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"], error["param"]) == (status, "api_error", "api_error", None)
    assert "secret" not in answer.text
    assert answer.headers["cache-control"] == "no-store"


async def test_without_a_limit_nothing_is_said_of_one(store: Store) -> None:
    """O15: `AGW_RATE_LIMIT=0`."""
    async with served(store, lambda settings: settings.model_copy(update={"rate_limit": 0.0})) as found:
        key = await found.key(account())
        answer = await found.client.get("/api/v1/graphs", headers={"Authorization": f"Bearer {key}"})
        assert answer.status_code == 200
        assert not [name for name in answer.headers if name.startswith("ratelimit")]


async def test_pages_of_named_origins_may_ask(store_address: StoreAddress, tmp_path: Path) -> None:
    """O38: preflights need no key, answers show their headers, cookies never count; other origins get nothing."""
    async with opened(store_address, tmp_path, cors_origins=["https://watch.example"]) as gateway:
        preflight = {
            "Origin": "https://watch.example",
            "Access-Control-Request-Method": "GET",
            "Access-Control-Request-Headers": "authorization,if-none-match,agent-graph-version",
        }
        answer = await gateway.nobody.options("/api/v1/graphs", headers=preflight)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "https://watch.example"
        assert "access-control-allow-credentials" not in answer.headers
        answer = await gateway.client.get("/api/v1/graphs", headers={"Origin": "https://watch.example"})
        assert answer.headers["access-control-allow-origin"] == "https://watch.example"
        assert {"etag", "request-id", "retry-after"} <= set(answer.headers["access-control-expose-headers"].lower().split(", "))
        answer = await gateway.client.get("/api/v1/graphs", headers={"Origin": "https://other.example"})
        assert "access-control-allow-origin" not in answer.headers


def test_settings_say_the_documented_limit() -> None:
    """R13: 25 a second, 100 at once."""
    settings = Settings(_env_file=None)  # type: ignore[call-arg]
    assert (settings.rate_limit, settings.rate_burst) == (25, 100)
