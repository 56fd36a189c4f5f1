"""`agw serve --workers N` (O3): several processes that answer as one, on either engine."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from ulid import ULID

from tests.application import KEY
from tests.cli.process import Serving, agw, serving
from tests.graphql.live import calling
from tests.web.test_login import cookie_of
from tests.web.test_tool_login import ASKED, VERIFIER, callback

WORKERS = 2
BOTH = range(WORKERS)
AGAIN_SECONDS = 60
"""For a worker to be started again, on a machine that has other work."""

ONE = httpx.Limits(max_connections=1, max_keepalive_connections=1)
CREATE = "mutation { createGraph(input: {retentionEvents: 0}) { graph { id eventsCursor } } }"
EVENTS = "subscription($g: ID!, $c: String) { events(graphId: $g, cursor: $c) { firstArrival lastArrival events { id } } }"


@dataclass
class Crew:
    """A gateway with its workers."""

    serving: Serving
    choosing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def address(self) -> str:
        """Where it listens."""
        return self.serving.url.removeprefix("http://")

    @property
    def workers(self) -> list[psutil.Process]:
        """Its workers, the oldest first."""
        return self.serving.workers

    @contextmanager
    def only(self, number: int) -> Iterator[None]:
        """Nobody but one worker takes connections meanwhile."""
        others = [worker for each, worker in enumerate(self.workers) if each != number]
        for other in others:
            other.suspend()
        try:
            yield
        finally:
            for other in others:
                other.resume()

    @asynccontextmanager
    async def at(self, number: int) -> AsyncIterator[httpx.AsyncClient]:
        """A client with a connection to one worker."""
        headers = {"Authorization": f"Bearer {self.serving.key}"}
        async with httpx.AsyncClient(base_url=self.serving.url, headers=headers, limits=ONE, timeout=60) as client:
            async with self.choosing:
                with self.only(number):
                    assert (await client.get("/healthz")).status_code == 200
            yield client

    async def send(self, number: int, method: str, path: str, **more: Any) -> httpx.Response:
        """A request to one worker."""
        async with self.at(number) as client:
            return await client.request(method, path, **more)

    async def ask(self, number: int, query: str, **variables: Any) -> dict[str, Any]:
        """A GraphQL answer's data, from one worker."""
        body = (await self.send(number, "POST", "/graphql", json={"query": query, "variables": variables})).json()
        assert "errors" not in body, body
        data: dict[str, Any] = body["data"]
        return data

    async def graph(self) -> dict[str, Any]:
        """A new graph."""
        made: dict[str, Any] = (await self.ask(0, CREATE))["createGraph"]["graph"]
        return made


@contextmanager
def started(engine: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Crew]:
    """A gateway with two workers, on a store of its own or on the tests' Neo4j."""
    where = {"AGW_RATE_LIMIT": "0"}
    if engine == "neo4j":
        to = request.getfixturevalue("store_address")
        where |= {"NEO4J_URI": to.uri, "NEO4J_USERNAME": to.username, "NEO4J_PASSWORD": to.password, "AGW_ADMIN_KEY": KEY}
        where |= {"NEO4J_DATABASE": to.database} if to.database else {}
    with serving(folder / "data", "--port", "0", "--workers", str(WORKERS), seconds=180, **where) as found:
        yield Crew(found)


@pytest.fixture(scope="module")
def crew(engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    """The gateway of all tests here; the last but one stops it."""
    with started(engine, request, tmp_path_factory.mktemp("crew")) as found:
        yield found


def event(**more: Any) -> dict[str, Any]:
    """An event of now."""
    ms = time.time_ns() // 1_000_000
    ts = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1_000)) + f".{ms % 1_000:03d}Z"
    return {"v": 1, "id": str(ULID()), "ts": ts, "type": "status", "node": "acme:n", "source": {"provider": "acme"},
            "data": {"state": "working", **more}}  # fmt: skip


def lines(*events: dict[str, Any]) -> bytes:
    """As a body."""
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


async def post(client: httpx.AsyncClient, graph: dict[str, Any], *events: dict[str, Any]) -> None:
    """Sends events as a producer does, until they are acknowledged."""
    while True:
        answer = await client.post(f"/api/ingest/{graph['id']}", content=lines(*events))
        if answer.status_code == 200:
            return
        assert answer.status_code == 503, answer.text


