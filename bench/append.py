"""Appends against bare rows: the same rows, created in one transaction and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from statistics import median
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import orjson
from neo4j import AsyncDriver

from app.demo.fleet import fleet
from app.domain.history import Batch
from app.store import appending
from app.store.connection import Store, driver_for
from app.store.deadline import Deadline
from bench.floors import WRITES, bare_rows
from bench.logs import busy_tree
from bench.results import Result
from bench.stores import VIEWER, Bed, soon
from bench.timing import taken

GOALS = {1: 4.0, 100: 1.5, 1_000: 1.5}
"""By size. One event alone: three commits and a look, where the floor has one commit."""

FLAT = 1.3
_LATER_MS = 1_790_000_000_000
"""When the appended events happen: after every history."""


@dataclass(slots=True)
class _Times:
    """Milliseconds of each append and of each floor, and the rows written."""

    ours: list[float] = field(default_factory=list)
    floors: list[list[float]] = field(default_factory=lambda: [[] for _ in WRITES])
    rows: list[int] = field(default_factory=list)

    @property
    def floor(self) -> float:
        """The faster floor's median."""
        return min(median(each) for each in self.floors)


async def append(bed: Bed, size: int, quick: bool) -> list[Result]:
    """Appends of `size` events to a short and to a long history; the same events to both."""
    short, long = (1_000, 5_000) if quick else (1_000, 200_000)
    rounds = {1: 60, 100: 16, 1_000: 6}[size] // (4 if quick else 1) + 2
    driver = driver_for(bed.address)
    try:
        took = [await _timed(bed, driver, await _graph(bed, history), size, rounds) for history in (short, long)]
    finally:
        await driver.close()
    results = []
    for history, times in zip((short, long), took, strict=True):
        name = f"append-{size}" if history == short else f"append-{size}-at-{history}"
        note = f"ms an append of {median(times.rows):,.0f} rows to {history:,} events of history"
        results.append(Result(name, bed.engine, median(times.ours), times.floor, "ms", GOALS[size], note))
    flat = Result(
        f"append-{size}-flat", bed.engine, results[1].ours, results[0].ours, "ms", FLAT, f"{long:,} events of history against {short:,}"
    )
    return [*results, flat]


async def _graph(bed: Bed, history: int) -> str:
    key = f"history-{history}"
    if key not in bed.loaded:
        graph_id = await bed.new_graph()
        await bed.load(graph_id, islice(busy_tree(min(history // 7, 1_000)), history))
        bed.loaded[key] = graph_id
    return bed.loaded[key]


def _events(bed: Bed, graph_id: str) -> Iterator[dict[str, Any]]:
    """Each graph gets the same events, the ones after those of the benchmark before."""
    key = f"appended-{graph_id}"
    if key not in bed.logs:
        bed.logs[key] = fleet(100_000, start_ms=_LATER_MS, nodes=2_000, keyframe=False)
    return bed.logs[key]


async def _timed(bed: Bed, driver: AsyncDriver, graph_id: str, size: int, rounds: int) -> _Times:
    times, written, real = _Times(), list[Batch](), appending.write
    log = _events(bed, graph_id)

    async def overheard(store: Store, ground: appending.Ground, batch: Batch, heard: int, deadline: Deadline) -> appending.Ground:
        written.append(batch)
        return await real(store, ground, batch, heard, deadline)

    with patch.object(appending, "write", overheard):
        await bed.appends.append(VIEWER, graph_id, [orjson.dumps(event) for event in islice(log, size)], soon())
        for _ in range(rounds):
            lines = [orjson.dumps(event) for event in islice(log, size)]
            times.ours.append(await taken(partial(bed.appends.append, VIEWER, graph_id, lines, soon())))
            for write, took in zip(WRITES, times.floors, strict=True):
                rows = bare_rows(uuid4().hex, written[-1])
                took.append(await taken(partial(write, driver, bed.address.database, rows)))
            times.rows.append(sum(map(len, rows.values())))
    return times
