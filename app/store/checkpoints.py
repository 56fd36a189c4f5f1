"""Whole states of a graph, kept where they held: what it starts from (E133), and where restarts, late events and trims begin.

The events of a graph apply on the newest checkpoint before its floor, if it has one; the others only spare folding.
"""

from __future__ import annotations

from typing import NamedTuple

from neo4j import Record

from app.domain.times import event_ns
from app.store.appending import Ground, guarded_with
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline

_PARTS = 10
"""Parts of one statement: about 2 MB."""


class Place(NamedTuple):
    """Where a checkpoint is: right after the event `event` at place `seq`. (Of a keyframe that came with a log, `seq` is BASE.)"""

    seq: int
    event: str
    ts: str

    @property
    def order(self) -> tuple[int, bytes]:
        """What the event sorts by (E10)."""
        return event_ns(self.ts), self.event.encode("utf-8", "surrogatepass")


class Stored(NamedTuple):
    """A checkpoint, packed as a keyframe is (E128): its `state`, and the `rest` that a keyframe leaves out (none of one that came)."""

    place: Place
    state: list[str]
    rest: list[str]


async def put(store: Store, ground: Ground, checkpoint: Stored, deadline: Deadline) -> None:
    """Keeps a checkpoint. Raises: Stale, with nothing written."""

    async def write(tx: Transaction, _: Record) -> None:
        await drop(tx, ground.g, checkpoint.place.seq, checkpoint.place.seq)
        await put_rows(tx, ground.g, checkpoint)

    await guarded_with(store, "checkpoint/stand", ground, {}, deadline, write)


async def put_rows(tx: Transaction, g: str, checkpoint: Stored) -> None:
    """A checkpoint's rows."""
    seq, event, ts = checkpoint.place
    rows = [
        {"g": g, "seq": seq, "kind": kind, "number": number, "event": event, "ts": ts, "text": text}
        for kind, texts in (("state", checkpoint.state), ("rest", checkpoint.rest))
        for number, text in enumerate(texts)
    ]
    for start in range(0, len(rows), _PARTS):
        await tx.run("checkpoint/put", rows={"parts": rows[start : start + _PARTS]})


async def drop(tx: Transaction, g: str, low: int, high: int) -> None:
    """Takes away those from place `low` up to `high`."""
    await tx.run("checkpoint/drop", g=g, low=low, high=high)


async def listed(store: Store, g: str, deadline: Deadline) -> list[Place]:
    """Where a graph's generation has checkpoints, in order."""
    record = await store.one("checkpoint/listed", deadline, g=g)
    return [] if record is None else [Place(*each) for each in record["checkpoints"]]


async def read(store: Store, g: str, place: Place, deadline: Deadline) -> Stored:
    """One of those."""
    texts: dict[str, list[str]] = {"state": [], "rest": []}
    for record in await store.read("checkpoint/read", deadline, g=g, seq=place.seq):
        texts[record["kind"]].append(record["text"])
    return Stored(place, **texts)


async def time_of(store: Store, g: str, floor: int, deadline: Deadline) -> str | None:
    """The `ts` of the state that held history begins with; `floor`: its first place. None: it begins with nothing."""
    record = await store.one("checkpoint/time", deadline, g=g, floor=floor)
    return None if record is None else record["ts"]