@pytest.mark.alone
async def test_what_any_worker_takes_in_reaches_the_subscribers_of_all(crew: Crew) -> None:
    """Q23, Q27: within a second, whichever process took it in; commands find the gateway as ever."""
    graph = await crew.graph()
    sent: list[str] = []
    took: list[list[float]] = [[] for _ in BOTH]
    async with AsyncExitStack() as stack:
        heard = []
        for number in BOTH:
            with crew.only(number):
                caller = await stack.enter_async_context(calling(crew.address, crew.serving.key))
            heard.append(await caller.subscribe(EVENTS, g=graph["id"], c=graph["eventsCursor"]))
        for turn in range(6):
            one = event(summary=f"Step {turn}")
            async with crew.at(turn % WORKERS) as client:
                await post(client, graph, one)
                sent.append(f"evt_{one['id']}")
                began = time.monotonic()
                for each in heard:
                    batch = await each.next()
                    assert [found["id"] for found in batch["events"]] == sent[-1:]
                    assert batch["firstArrival"] == batch["lastArrival"] == turn + 1
                took[turn % WORKERS].append(time.monotonic() - began)
    assert max(map(min, took)) < 3, f"a second, and more for a machine that has other work: {took}"
    listed = await asyncio.to_thread(agw, crew.serving.data_dir, "graphs", "--json")
    assert graph["id"] in listed.stdout, listed.stderr


async def test_writers_of_one_graph_at_several_workers_lose_nothing(crew: Crew) -> None:
    """Each batch once and whole, however they meet."""
    graph = await crew.graph()

    async def write(number: int) -> None:
        async with crew.at(number % WORKERS) as client:
            for turn in range(8):
                await post(client, graph, *(event(summary=f"{number}/{turn}/{each}") for each in range(5)))

    await asyncio.gather(*(write(number) for number in range(4)))
    for number in BOTH:
        held = await crew.ask(number, "query($g: ID!) { graph(id: $g) { retention { eventCount } } }", g=graph["id"])
        assert held["graph"]["retention"]["eventCount"] == 160


async def test_keys_codes_and_logins_are_good_at_every_worker(crew: Crew) -> None:
    """O19, R9, I23, Q30: what one worker gave is good at another, and what one ended has ended at all."""
    assert [(await crew.send(number, "GET", "/readyz")).status_code for number in BOTH] == [200, 200]
    link = crew.serving.link.removeprefix(crew.serving.url)
    none = {"Authorization": ""}
    cookie = {"Cookie": cookie_of(await crew.send(0, "GET", link, headers=none)), "Origin": crew.serving.url, **none}
    assert (await crew.send(1, "GET", "/", headers=cookie)).status_code == 200
    assert (await crew.send(1, "GET", link, headers=none)).status_code == 403, "a code is good once"
    said = callback(await crew.send(1, "POST", "/login/cli", data=ASKED, headers=cookie))[1]
    token = await crew.send(0, "POST", "/api/cli/token", json={"code": said["code"], "verifier": VERIFIER})
    assert token.status_code == 200, token.text
    as_tool = {"Authorization": f"Bearer {token.json()['token']}"}
    assert (await crew.send(1, "GET", "/api/cli/account", headers=as_tool)).status_code == 200

    make = 'mutation { createKey(input: {name: "short", scopes: [READ]}) { key { id } secret } }'
    made = (await crew.ask(0, make))["createKey"]
    by_key = {"Authorization": f"Bearer {made['secret']}"}
    assert [(await crew.send(number, "GET", "/api/v1/graphs", headers=by_key)).status_code for number in BOTH] == [200, 200]
    await crew.ask(1, "mutation($id: ID!) { revokeKey(id: $id) { id } }", id=made["key"]["id"])
    assert [(await crew.send(number, "GET", "/api/v1/graphs", headers=by_key)).status_code for number in BOTH] == [401, 401]

    query = "{ viewer { account } }"
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": sha256(query.encode()).hexdigest()}}
    for number in BOTH:  # each keeps its own: clients send the document wherever it is not known
        named = (await crew.send(number, "POST", "/graphql", json={"extensions": extensions})).json()
        assert named["errors"][0]["message"] == "PersistedQueryNotFound"
        whole = (await crew.send(number, "POST", "/graphql", json={"query": query, "extensions": extensions})).json()
        assert whole["data"] == {"viewer": {"account": "local"}}


