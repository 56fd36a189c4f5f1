"""Numbered Cypher files that bring a store to the shape this program needs, each applied once (O24)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from neo4j.exceptions import ConstraintError

from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.problems import StoreProblem, StoreTooNew
from app.store.statements import cypher_folder, statement, without_header

LEASE_SECONDS = 30.0
"""How long the lock outlives a process that died with it."""

_STEP_SECONDS = 600.0
_PAUSE = 0.2


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file: `0001_name.cypher`, its statements apart by lines that hold only `;`.

    Each statement is a transaction of its own (Neo4j allows no schema and data together) and may run again after a crash.
    """

    number: int
    name: str
    statements: tuple[str, ...]


def known_migrations(folder: Path | None = None) -> list[Migration]:
    """All migrations of this program, in order."""
    return [_parsed(path) for path in sorted((folder or cypher_folder() / "migrations").glob("*.cypher"))]


async def missing_migrations(store: Store, deadline: Deadline, known: list[Migration] | None = None) -> list[Migration]:
    """What this store has not had yet, in order.

    Raises: StoreTooNew if it has had what this program does not know.
    """
    known = known_migrations() if known is None else known
    applied = {record["number"] for record in await store.read("schema/applied", deadline)}
    unknown = applied - {migration.number for migration in known}
    if unknown:
        newest = known[-1].number if known else 0
        raise StoreTooNew(f"The store is at migration {max(unknown)}, this program knows {newest}: install a newer agent-graph-gateway.")
    return [migration for migration in known if migration.number not in applied]


async def migrate(store: Store, deadline: Deadline, known: list[Migration] | None = None) -> list[Migration]:
    """Apply what is missing and give it back; whoever comes second waits for the first and then finds nothing to do.

    Raises: StoreTooNew; DeadlineExceeded while another process holds the lock.
    """
    if not await missing_migrations(store, deadline, known):
        return []
    await _run(store, statement("schema/begin"), deadline)
    async with _lock(store, deadline):
        missing = await missing_migrations(store, deadline, known)
        for migration in missing:
            for text in migration.statements:
                await _run(store, text, Deadline.after(_STEP_SECONDS))
            await _record(store, migration, deadline)
        await _until_indexes_are_filled(store)
    return missing


def _parsed(path: Path) -> Migration:
    match = re.fullmatch(r"(\d{4})_(\w+)", path.stem)
    if match is None:
        raise StoreProblem(f"{path.name} is no migration: name it like 0001_what_it_does.cypher.")
    parts = re.split(r"^;$", without_header(path.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return Migration(int(match[1]), match[2], tuple(part.strip() for part in parts if part.strip()))


async def _run(store: Store, text: str, deadline: Deadline) -> None:
    async def work(transaction: Transaction) -> None:
        await transaction.run_text(text)

    await store.write(work, deadline)


async def _record(store: Store, migration: Migration, deadline: Deadline) -> None:
    async def work(transaction: Transaction) -> None:
        await transaction.run("schema/record", number=migration.number, name=migration.name)

    await store.write(work, deadline)


@asynccontextmanager
async def _lock(store: Store, deadline: Deadline) -> AsyncIterator[None]:
    holder = uuid4().hex

    async def take(transaction: Transaction) -> bool:
        return bool(await transaction.run("schema/lock", holder=holder, lease_ms=round(LEASE_SECONDS * 1000)))

    async def held(patience: Deadline) -> bool:
        try:
            return await store.write(take, patience)
        except ConstraintError:  # two processes made the row at once; the other one has it
            return False

    async def release(transaction: Transaction) -> None:
        await transaction.run("schema/unlock", holder=holder)

    async def keep() -> None:
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            await held(Deadline.after(LEASE_SECONDS / 3))

    while not await held(deadline):  # noqa: ASYNC110 - another process gives it back, not a task of ours
        await asyncio.sleep(_PAUSE)
    keeping = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        await store.write(release, Deadline.after(LEASE_SECONDS))


async def _until_indexes_are_filled(store: Store) -> None:
    # A plan made before an index is there would go on without it.
    patience = Deadline.after(_STEP_SECONDS)
    while (record := await store.one("schema/indexes_to_come", patience)) and record["number"]:  # noqa: ASYNC110 - as above
        await asyncio.sleep(_PAUSE)
