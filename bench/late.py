"""Late events, one at a time, at some distances from the newest event: how long one takes, and how many a second near the head."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count, islice
from operator import itemgetter
from random import Random
from statistics import median
from time import perf_counter
from typing import Any
from unittest.mock import patch

import orjson

from app.demo.fleet import fleet
from app.demo.stage import Writer, at
from app.demo.stamps import Stamps, unix_ms
from app.store import rewriting
from bench.results import Result
from bench.stores import VIEWER, Bed, soon
from bench.timing import taken

HELD = 4_000
BACK = (5, 100, 1_000, 2_000)
NEAR = 200
"""Places back, at most, of the events that come one after another."""

WRITE_MS, APPEND_MS, NEAR_MS = 150.0, 400.0, 50.0
"""Limits: of the transaction that writes what changed, of the whole append, and of one near the head (20 a second)."""

_SEED = 5


async def late(bed: Bed, quick: bool) -> list[Result]:
    """By distance: the median of the data's transaction and of the whole append; then the pace near the head."""
    events = list(islice(fleet(HELD, keyframe=False), HELD))
    graph_id = await bed.new_graph()
    await bed.load(graph_id, events)
    coming = late_events(events)
    results = []
    writes: list[float] = []
    with _timed(writes):
        for back in BACK:
            writes.clear()
            wholes = [await taken(partial(_append, bed, graph_id, coming(back))) for _ in range(5 if quick else 25)]
            note = f"one event {back:,} places back, {HELD:,} held; whole append up to {max(wholes):,.0f} ms"
            results.append(Result(f"late-{back}-write", bed.engine, median(writes), WRITE_MS, "ms", 1, note))
            results.append(Result(f"late-{back}", bed.engine, median(wholes), APPEND_MS, "ms", 1))
    rng, many = Random(_SEED), 40 if quick else 300
    began = perf_counter()
    for _ in range(many):
        await _append(bed, graph_id, coming(rng.randint(1, NEAR)))
    each = (perf_counter() - began) * 1e3 / many
    note = f"{1e3 / each:,.1f} a second, one after another, up to {NEAR} places back"
    return [*results, Result("late-near", bed.engine, each, NEAR_MS, "ms", 1, note)]


def late_events(held: Iterable[dict[str, Any]]) -> Callable[[int], bytes]:
    """A function that makes an event, of one kind or another, so many places before the last of all that are held, those made earlier
    too; about a node that was there by then."""
    rng = Random(_SEED)
    numbers = count()
    events = list(held)

    def made(back: int) -> bytes:
        place, n = len(events) - back, next(numbers)
        ref = events[max(place - 1 - int(rng.expovariate(1 / 40)), 0)]["node"]
        kinds = (
            at(0, "status", ref, state="working", summary=f"Late {n}"),
            at(0, "task.upserted", ref, id="1", text=f"Late {n}", status="in_progress"),
            at(0, "activity", ref, tool="Read", label=f"late/{n}.md"),
            at(0, "wait.started", ref, wait_id=f"late-{n}", on=events[place // 2]["node"], reason="Late"),
            at(0, "spawn.requested", ref, call_id=f"late-{n}", purpose="Late", background=True),
            at(0, "message.sent", ref, message_id=f"late-{n}", to=events[place // 3]["node"], summary="Late"),
        )
        event = Writer(Stamps(rng)).event(unix_ms(events[place - 1]["ts"]), kinds[n % len(kinds)])
        insort(events, event, key=itemgetter("ts", "id"))
        return orjson.dumps(event)

    return made


async def _append(bed: Bed, graph_id: str, line: bytes) -> None:
    done = await bed.appends.append(VIEWER, graph_id, [line], soon())
    if done.accepted != 1:
        raise AssertionError(done)


@contextmanager
def _timed(writes: list[float]) -> Iterator[None]:
    real = rewriting.rewrite

    async def timed(*args: Any) -> Any:
        began = perf_counter()
        try:
            return await real(*args)
        finally:
            writes.append((perf_counter() - began) * 1e3)

    with patch.object(rewriting, "rewrite", timed):
        yield