async def test_a_killed_worker_is_replaced_and_producers_lose_nothing(crew: Crew, long: bool) -> None:
    """O3: kill -9 of any worker, under load: what was acknowledged is there, once; who is not answered sends again."""
    graph = await crew.graph()
    going_on = True

    async def produce() -> list[str]:
        taken: list[str] = []
        headers = {"Authorization": f"Bearer {crew.serving.key}"}
        while going_on:
            batch = [event() for _ in range(3)]
            while True:
                with suppress(httpx.HTTPError):
                    async with httpx.AsyncClient(base_url=crew.serving.url, headers=headers, timeout=60) as client:
                        await post(client, graph, *batch)
                        break
            taken += [f"evt_{each['id']}" for each in batch]
        return taken

    producers = [asyncio.create_task(produce()) for _ in range(3)]
    try:
        for _ in range(5 if long else 1):
            before = {worker.pid for worker in crew.workers}
            await asyncio.sleep(1)
            killed = crew.workers[0]
            killed.kill()
            until = time.monotonic() + AGAIN_SECONDS
            while len({worker.pid for worker in crew.workers} - {killed.pid}) < WORKERS:
                assert time.monotonic() < until
                await asyncio.sleep(0.1)
            assert before & {worker.pid for worker in crew.workers}, "the other goes on"
            with crew.only(WORKERS - 1):  # the new one answers, once it has started
                async with httpx.AsyncClient(timeout=AGAIN_SECONDS) as client:
                    assert (await client.get(f"{crew.serving.url}/readyz")).status_code == 200
    finally:
        going_on = False
        taken = [each for found in await asyncio.gather(*producers) for each in found]
    heard: list[str] = []
    async with calling(crew.address, crew.serving.key) as caller:
        live = await caller.subscribe(EVENTS, g=graph["id"], c=graph["eventsCursor"])
        while len(heard) < len(taken):
            batch = await live.next()
            assert batch["firstArrival"] == len(heard) + 1
            heard += [each["id"] for each in batch["events"]]
    assert len(heard) == len(set(heard))
    assert set(taken) == set(heard)


async def test_told_to_stop_every_worker_finishes_what_it_has_begun(crew: Crew, engine: str) -> None:
    """O3: within the grace that one process has too; then nobody is left, the store included."""
    graph = await crew.graph()
    host, port = crew.address.split(":")
    body = lines(event(summary="the last"))
    by = f"Authorization: Bearer {crew.serving.key}"
    head = f"POST /api/ingest/{graph['id']} HTTP/1.1\r\nHost: x\r\n{by}\r\nContent-Length: {len(body)}\r\n\r\n"
    begun = []
    for number in BOTH:
        with crew.only(number):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(head.encode() + body[:10])
            await asyncio.sleep(1)
        begun.append((reader, writer))
    alive = [*crew.workers, *store_of(crew, engine)]
    crew.serving.process.send_signal(signal.SIGTERM)
    await asyncio.sleep(1)
    assert crew.serving.process.poll() is None
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)), 5).close()
    for reader, writer in begun:
        writer.write(body[10:])
        assert (await reader.readline()).split()[1] == b"200"
        writer.close()
    assert await asyncio.to_thread(crew.serving.process.wait, 20) == 0
    assert psutil.wait_procs(alive, timeout=5)[1] == []
    assert not (crew.serving.data_dir / "gateway.json").exists()
    assert not [line for line in crew.serving.errors if "Traceback" in line]


@pytest.mark.alone
def test_nobody_is_left_behind_by_a_killed_parent(engine: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """O3, O22: the workers notice, and so does the store."""
    with started(engine, request, tmp_path) as crew:
        alive = [*crew.workers, *store_of(crew, engine)]
        assert len(crew.workers) == WORKERS
        os.kill(crew.serving.process.pid, signal.SIGKILL)
        assert psutil.wait_procs(alive, timeout=25)[1] == []
        host, port = crew.address.split(":")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, int(port)), 5).close()


def store_of(crew: Crew, engine: str) -> list[psutil.Process]:
    """The gateway's own store."""
    if engine == "neo4j":
        return []
    return [psutil.Process(json.loads((crew.serving.data_dir / "store" / "store.json").read_bytes())["pid"])]
