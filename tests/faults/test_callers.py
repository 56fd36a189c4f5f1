"""Callers who go away while a statement runs for them (O25)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import orjson
import pytest

from app.settings import StoreAddress
from app.store import connection
from app.store.connection import Store
from app.store.deadline import Deadline
from tests.served import account, served
from tests.store.profiles import driver

SLOW = "UNWIND range(1, {n}) AS a UNWIND range(1, {n}) AS b WITH a * b AS c WHERE c % 7 = 3 RETURN count(c) AS n"
"""Work for seconds without touching a row."""
LONGER = SLOW.format(n=60_000)


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    """The list of graphs takes long: where it is not ended with its caller, not too long."""
    known = connection.statement
    text = LONGER if engine == "neo4j" else SLOW.format(n=6_000)
    monkeypatch.setattr(connection, "statement", lambda name: text if name == "graph/of_account" else known(name))


async def running(address: StoreAddress) -> bool:
    """Whether Neo4j is at work on it."""
    async with driver(address) as own, own.session() as session:
        result = await session.run("SHOW TRANSACTIONS YIELD currentQuery, status WHERE status = 'Running' RETURN currentQuery AS text")
        return any(record["text"] == LONGER for record in await result.data())


async def until(wanted: bool, address: StoreAddress, seconds: float) -> None:
    """Waits until it is so."""
    began = time.monotonic()
    while await running(address) is not wanted:
        assert time.monotonic() - began < seconds
        await asyncio.sleep(0.05)


@pytest.mark.only("neo4j")
async def test_a_cancelled_read_is_cancelled_in_the_store(store: Store, store_address: StoreAddress) -> None:
    """O25: the store stops at once; the pool is good for the next."""
    reading = asyncio.create_task(store.read("graph/of_account", Deadline.after(60), account="x"))
    await until(True, store_address, 20)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await until(False, store_address, 5)
    assert await store.read("access/key", Deadline.after(10), id="x") == []


DOORS = pytest.mark.parametrize(("method", "path"), [("POST", "/graphql"), ("GET", "/api/v1/graphs")])


@DOORS
@pytest.mark.only("neo4j")
async def test_a_caller_who_hangs_up_takes_the_statement_along(store: Store, store_address: StoreAddress, method: str, path: str) -> None:
    """O25: from the door down to the store."""
    async with served(store) as door:
        key = await door.key(account())
        hang_up = asyncio.Event()
        app = door.client._transport.app  # type: ignore[attr-defined]
        asking = asyncio.create_task(ask(app, method, path, key, hang_up))
        await until(True, store_address, 20)
        hang_up.set()
        assert await asyncio.wait_for(asking, 5) == 499
        await until(False, store_address, 5)


@pytest.mark.alone
@DOORS
async def test_nobody_waits_for_what_no_caller_wants(store: Store, method: str, path: str) -> None:
    """O25: the gateway's side of it, on both engines; the embedded one's statement ends by the engine's own limit (O22)."""
    async with served(store) as door:
        key = await door.key(account())
        hang_up = asyncio.Event()
        began = time.monotonic()
        app = door.client._transport.app  # type: ignore[attr-defined]
        asking = asyncio.create_task(ask(app, method, path, key, hang_up))
        await asyncio.sleep(1)
        assert not asking.done()
        hang_up.set()
        assert await asyncio.wait_for(asking, 5) == 499
        assert time.monotonic() - began < 5


async def ask(app: Callable[..., object], method: str, path: str, key: str, hang_up: asyncio.Event) -> int:
    """Asks for the graphs over ASGI, as a server passes it on; the status. The caller hangs up when told to."""
    body = orjson.dumps({"query": "{ graphs { nodes { id } } }"}) if method == "POST" else b""
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    status = 0

    async def receive() -> dict[str, object]:
        if messages:
            return messages.pop()
        await hang_up.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, object]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = int(str(message["status"]))

    headers = [(b"authorization", f"Bearer {key}".encode()), (b"content-type", b"application/json"), (b"host", b"graphs.test")]
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers,
             "http_version": "1.1", "scheme": "http", "server": ("graphs.test", 80), "client": None, "root_path": ""}  # fmt: skip
    await app(scope, receive, send)  # type: ignore[misc]
    return status
