"""Old snapshots go, and nothing else does (M9): away from readers at once, then cleared away in pieces that may be done again."""

from __future__ import annotations

from collections.abc import Iterable

from neo4j import Record

from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.rho.writing import RETIRED, WHOLE, Held

_FACTS = 200


async def trim(store: Store, graph: str, held: Iterable[Held], keep: int, deadline: Deadline, spare: str | None = None) -> int:
    """Takes away what a graph holds beyond its `keep` newest snapshots and those that uploads point to: how many there were.

    Also what another process began to take away and did not finish. `held`: what there is besides the current one (`writing.publish`);
    `spare`: one that stays this time, since it has just come.
    """
    older = sorted(held, key=lambda one: one.recency, reverse=True)
    left = [one.key for one in older if one.state == RETIRED]
    beyond = [one for one in older if one.state == WHOLE][max(keep - 1, 0) :]
    free = [one.key for one in beyond if not one.uploads and one.key != spare]
    left += [key for key in free if await _retire(store, graph, key, deadline)]
    for key in left:
        await clear(store, key, deadline)
    return len(left)


async def clear(store: Store, key: str, deadline: Deadline) -> None:
    """Clears away a snapshot that readers no longer see."""
    while await store.change("rho/drop_facts", _number, deadline, key=key, limit=_FACTS):
        pass
    await store.change("rho/drop_snapshot", lambda _: None, deadline, key=key)


async def _retire(store: Store, graph: str, key: str, deadline: Deadline) -> bool:
    async def work(tx: Transaction) -> bool:
        done = await tx.one("rho/retire", graph=graph, key=key)
        return done is not None and done["state"] == RETIRED

    return await store.write(work, deadline)


def _number(record: Record | None) -> int:
    return 0 if record is None else int(record["number"])
