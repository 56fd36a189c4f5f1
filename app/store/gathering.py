"""Lines of a keyframe that has not come as a whole (I31), kept until the rest of it comes: by whichever process, also after a restart."""

from __future__ import annotations

from collections.abc import Sequence

from neo4j import Record

from app.domain.envelope import Event
from app.store import checkpoints
from app.store.appending import Ground, guarded_with
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.pieces import Piece

_PLACE = -1
"""Where they are kept among the checkpoints: no state stands there."""

_PARTS = 10
"""Lines of one statement: about 2 MB."""


async def read(store: Store, g: str, arrival: int, deadline: Deadline) -> list[bytes]:
    """The lines that are kept, in the order in which they came; `arrival`: of the graph's last event, which must have come before them."""
    return [record["text"].encode() for record in await store.read("gather/read", deadline, g=g, seq=_PLACE, arrival=arrival)]


async def keep(store: Store, ground: Ground, known: int, parts: Sequence[Event], *, incomplete: bool, deadline: Deadline) -> None:
    """Keeps lines beside the `known` ones that are kept already; if these are none, in place of all that were kept before.

    `incomplete`: something may be missing from the graph until the whole keyframe has come. Raises: Stale.
    """
    at = {"g": ground.g, "seq": _PLACE, "kind": "gathered", "arrival": ground.standing.arrival}
    rows = [at | {"number": number, "event": part.id, "text": part.line.decode()} for number, part in enumerate(parts, known)]

    async def put(tx: Transaction, _: Record) -> None:
        if not known:
            await forget(tx, ground.g)
        for start in range(0, len(rows), _PARTS):
            await tx.run("gather/put", rows=Piece(parts=rows[start : start + _PARTS]))

    await guarded_with(store, "gather/stand", ground, {"incomplete": incomplete}, deadline, put)


async def forget(tx: Transaction, g: str) -> None:
    """Drops them, as a part of a transaction."""
    await checkpoints.drop(tx, g, _PLACE, _PLACE)


async def drop(store: Store, ground: Ground, *, incomplete: bool, deadline: Deadline) -> None:
    """Drops all lines that are kept. Raises: Stale."""
    await keep(store, ground, 0, [], incomplete=incomplete, deadline=deadline)
