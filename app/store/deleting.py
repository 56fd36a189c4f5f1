"""Graphs that are deleted: gone with their row, then cleaned away in pieces that are small and may be done again.

Places first, upwards: the states that ended at some events, then these events, and how far that has come is noted. Edges and current rows
come last. So what a cleaner that dies leaves behind is found by the next one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple

from neo4j import Record

from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.events import windows
from app.store.keys import generation_key

_ROWS = 500
_BUCKETS = 4
_PIECE_SECONDS = 30.0


class Gone(NamedTuple):
    """A deleted graph, or a generation of one, of which something is left: `g`, its key; its events lie above `low`, at most at `high`."""

    id: str
    g: str
    low: int
    high: int

    @property
    def is_generation(self) -> bool:
        """Whether it is one generation of a graph alone (named by the graph's id and its number): another has taken its place."""
        return " " in self.id


async def delete(store: Store, graph_id: str, now: int, deadline: Deadline, silent_since: int | None = None) -> bool:
    """Takes a graph away from every reader and writer, at once (Q20). `now`: Unix ms. False: there was none, or it had news by its producer
    since `silent_since` (Unix ms; None: that does not matter).
    """
    found = {"id": graph_id, "now": now, "before": silent_since}
    return await store.change("graph/delete", lambda record: record is not None, deadline, **found)


async def is_left(store: Store, graph_id: str, deadline: Deadline) -> bool:
    """Whether a graph of that id was deleted of which something is left, generations that it had before included."""
    return any(gone.id.partition(" ")[0] == graph_id for gone in await left(store, deadline))


async def left(store: Store, deadline: Deadline) -> list[Gone]:
    """The deleted graphs and generations of which something is left."""
    records = await store.read("delete/left", deadline, pending=1)
    return [_gone(**record) for record in records]


async def clean(store: Store, gone: Gone) -> AsyncIterator[int]:
    """Takes away what is left of a deleted graph, piece by piece: how many rows each had. Many may do so at once."""
    while number := await _number(store, "delete/chunks", id=gone.id, limit=_ROWS):
        yield number
    for buckets in windows(gone.low, gone.high, False, _BUCKETS, _BUCKETS):
        record = await store.one("append/leftover", _piece(), g=gone.g, buckets=buckets, after=0)
        seqs = [] if record is None else record["seqs"]
        if seqs:
            while number := await _number(store, "delete/past", g=gone.g, seqs=seqs, limit=_ROWS):
                yield number
            yield await _number(store, "delete/events", g=gone.g, seqs=seqs)
            await _noted(store, gone, max(seqs), 1)
    for name in ("delete/edges", "delete/now"):
        while number := await _number(store, name, g=gone.g, limit=_ROWS):
            yield number
    if gone.is_generation:
        await store.change("generation/cleaned", lambda _: None, _piece(), id=gone.id)
    else:
        await _noted(store, gone, gone.high, 0)


def generation_name(graph_id: str, generation: int) -> str:
    """What a generation of a graph is called while it is cleaned away."""
    return f"{graph_id} {generation}"


def _gone(id: str, g: str | None, low: int, high: int) -> Gone:
    graph_id, _, number = id.partition(" ")
    return Gone(id, generation_key(graph_id, int(number)) if g is None else g, low, high)


async def _number(store: Store, name: str, **params: object) -> int:
    def found(record: Record | None) -> int:
        return 0 if record is None else int(record["number"])

    return await store.change(name, found, _piece(), **params)


async def _noted(store: Store, gone: Gone, low: int, still: int) -> None:
    await store.change("delete/noted", lambda _: None, _piece(), id=gone.id, low=low, pending=still)


def _piece() -> Deadline:
    return Deadline.after(_PIECE_SECONDS)
