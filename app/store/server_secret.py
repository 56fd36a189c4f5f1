"""Secrets of the server itself, the same for every process on a store."""

from __future__ import annotations

from neo4j.exceptions import ConstraintError

from app.store.connection import Store, Transaction
from app.store.deadline import Deadline


async def server_secret(store: Store, name: str, new: str, deadline: Deadline) -> str:
    """The secret of that name: `new`, if there was none."""

    async def work(tx: Transaction) -> str:
        found = await tx.one("access/secret", name=name, value=new)
        assert found is not None
        return str(found["value"])

    try:
        return await store.write(work, deadline)
    except ConstraintError:  # two processes made it at once; the other one has
        return await store.write(work, deadline)
