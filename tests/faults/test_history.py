"""A history checker (Q23, Q27): writers, gateways that are killed, readers that come and go; then every reader's history is looked at."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from ulid import ULID
from websockets.exceptions import WebSocketException

from app.settings import StoreAddress
from tests.application import KEY
from tests.faults.gateways import Gateway, Worker, two_workers
from tests.graphql.live import calling, streaming

WRITERS = 4
READERS = 8
SECONDS = 20
LONG_SECONDS = 300
KILL_EVERY = 6.0
GONE = (httpx.HTTPError, OSError, WebSocketException, TimeoutError, EOFError)

APPEND = "mutation($g: ID!, $e: [JSON!]!) { appendEvents(graphId: $g, events: $e) { accepted duplicates } }"
EVENTS = """subscription($g: ID!, $c: String, $n: Int) {
  events(graphId: $g, cursor: $c, batchSize: $n) { cursor firstArrival lastArrival lateEventIds events { id } }
}"""


@dataclass
class History:
    """What one reader was told, and where it stands."""

    cursor: str
    batches: list[dict[str, Any]] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The last arrival number."""
        return self.batches[-1]["lastArrival"] if self.batches else 0

    def take(self, batch: dict[str, Any]) -> None:
        """The reader has it."""
        self.batches.append(batch)
        self.cursor = batch["cursor"]


