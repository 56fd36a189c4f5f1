"""What a graph starts from where it does not start from nothing (E133): the keyframe's text as it came, in rows of its own."""

from __future__ import annotations

from typing import NamedTuple

from neo4j import Record

from app.domain.history import Batch
from app.store import appending
from app.store.appending import Ground, Stale
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.intervals import BASE

_PARTS = 10
"""Parts of one statement: about 2 MB."""


class Base(NamedTuple):
    """A keyframe's texts in order, and the `ts` of its lines."""

    texts: list[str]
    ts: str


async def lay(store: Store, ground: Ground, base: Base, batch: Batch, heard: int, deadline: Deadline) -> Ground:
    """Lays a base under a graph that has had nothing, in the three stages of an append; `batch` has its rows.

    Raises: Stale; Overtaken where the base will be there all the same.
    """
    ground = await _text(store, ground, base, deadline)
    try:
        ground = await appending.places(store, ground, batch, deadline)
        return await appending.head(store, ground, heard, deadline)
    except Stale as error:
        raise appending.Overtaken from error


async def of(store: Store, g: str, deadline: Deadline) -> Base | None:
    """The base of a graph's generation, if it has one."""
    records = await store.read("base/of", deadline, g=g, seq=BASE)
    return Base([record["text"] for record in records], records[0]["ts"]) if records else None


async def _text(store: Store, ground: Ground, base: Base, deadline: Deadline) -> Ground:
    done = ground.at(written=BASE)
    rows = [{"g": ground.g, "seq": BASE, "number": number, "ts": base.ts, "text": text} for number, text in enumerate(base.texts)]

    async def put(tx: Transaction, _: Record) -> None:
        for start in range(0, len(rows), _PARTS):
            await tx.run("base/put", rows={"parts": rows[start : start + _PARTS]})

    await appending.guarded_with(store, "base/begin", ground, {"to_at": list(done.standing)}, deadline, put)
    return done
