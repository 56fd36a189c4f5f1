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
from bench.reads import NODES
from bench.results import Result
from bench.stores import VIEWER, Bed, soon
from bench.timing import taken

GOALS = {1: 4.0, 100: 1.5, 1_000: 1.5}
"""By size. One event alone: three commits and a look, where the floor has one commit."""

FLAT = 1.3
_LATER_MS = 1_790_000_000_000
"""When the appended events happen: after every history."""


@dataclass(slots=True)
class _Target:
    """A graph, what it is sent, and milliseconds of each append and of each floor, with the rows written."""

    graph_id: str
    log: Iterator[dict[str, Any]]
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
    rounds = {1: 80, 100: 48, 1_000: 12}[size] // (4 if quick else 1) + 2
    targets = [await _target(bed, history) for history in (short, long)]
    async with driver_for(bed.address) as driver:
        await _time(bed, driver, targets, size, rounds)
    results = []
    for history, target in zip((short, long), targets, strict=True):
        name = f"append-{size}" if history == short else f"append-{size}-at-{history}"
        note = f"{median(target.rows):,.0f} rows an append, after {history:,} events"
        results.append(Result(name, bed.engine, median(target.ours), target.floor, "ms", GOALS[size], note))
    flat = f"after {long:,} events against after {short:,}"
    return [*results, Result(f"append-{size}-flat", bed.engine, results[1].ours, results[0].ours, "ms", FLAT, flat)]


async def _target(bed: Bed, history: int) -> _Target:
    nodes = min(history // 10, NODES)
    graph_id = await bed.kept(f"busy-{history}", lambda: busy_tree(nodes, history))
    if graph_id not in bed.logs:
        bed.logs[graph_id] = fleet(100_000, start_ms=_LATER_MS, nodes=2_000, keyframe=False)
    return _Target(graph_id, bed.logs[graph_id])


async def _time(bed: Bed, driver: AsyncDriver, targets: list[_Target], size: int, rounds: int) -> None:
    written, real = list[Batch](), appending.write

    async def overheard(store: Store, ground: appending.Ground, batch: Batch, heard: int, deadline: Deadline) -> appending.Ground:
        written.append(batch)
        return await real(store, ground, batch, heard, deadline)

    with patch.object(appending, "write", overheard):
        for number in range(-1, rounds):
            for target in targets:
                lines = [orjson.dumps(event) for event in islice(target.log, size)]
                ours = await taken(partial(bed.appends.append, VIEWER, target.graph_id, lines, soon()))
                rows = [bare_rows(uuid4().hex, written[-1]) for _ in WRITES]
                floors = [await taken(partial(write, driver, bed.address.database, each)) for write, each in zip(WRITES, rows, strict=True)]
                if number < 0:
                    continue
                target.ours.append(ours)
                target.rows.append(sum(map(len, rows[0].values())))
                for all_, one in zip(target.floors, floors, strict=True):
                    all_.append(one)
