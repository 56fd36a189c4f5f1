"""The longest that anything holds the server's event loop while a large append runs: all other requests wait for that long."""

from __future__ import annotations

import asyncio
from itertools import islice
from statistics import median

import orjson

from app.demo.fleet import fleet
from bench.beat import Longest
from bench.results import Result
from bench.serving import served
from bench.stores import Bed

LIMIT_MS = 20.0
_ROUNDS = 3
_IDLE_SECONDS = 2.0
_APPEND = """mutation($id: ID!, $events: [JSON!]!) {
  appendEvents(graphId: $id, events: $events) { accepted duplicates invalid { index } }
}"""


class NotTakenError(Exception):
    """The append that was to be watched did not do what it should."""


async def loop(bed: Bed, quick: bool) -> list[Result]:
    """One `appendEvents` of 10,000 events over HTTP, several times, each to a new graph; and the same server idle."""
    size = 2_000 if quick else 10_000
    events = [orjson.Fragment(orjson.dumps(event)) for event in islice(fleet(size, keyframe=False), size)]
    longest: list[Longest] = []
    async with served(bed) as client:
        start, stop = client.get("/floor/beat/start"), client.get("/floor/beat/stop")
        await client.ask(start)
        await asyncio.sleep(_IDLE_SECONDS)
        idle = Longest(*orjson.loads(await client.ask(stop)))
        for _ in range(_ROUNDS):
            variables = {"id": await bed.new_graph(), "events": events}
            request = client.post("/graphql", orjson.dumps({"query": _APPEND, "variables": variables}))
            await client.ask(start)
            answer = orjson.loads(await client.ask(request))
            longest.append(Longest(*orjson.loads(await client.ask(stop))))
            if answer.get("errors") or answer["data"]["appendEvents"]["accepted"] != size:
                raise NotTakenError(str(answer)[:500])
    work, wall = (", ".join(f"{each[which]:.1f}" for each in longest) for which in (0, 1))
    note = f"processor time, appends of {size:,} events: {work} ms; by the clock {wall} ms, idle {idle.wall:.1f} ms; the floor is the limit"
    return [Result("loop", bed.engine, median(each.work for each in longest), LIMIT_MS, "ms", 1, note)]
