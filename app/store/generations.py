"""Generations: all rows of a graph written anew beside the present ones, and switched to at once.

For what changes more of history than one transaction holds. A new generation has a key `g` of its own, so the two never meet. While it is
written `adding` is its number, negative: no other writer begins anything. One that finds it so, and nobody at work, gives it up
(`abandon`). Each piece is a transaction that looks whether the graph still stands where this writer left it, and whether it is still this
writer's turn: a generation that was given up gets no more rows. The switch moves the revision: whoever read rows of the old generation
reads again. What is left of an old or an abandoned one is cleaned away as a deleted graph is (`deleting`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from neo4j import Record

from app.domain.history import Batch, Recorded
from app.store import checkpoints, records
from app.store.appending import Ground, guarded, guarded_with, put_current
from app.store.checkpoints import Stored
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.deleting import generation_name
from app.store.events import windows
from app.store.graphs import Standing
from app.store.keys import event_key, generation_key
from app.store.pieces import ADDS, PLACES, Piece, Pieces, added, placed

_BUCKETS = 8
_IDS = 1_000
_PIECE_SECONDS = 30.0


class Arrived(NamedTuple):
    """An event as it is held: its place, the number that it arrived under, its line, whether it came late."""

    seq: int
    arrival: int
    line: str
    late: bool | None


class Dropped(NamedTuple):
    """What a graph remembers of events that were dropped, as `trims.Left` has it."""

    trimmed: int = 0
    cleared: int = 0
    remembered: int = 0


@dataclass(frozen=True, slots=True)
class Building:
    """A new generation that is being written: where its writer stands, its number and key."""

    ground: Ground
    number: int
    g: str


async def begin(store: Store, ground: Ground, highest: int) -> Building:
    """Begins a new generation none of whose events will be above the place `highest`. Raises: Stale."""
    record = await guarded(store, "generation/begin", ground, {"high": highest}, _piece())
    number = record["number"]
    return Building(replace(ground, keep=record["keep"]), number, generation_key(ground.graph_id, number))


async def put_base(store: Store, building: Building, base: Stored) -> None:
    """Puts down the state that its events apply on. Raises: Stale."""

    async def put(tx: Transaction, _: Record) -> None:
        await checkpoints.put_rows(tx, building.g, base)

    await _stands(store, building, put)


async def put_events(store: Store, building: Building, batch: Batch, arrivals: Iterable[int], late: Container[str]) -> None:
    """Puts down what some events write, those that come next in order, with the numbers under which they arrived. Raises: Stale.

    `late`: ids of those that came after one that they stand before.
    """
    at = list(building.ground.standing)
    stage = {"taking": False, "adding": -building.number, "to_adding": -building.number, "to_at": at, "pending": 0, "coming": []}
    async with Pieces(added(building.g, batch, arrivals, late), ADDS) as pieces:
        async for rows, _ in pieces:
            await guarded(store, "append/adds", building.ground, stage | {"rows": rows}, _piece())
    await put_places(store, building, batch)


async def put_places(store: Store, building: Building, batch: Batch) -> None:
    """Puts down current rows and edges alone. Raises: Stale."""
    async with Pieces(placed(building.g, batch), PLACES) as pieces:
        async for rows, _ in pieces:

            async def put(tx: Transaction, _: Record, rows: Piece = rows) -> None:
                await put_current(tx, rows)

            await _stands(store, building, put)


async def put_remembered(store: Store, building: Building, parts: Iterable[int]) -> None:
    """Remembers what the present generation does of dropped events; `parts`: of their ids. Raises: Stale."""
    for part in parts:
        record = await store.one("generation/remembered", _piece(), g=building.ground.g, part=part)
        ids = [] if record is None else record["ids"]
        for start in range(0, len(ids), _IDS):
            some = ids[start : start + _IDS]
            rows = [{"key": event_key(building.g, own_id), "id": own_id, "g": building.g, "part": part} for own_id in some]

            async def put(tx: Transaction, _: Record, rows: list[dict[str, Any]] = rows) -> None:
                await tx.run("generation/remember", rows=Piece(ids=rows))

            await _stands(store, building, put)


async def switch(
    store: Store, building: Building, to: Standing, ends: Sequence[Recorded], heard: int, dropped: Dropped | None = None
) -> Ground:
    """Makes it the graph's generation, which then stands at `to`; `ends`: its first and last event, if it holds any.

    `heard`: Unix ms at which the producer was; `dropped`: what it remembers of dropped events (None: it begins anew, and nothing is missing
    from it). Raises: Stale.
    """
    ground, (trimmed, cleared, remembered) = building.ground, dropped or Dropped()
    await guarded(
        store, "generation/switch", ground,
        {
            "adding": -building.number, "to_g": building.g, "to_at": list(to), "heard": heard,
            "ends": [text for each in ends for text in records.end(each)],
            "trimmed": trimmed, "cleared": cleared, "remembered": remembered, "whole": dropped is None,
        },
        _piece(),
    )  # fmt: skip
    return replace(ground, g=building.g, standing=to)


async def abandon(store: Store, ground: Ground, number: int, now: int, deadline: Deadline) -> None:
    """Gives up a generation that is half written. Raises: Stale."""
    gone = {"to_g": generation_key(ground.graph_id, number), "gone": generation_name(ground.graph_id, number)}
    await guarded(store, "generation/abandon", ground, {"adding": -number, "now": now, **gone}, deadline)


async def events(store: Store, ground: Ground) -> AsyncIterator[list[Arrived]]:
    """All held events, in order, page by page."""
    standing = ground.standing
    if standing.held:
        for buckets in windows(standing.floor, standing.head, False, _BUCKETS, _BUCKETS):
            record = await store.one("generation/events", _piece(), g=ground.g, buckets=buckets, after=standing.floor - 1)
            if record is not None and record["events"]:
                yield [Arrived(*each) for each in record["events"]]


async def _stands(store: Store, building: Building, then: Any) -> None:
    await guarded_with(store, "generation/stand", building.ground, {"adding": -building.number}, _piece(), then)


def _piece() -> Deadline:
    return Deadline.after(_PIECE_SECONDS)
