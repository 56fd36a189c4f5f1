"""Dropping the oldest held events (R67): the floor moves at once for all readers, the rows below it go afterwards, in pieces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from neo4j import Record

from app.domain.history import Recorded
from app.store import checkpoints, records
from app.store.appending import Ground, guarded_with
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.events import windows
from app.store.graphs import Standing

PIECE = 128
"""Events whose rows one transaction takes away."""

_BUCKETS = 32
PART = 1_000
"""Ids that are remembered, and forgotten, together."""


class Left(NamedTuple):
    """What trims left to do: rows up to `trimmed` are to go, those up to `cleared` are gone. `remembered`: ids noted so far."""

    g: str
    trimmed: int
    cleared: int
    remembered: int


async def places(store: Store, g: str, after: int, upto: int, deadline: Deadline) -> AsyncIterator[list[int]]:
    """Places of the events in (`after`, `upto`], in order, page by page."""
    for buckets in windows(after, upto, False, _BUCKETS, _BUCKETS):
        record = await store.one("trim/places", deadline, g=g, buckets=buckets, upto=upto)
        yield [seq for seq in ([] if record is None else record["seqs"]) if seq > after]


async def move_floor(store: Store, ground: Ground, to: Standing, last: int, first: Recorded, deadline: Deadline) -> Ground:
    """Drops all events up to place `last`, after which a checkpoint must be kept; `first` is then the first held one. Raises: Stale."""
    stage = {"to_at": list(to), "seq": last, "first_end": records.end(first)}

    async def drop(tx: Transaction, _: Record) -> None:
        await checkpoints.drop(tx, ground.g, 0, last - 1)

    await guarded_with(store, "trim/floor", ground, stage, deadline, drop)
    return replace(ground, standing=to)


async def left(store: Store, graph_id: str, deadline: Deadline) -> Left | None:
    """What is to do for a graph. None: no such graph."""
    record = await store.one("trim/left", deadline, id=graph_id)
    return None if record is None else Left(record["g"], record["trimmed"], record["cleared"], record["remembered"])


async def clear(store: Store, graph_id: str, at: Left, seqs: Sequence[int], remember: int, deadline: Deadline) -> Left:
    """Takes away the rows of some dropped events, which are the next in order. The ids of the last `remember` or more are remembered."""
    after = at._replace(cleared=seqs[-1], remembered=at.remembered + len(seqs))
    oldest = (after.remembered - remember) // PART
    forgotten = [part for part in (oldest - 2, oldest - 1) if part >= 0]

    async def work(tx: Transaction) -> None:
        await tx.run(
            "trim/clear", id=graph_id, g=at.g, seqs=list(seqs), seq=after.cleared, upto=at.trimmed,
            part=at.remembered // PART, remembered=after.remembered,
        )  # fmt: skip
        if forgotten:
            await tx.run("trim/forget", g=at.g, parts=forgotten)

    await store.write(work, deadline)
    return after
