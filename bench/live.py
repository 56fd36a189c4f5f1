"""Live: taking events in over HTTP, how soon subscribers of another gateway on the store hear, and what comes and goes leaves behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from itertools import islice
from statistics import median, quantiles
from time import perf_counter
from typing import Any
from uuid import uuid4

import orjson
import psutil

from app.demo.fleet import fleet
from app.domain.envelope import parse_line
from app.domain.history import Batch
from app.domain.key_form import new_secret
from app.domain.projector import Projector
from app.services.projectors import places
from app.store.connection import driver_for
from bench.client import Client
from bench.floors import WRITES, bare_rows
from bench.results import Result
from bench.serving import served
from bench.sockets import Socket
from bench.stores import Bed
from bench.timing import taken

SIZE = 100
INGEST_GOAL = 2.0
SUBSCRIBERS = 100
_ON_ONE = 20
HALF_MS, MOST_MS = 500, 1_000
MEMORY_GOAL = 1.1
SLOW_GOAL = 1.5
_PAUSE = 0.2

_APPEND = "mutation($g: ID!, $e: [JSON!]!) { appendEvents(graphId: $g, events: $e) { accepted } }"
_EVENTS = "subscription($g: ID!) { events(graphId: $g) { lastArrival events { id } } }"
_GRAPH = "subscription($g: ID!) { graph(id: $g) { cursor changes { nodeId } graph { counts { nodes } } } }"
_WHOLE = "subscription($g: ID!) { events(graphId: $g) { events { payload changes { fields { from to } } } } }"


async def live(bed: Bed, quick: bool) -> list[Result]:
    """All of it; the subscribers' gateway is another process than the writers'."""
    key = new_secret()  # several gateways on a store have the same
    async with served(bed, key=key) as writing, served(bed, key=key) as telling:
        results = [await _ingest(bed, writing, quick)]
        for name, slow in (("live-delivery", False), ("live-delivery-beside-a-slow-reader", True)):
            took = await _delivered(bed, writing, telling, quick, slow=slow)
            note = f"{len(took):,} deliveries to {SUBSCRIBERS} subscribers, batches of 10"
            results.append(Result(f"{name}-p50", bed.engine, median(took), HALF_MS, "ms", 1.0, note))
            results.append(Result(f"{name}-p99", bed.engine, quantiles(took, n=100)[98], MOST_MS, "ms", 1.0))
        alone, beside = results[1].ours, results[3].ours
        results.append(Result("live-slow-reader", bed.engine, beside, alone, "ms", SLOW_GOAL, "the median beside one against without"))
        return [*results, await _comes_and_goes(bed, telling, quick)]


async def _ingest(bed: Bed, writing: Client, quick: bool) -> Result:
    """Batches over HTTP, against their rows alone."""
    graph_id, projector = await bed.new_graph(), Projector()
    log = iter(fleet(100_000, nodes=2_000, keyframe=False))
    ours, floors = list[float](), [list[float]() for _ in WRITES]
    async with driver_for(bed.address) as driver:
        for number in range(-2, 10 if quick else 60):
            events = list(islice(log, SIZE))
            took = await taken(partial(writing.ask, _asked(writing, _APPEND, g=graph_id, e=events)))
            batch = Batch()
            for seq, event in places(projector.head_seq, [parse_line(orjson.dumps(each)) for each in events]):
                projector.apply(event, seq, batch)
            rows = [bare_rows(uuid4().hex, batch) for _ in WRITES]
            each = [await taken(partial(write, driver, bed.address.database, row)) for write, row in zip(WRITES, rows, strict=True)]
            if number >= 0:
                ours.append(took)
                for kept, one in zip(floors, each, strict=True):
                    kept.append(one)
    floor = min(map(median, floors))
    return Result(f"live-ingest-{SIZE}", bed.engine, median(ours), floor, "ms", INGEST_GOAL, "over HTTP, with keys and JSON")


async def _delivered(bed: Bed, writing: Client, telling: Client, quick: bool, *, slow: bool) -> list[float]:
    """Milliseconds from each acknowledgement to each subscriber's message."""
    graph_id = await bed.new_graph()
    log = iter(fleet(100_000, nodes=500, keyframe=False))
    heard: dict[int, list[float]] = {}
    acknowledged: dict[int, float] = {}

    async def listen(socket: Socket) -> None:
        async for payload in socket.payloads():
            heard.setdefault(payload["data"]["events"]["lastArrival"], []).append(perf_counter())

    async with AsyncExitStack() as stack:
        if slow:  # it takes nothing
            await (await stack.enter_async_context(_socket(telling))).subscribe(_WHOLE, {"g": graph_id})
        sockets = [await stack.enter_async_context(_socket(telling)) for _ in range(SUBSCRIBERS // _ON_ONE)]
        listening = [asyncio.create_task(listen(socket)) for socket in sockets]
        for socket in sockets:
            for _ in range(_ON_ONE):
                await socket.subscribe(_EVENTS, {"g": graph_id})
        await asyncio.sleep(2)
        writer = await stack.enter_async_context(writing.another())  # one that lay idle may be closed
        last = 0
        for _ in range(10 if quick else 60):
            body = await writer.ask(_asked(writer, _APPEND, g=graph_id, e=list(islice(log, 10))))
            last += orjson.loads(body)["data"]["appendEvents"]["accepted"]
            acknowledged[last] = perf_counter()
            await asyncio.sleep(_PAUSE)
        async with asyncio.timeout(30):
            while len(heard.get(last, ())) < SUBSCRIBERS:  # noqa: ASYNC110 - there is nothing to wait for
                await asyncio.sleep(0.01)
        for task in listening:
            task.cancel()
    return _latencies(acknowledged, heard)


def _latencies(acknowledged: dict[int, float], heard: dict[int, list[float]]) -> list[float]:
    """What several appends brought at once counts for each of them."""
    found = []
    arrivals = sorted(acknowledged)
    for last, times in heard.items():
        place = arrivals.index(last)
        found += [max(at - acknowledged[arrivals[place]], 0) * 1e3 for at in times]
    return found


async def _comes_and_goes(bed: Bed, telling: Client, quick: bool) -> Result:
    """Memory of the gateway after many connections that came, subscribed and dropped."""
    graph_id = await bed.kept("small", lambda: fleet(1_000, keyframe=False))
    gateway = max(_gateways(), key=lambda process: process.create_time())
    await _cycles(telling, graph_id, 50 if quick else 300)
    before = gateway.memory_info().rss
    number = 100 if quick else 1_000
    await _cycles(telling, graph_id, number)
    after = gateway.memory_info().rss
    return Result("live-memory", bed.engine, after / 2**20, before / 2**20, "MiB", MEMORY_GOAL, f"after {number:,} more connections")


async def _cycles(telling: Client, graph_id: str, number: int) -> None:
    for each in range(number):
        async with _socket(telling) as socket:
            await socket.subscribe(_GRAPH if each % 2 else _EVENTS, {"g": graph_id})
            if each % 2:
                with suppress(StopAsyncIteration):
                    await anext(aiter(socket.payloads()))
            if each % 3 == 0:
                socket.drop()


def _gateways() -> Sequence[psutil.Process]:
    return [child for child in psutil.Process().children() if "bench.server" in child.cmdline()]


def _asked(client: Client, query: str, **variables: Any) -> bytes:
    return client.post("/graphql", orjson.dumps({"query": query, "variables": variables}))


@asynccontextmanager
async def _socket(client: Client) -> AsyncIterator[Socket]:
    async with Socket(client.port, client.key) as socket:
        yield socket
