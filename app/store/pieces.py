"""What the stages of an append write: streams of rows, cut into pieces that one statement takes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import groupby
from types import TracebackType
from typing import TypeAlias

from app.domain.history import Batch, Ended
from app.domain.rows import EdgeRow
from app.store import records
from app.store.keys import cell_key
from app.store.pace import Pace
from app.store.records import Properties

PIECE = 500
"""Rows of one statement: packing them for the store takes about 5 ms."""

LABELS = {"node": "nodes", "task": "tasks", "spawn": "spawns", "wait": "waits", "message": "messages"}
EDGES = {"parent": ("parent_of", "parent_until"), "waits_on": ("waits_on", "waits_until")}

ADDS = ("events", *LABELS.values())
"""Lists of the first stage's statement."""

COUNTED = ("gone_tasks", "parent_until", "waits_until", "parent_of", "waits_on")
PLACES = (*LABELS.values(), *COUNTED)
"""Lists of the second stage's, which counts the last five."""

Rows: TypeAlias = Iterable[tuple[str, Properties]]
"""Rows, each with the list that it belongs to."""


class Pieces:
    """Rows by list, at most `PIECE` at a time, and whether they are the last. The next piece is made while the one before is written."""

    def __init__(self, rows: Rows, lists: Sequence[str]) -> None:
        self._rows = iter(rows)
        self._row = next(self._rows, None)
        self._lists = lists
        self._coming = asyncio.create_task(self._made())

    async def __aenter__(self) -> Pieces:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._coming.cancel()
        await asyncio.gather(self._coming, return_exceptions=True)

    async def __aiter__(self) -> AsyncIterator[tuple[dict[str, list[Properties]], bool]]:
        last = False
        while not last:
            piece, last = await self._coming
            if not last:
                self._coming = asyncio.create_task(self._made())
            yield piece, last

    async def _made(self) -> tuple[dict[str, list[Properties]], bool]:
        pace = Pace()
        piece: dict[str, list[Properties]] = {name: [] for name in self._lists}
        for _ in range(PIECE):
            if self._row is None:
                break
            name, row = self._row
            piece[name].append(row)
            self._row = next(self._rows, None)
            if pace.due:
                await pace.rest()
        return piece, self._row is None


def added(g: str, batch: Batch, arrival: int) -> Rows:
    """Rows of the first stage: events and, right after each, the states that it ended; by its events what a piece left behind is found.

    `arrival` is the number of the event that came last before these.
    """
    ended = groupby(batch.ended, key=lambda over: over.until)
    until, states = next(ended, (0, iter(())))
    for number, recorded in enumerate(batch.events, arrival + 1):
        yield "events", records.event(g, recorded, number)
        if until == recorded.seq:
            for over in states:
                if over.cell.kind in LABELS:
                    yield LABELS[over.cell.kind], records.ended(g, over)
            until, states = next(ended, (0, iter(())))


def placed(g: str, batch: Batch) -> Rows:
    """Rows of the second stage, nodes first and edges last: both ends must be there."""
    edges: list[tuple[str, Properties]] = []
    parts: list[tuple[str, Properties]] = []
    for cell, state in batch.after.items():
        if cell.kind in EDGES:
            if state is not None and isinstance(state.row, EdgeRow):
                edges.append((EDGES[cell.kind][0], records.edge(g, cell, state.since, state.row)))
        elif state is None:
            if batch.before[cell] is not None:
                assert cell.kind == "task", f"an append takes no {cell.kind} away"
                parts.append(("gone_tasks", {"key": cell_key(g, cell)}))
        elif cell.kind == "node":
            yield "nodes", records.current(g, cell, state)
        else:
            parts.append((LABELS[cell.kind], records.current(g, cell, state)))
    yield from parts
    yield from (_closed(g, batch, over) for over in batch.ended if over.cell.kind in EDGES)
    yield from edges


def _closed(g: str, batch: Batch, over: Ended) -> tuple[str, Properties]:
    assert isinstance(over.row, EdgeRow)
    before = batch.before[over.cell]
    made, ends = EDGES[over.cell.kind]
    there = before is not None and before.since == over.since
    return (ends if there else made), records.edge(g, over.cell, over.since, over.row, over.until)