@dataclass
class Field:
    """Two gateways on one store, or two workers of one, a graph, and what was acknowledged."""

    gateways: Sequence[Gateway | Worker]
    graph_id: str = ""
    acknowledged: list[str] = field(default_factory=list)
    going_on: bool = True
    _numbers: Any = field(default_factory=count)

    def any_port(self, chance: random.Random) -> int | None:
        """Where somebody serves now."""
        ports = [each.port for each in self.gateways if each.port]
        return chance.choice(ports) if ports else None

    async def ask(self, client: httpx.AsyncClient, port: int, query: str, **variables: Any) -> dict[str, Any]:
        """The answer's data. Raises: OSError, where there is none."""
        headers = {"Authorization": f"Bearer {KEY}"}
        asked = {"query": query, "variables": variables}
        answer = await client.post(f"http://127.0.0.1:{port}/graphql", json=asked, headers=headers)
        body = answer.json()
        if "errors" in body:
            raise OSError(body["errors"][0]["message"])
        data: dict[str, Any] = body["data"]
        return data

    async def write(self, writer: int) -> None:
        """Sends batches until told to stop, each until it is acknowledged; some events come late."""
        chance = random.Random(writer)
        async with httpx.AsyncClient(timeout=30) as client:
            while self.going_on:
                batch = [self._event(writer, chance) for _ in range(chance.randint(1, 20))]
                while True:
                    port = self.any_port(chance)
                    try:
                        if port is not None:
                            await self.ask(client, port, APPEND, g=self.graph_id, e=batch)
                            break
                    except GONE:
                        pass
                    await asyncio.sleep(0.05)
                self.acknowledged += [f"evt_{event['id']}" for event in batch]

    def _event(self, writer: int, chance: random.Random) -> dict[str, Any]:
        ms = time.time_ns() // 1_000_000 - (chance.randint(0, 3_000) if chance.random() < 0.02 else 0)
        ts = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1_000)) + f".{ms % 1_000:03d}Z"
        data = {"state": "working", "summary": f"Step {next(self._numbers)}"}
        return {
            "v": 1,
            "id": str(ULID()),
            "ts": ts,
            "type": "status",
            "node": f"acme:w{writer}",
            "source": {"provider": "acme"},
            "data": data,
        }

    async def read(self, reader: int, history: History, done: asyncio.Event) -> None:
        """Follows the graph to its end through any gateway, each time from where it was; goes away now and then."""
        chance = random.Random(1_000 + reader)
        while not done.is_set():
            port = self.any_port(chance)
            if port is None:
                await asyncio.sleep(0.05)
                continue
            variables = {"g": self.graph_id, "c": history.cursor, "n": chance.choice((1, 7, 100, 1_000))}
            try:
                async with asyncio.timeout(chance.uniform(0.5, 8)):
                    await (self._by_socket if reader % 2 else self._by_events)(port, variables, history)
            except GONE:
                await asyncio.sleep(0.05)

    async def _by_socket(self, port: int, variables: dict[str, Any], history: History) -> None:
        async with calling(f"127.0.0.1:{port}", KEY) as caller:
            live = await caller.subscribe(EVENTS, **variables)
            assert caller.reading is not None
            while True:
                heard = asyncio.create_task(live.next(60))
                try:
                    await asyncio.wait([heard, caller.reading], return_when=asyncio.FIRST_COMPLETED)
                    if not heard.done():
                        raise EOFError
                    history.take(heard.result())
                finally:
                    heard.cancel()

    async def _by_events(self, port: int, variables: dict[str, Any], history: History) -> None:
        async with streaming(f"127.0.0.1:{port}", KEY, EVENTS, variables) as events:
            async for kind, cursor, body in events:
                assert kind == "next"
                assert "errors" not in body, body
                batch = body["data"]["events"]
                assert cursor == batch["cursor"]
                history.take(batch)
        raise EOFError

    async def unrest(self, seconds: float) -> None:
        """Kills one gateway after the other, and starts it again."""
        until, turn = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            await asyncio.sleep(min(KILL_EVERY, max(until - time.monotonic(), 0)))
            gateway = self.gateways[turn % 2]
            await gateway.kill()
            await gateway.start()
            turn += 1


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Two gateways; in long runs two workers of one gateway as well."""
    kinds = ["gateways", "workers"] if metafunc.config.getoption("--long") else ["gateways"]
    metafunc.parametrize("kind", kinds)


@pytest_asyncio.fixture
async def field_(store_address: StoreAddress, store: object, tmp_path: Path, kind: str) -> AsyncIterator[Field]:
    if kind == "workers":
        with two_workers(store_address, tmp_path / "data") as workers:
            yield Field(workers)
        return
    gateways = [Gateway(store_address, tmp_path / name) for name in ("one", "other")]
    try:
        await gateways[0].start()  # the operator's key is made by one
        await gateways[1].start()
        yield Field(gateways)
    finally:
        for each in gateways:
            await each.kill()


async def test_no_event_is_lost_and_none_comes_twice(field_: Field, long: bool) -> None:
    """Q23: with concurrent writers, killed gateways and readers that reconnect anywhere: all that was acknowledged, once, in one order."""
    async with httpx.AsyncClient(timeout=30) as client:
        port = field_.gateways[0].port
        made = await field_.ask(client, port, "mutation { createGraph(input: {retentionEvents: 0}) { graph { id eventsCursor } } }")
        graph = made["createGraph"]["graph"]
        field_.graph_id = graph["id"]
        histories = [History(graph["eventsCursor"]) for _ in range(READERS)]
        done = asyncio.Event()
        readers = [asyncio.create_task(field_.read(number, history, done)) for number, history in enumerate(histories)]
        writers = [asyncio.create_task(field_.write(number)) for number in range(WRITERS)]
        try:
            await field_.unrest(LONG_SECONDS if long else SECONDS)
            field_.going_on = False
            async with asyncio.timeout(60):
                await asyncio.gather(*writers)
            held = await field_.ask(
                client, field_.gateways[1].port, "query($g: ID!) { graph(id: $g) { retention { eventCount } } }", g=graph["id"]
            )
            total = held["graph"]["retention"]["eventCount"]
            async with asyncio.timeout(60):
                while any(history.last < total for history in histories):
                    await asyncio.sleep(0.1)
                    assert not any(reader.done() for reader in readers)
        finally:
            done.set()
            for task in (*writers, *readers):
                task.cancel()
            results = await asyncio.gather(*writers, *readers, return_exceptions=True)
    assert not [result for result in results if isinstance(result, AssertionError)]
    told = [[event["id"] for batch in history.batches for event in batch["events"]] for history in histories]
    assert len(told[0]) == len(set(told[0])) == total
    assert all(each == told[0] for each in told), "every reader is told the same, in the same order"
    assert set(field_.acknowledged) <= set(told[0]), "nothing acknowledged is missing"
    assert len(field_.acknowledged) > 100
    for history in histories:
        after = 0
        for batch in history.batches:
            assert batch["firstArrival"] == after + 1
            assert batch["lastArrival"] == after + len(batch["events"])
            after = batch["lastArrival"]
        assert after == total
    late = {each for history in histories for batch in history.batches for each in batch["lateEventIds"]}
    assert len(late) < total
