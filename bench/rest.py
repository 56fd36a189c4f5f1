"""REST over HTTP: a poll that finds nothing new, and pages just after a change, against the same answers by hand."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from functools import partial
from itertools import count
from statistics import median
from time import perf_counter

import orjson

from app.domain.ids import event_id
from app.store.intervals import BUCKET_BITS
from bench.client import Client
from bench.logs import busy_tree, goings_on
from bench.reads import NODES, same
from bench.rest_floors import PAGE
from bench.results import Result
from bench.serving import served
from bench.stores import VIEWER, Bed, soon
from bench.timing import taken

CONNECTIONS = 32
POLL_GOAL = 2_000
"""Polls a second."""

AFTER_A_CHANGE = 1.5
_LATER_MS = 1_790_000_000_000
_HISTORY = 2_000


async def poll(bed: Bed, quick: bool) -> list[Result]:
    """`If-None-Match` with the tag of what has not changed, over 32 connections at once."""
    graph_id = await _graph(bed)
    rounds = 20 if quick else 400
    async with served(bed, cached_nodes=50_000) as client, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(client.another()) for _ in range(CONNECTIONS)]
        path = f"/api/v1/graphs/{graph_id}/nodes?limit=100"
        tag = await client.tag(client.get(path))
        request = client.get(path, **{"If-None-Match": tag})

        async def polls(each: Client, times: int) -> None:
            for _ in range(times):
                await each.unchanged(request)

        await asyncio.gather(*(polls(each, 5) for each in clients))
        before = orjson.loads(await clients[0].ask(clients[0].get("/floor/processor")))
        started = perf_counter()
        await asyncio.gather(*(polls(each, rounds) for each in clients))
        seconds = perf_counter() - started
        busy = orjson.loads(await clients[0].ask(clients[0].get("/floor/processor"))) - before
    rate = CONNECTIONS * rounds / seconds
    each = busy / (CONNECTIONS * rounds) * 1e6
    note = (
        f"{rate:,.0f} a second over {CONNECTIONS} connections, from one server process, {each:,.0f} us of its processor time for each; "
        f"the floor is what {POLL_GOAL:,} a second leave"
    )
    return [Result("poll-304", bed.engine, 1e6 / rate, 1e6 / POLL_GOAL, "us", 1, note)]


async def pages(bed: Bed, name: str, quick: bool) -> list[Result]:
    """`rest-nodes-1000` or `rest-events-1000`: asked just after an event came, so that nothing that is kept can be used."""
    graph_id = await _graph(bed)
    what = name.split("-")[1]
    news = bed.logs.get(f"{graph_id}-news") or goings_on(["claude-code:tree"], _LATER_MS)
    bed.logs[f"{graph_id}-news"] = news
    ours, floors = list[float](), list[float]()
    async with served(bed, cached_nodes=50_000) as client:
        for turn in count(-2):
            if turn == (8 if quick else 40):
                break
            await bed.load(graph_id, [next(news)])
            moment = (await bed.graphs.at(VIEWER, graph_id, None, soon())).moment
            assert moment.event is not None
            high = moment.seq >> BUCKET_BITS
            low = max(high - 2 * PAGE * 1_024 // (1 << BUCKET_BITS), 0)
            floor = f"/floor/rest/{what}?graph={graph_id}&g={moment.g}&as_of={event_id(moment.event)}&low={low}&high={high}"
            asks = [partial(client.ask, client.get(path)) for path in (f"/api/v1/graphs/{graph_id}/{what}?limit={PAGE}", floor)]
            if turn == -2:
                answer, by_hand = await asks[0](), await asks[1]()
                same(answer, by_hand, name)
                assert len(orjson.loads(answer)["data"]) == (NODES if what == "nodes" else PAGE)
                continue
            took = {place: await taken(asks[place]) for place in ((0, 1) if turn % 2 else (1, 0))}
            if turn >= 0:
                ours.append(took[0])
                floors.append(took[1])
    note = f"{len(answer):,} bytes, each time after one more event"
    return [Result(name, bed.engine, median(ours), median(floors), "ms", AFTER_A_CHANGE, note)]


async def _graph(bed: Bed) -> str:
    """A graph of its own, since it is appended to."""
    return await bed.kept("busy-rest", partial(busy_tree, NODES, _HISTORY))
