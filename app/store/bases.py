"""What a graph starts from where it does not start from nothing (E133): a keyframe that came before its first event."""

from __future__ import annotations

from neo4j import Record

from app.domain.history import Batch
from app.store import appending, checkpoints, gathering
from app.store.appending import Ground, Stale
from app.store.checkpoints import Stored
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.intervals import BASE


async def lay(store: Store, ground: Ground, base: Stored, batch: Batch, heard: int, deadline: Deadline) -> Ground:
    """Lays a base under a graph that has had nothing, in the three stages of an append; `batch` has its rows.

    Raises: Stale; Overtaken where the base will be there all the same.
    """
    done = ground.at(written=BASE)

    async def put(tx: Transaction, _: Record) -> None:
        await gathering.forget(tx, ground.g)
        await checkpoints.put_rows(tx, ground.g, base)

    await appending.guarded_with(store, "checkpoint/base", ground, {"to_at": list(done.standing)}, deadline, put)
    try:
        done = await appending.places(store, done, batch, deadline)
        return await appending.head(store, done, heard, deadline)
    except Stale as error:
        raise appending.Overtaken from error
