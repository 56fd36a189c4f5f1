"""Streams of rows, cut into pieces that one statement takes, and those that the stages of an append write."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Container, Iterable, Sequence
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
"""Rows of one statement: packing them for the store takes about 5 ms. Every `LONG` characters in a row count as one more."""

LONG = 2_000

LABELS = {"node": "nodes", "task": "tasks", "spawn": "spawns", "wait": "waits", "message": "messages"}
EDGES = {"parent": ("parent_of", "parent_until"), "waits_on": ("waits_on", "waits_until")}

ADDS = ("events", *LABELS.values())
"""Lists of the first stage's statement."""

COUNTED = ("gone_tasks", "parent_until", "waits_until", "parent_of", "waits_on")
PLACES = (*LABELS.values(), *COUNTED)
"""Lists of the second stage's, which counts the last five."""

Rows: TypeAlias = Iterable[tuple[str, Properties]]
"""Rows, each with the list that it belongs to."""


class Piece(dict[str, list[Properties]]):
    """Rows by list. Its text is short: the driver makes the text of all parameters for a log that nobody reads."""

    def __repr__(self) -> str:
        return f"<{sum(map(len, self.values()))} rows>"


class Pieces:
    """Rows by list, at most `PIECE` at a time, and whether they are the last. The next piece is made while the one before is written."""

    def __init__(self, rows: Rows, lists: Sequence[str]) -> None:
        self._rows = iter(rows)
        self._row = next(self._rows, None)
        self._lists = lists
        self._coming: asyncio.Task[tuple[Piece, bool]] | None = None

    def begin(self) -> None:
        """Has the first piece made ahead, from the moment when this task waits for something."""
        if self._coming is None:
            self._coming = asyncio.create_task(self._made())

    async def __aenter__(self) -> Pieces:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._coming is not None:
            self._coming.cancel()
            await asyncio.gather(self._coming, return_exceptions=True)

    async def __aiter__(self) -> AsyncIterator[tuple[Piece, bool]]:
        self.begin()
        while (coming := self._coming) is not None:
            piece, last = await coming
            self._coming = None if last else asyncio.create_task(self._made())
            yield piece, last

    async def _made(self) -> tuple[Piece, bool]:
        pace = Pace()
        piece = Piece((name, []) for name in self._lists)
        size = 0
        while self._row is not None and size < PIECE:
            name, row = self._row
            piece[name].append(row)
            size += 1 + sum([len(value) for value in row.get("set", row).values() if type(value) is str]) // LONG
            self._row = next(self._rows, None)
            if pace.due:
                await pace.rest()
        return piece, self._row is None


def added(g: str, batch: Batch, numbers: Iterable[int], late: Container[str] = ()) -> Rows:
    """Rows of the first stage: events and, right after each, the states that it ended; by its events what a piece left behind is found.

    `numbers` are those under which these events arrived; `late`: ids of those that came after one that they stand before.
    """
    ended = groupby(batch.ended, key=lambda over: over.until)
    until, states = next(ended, (0, iter(())))
    for number, recorded in zip(numbers, batch.events, strict=False):
        yield "events", records.event(g, recorded, number, late=recorded.event.id in late)
        if until == recorded.seq:
            for over in states:
                if over.cell.kind in LABELS:
                    yield LABELS[over.cell.kind], records.ended(g, over)
            until, states = next(ended, (0, iter(())))


def placed(g: str, batch: Batch) -> Rows:
    """Rows of the second stage, nodes first and edges last: both ends must be there. A current row is what differs from the one before."""
    after = batch.after.items()
    for cell, state in after:
        if cell.kind == "node" and state is not None:
            yield "nodes", records.changed(g, cell, batch.before[cell], state)
    for cell, state in after:
        if cell.kind == "node" or cell.kind in EDGES:
            continue
        if state is not None:
            yield LABELS[cell.kind], records.changed(g, cell, batch.before[cell], state)
        elif batch.before[cell] is not None:
            assert cell.kind == "task", f"an append takes no {cell.kind} away"
            yield "gone_tasks", {"key": cell_key(g, cell)}
    yield from (_closed(g, batch, over) for over in batch.ended if over.cell.kind in EDGES)
    for cell, state in after:
        if state is not None and isinstance(state.row, EdgeRow):
            yield EDGES[cell.kind][0], records.edge(g, cell, state.since, state.row)


def _closed(g: str, batch: Batch, over: Ended) -> tuple[str, Properties]:
    assert isinstance(over.row, EdgeRow)
    before = batch.before[over.cell]
    made, ends = EDGES[over.cell.kind]
    there = before is not None and before.since == over.since
    return (ends if there else made), records.edge(g, over.cell, over.since, over.row, over.until)
