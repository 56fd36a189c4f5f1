"""Migrations (O24)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j.exceptions import ClientError

from app.domain.problems import DeadlineExceeded
from app.settings import StoreAddress
from app.store import migrations
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.migrations import Migration, known_migrations, migrate, missing_migrations
from app.store.problems import StoreProblem, StoreTooNew

COUNTING = "MERGE (c:MigrationProbe {id: 1}) SET c.times = coalesce(c.times, 0) + 1"


def soon() -> Deadline:
    return Deadline.after(20)


def one_more(*texts: str) -> list[Migration]:
    """The known migrations and one that comes after them."""
    known = known_migrations()
    return [*known, Migration(known[-1].number + 1, "probe", texts)]


async def run(store: Store, text: str) -> list[object]:
    async def work(transaction: Transaction) -> list[object]:
        return [record[0] for record in await transaction.run_text(text)]

    return await store.write(work, soon())


@pytest_asyncio.fixture
async def clean(store: Store) -> AsyncIterator[Store]:
    """The shared store, brought back to what this program knows."""
    yield store
    await run(store, f"MATCH (m:Migration) WHERE m.number > {known_migrations()[-1].number} DELETE m")
    await run(store, "MATCH (m:Migration {number: 0}) SET m.until = 0, m.holder = null")
    await run(store, "MATCH (c:MigrationProbe) DELETE c")


async def test_the_fixture_store_lacks_nothing_and_twice_does_nothing(store: Store) -> None:
    """O24: each recorded; running twice does nothing."""
    assert await missing_migrations(store, soon()) == []
    assert await migrate(store, soon()) == []
    recorded = await run(store, "MATCH (m:Migration) WHERE m.number > 0 RETURN m.number ORDER BY m.number")
    assert recorded == [migration.number for migration in known_migrations()]


async def test_what_is_missing_is_told_and_then_applied_once(clean: Store) -> None:
    """O11, O24: `migrate --check` tells; in order; each recorded with its name and time."""
    known = one_more(COUNTING)
    assert [m.name for m in await missing_migrations(clean, soon(), known)] == ["probe"]
    assert [m.name for m in await migrate(clean, soon(), known)] == ["probe"]
    assert await migrate(clean, soon(), known) == []
    assert await run(clean, "MATCH (c:MigrationProbe) RETURN c.times") == [1]
    assert await run(clean, "MATCH (m:Migration {name: 'probe'}) WHERE m.applied > 1600000000000 RETURN count(m)") == [1]


async def test_of_two_that_start_at_once_one_migrates(clean: Store, store_address: StoreAddress) -> None:
    """O24: applied by whichever process holds the lock."""
    other = await Store.open(store_address)
    try:
        done = await asyncio.gather(*(migrate(who, soon(), one_more(COUNTING)) for who in (clean, other)))
    finally:
        await other.close()
    assert sorted(len(applied) for applied in done) == [0, 1]
    assert await run(clean, "MATCH (c:MigrationProbe) RETURN c.times") == [1]


async def test_a_newer_store_is_refused(clean: Store) -> None:
    """O24: a store that is newer than the program is refused, with what to do."""
    await migrate(clean, soon(), one_more(COUNTING))
    for attempt in (migrate(clean, soon()), missing_migrations(clean, soon())):
        with pytest.raises(StoreTooNew, match="install a newer agent-graph-gateway"):
            await attempt


async def test_a_lock_that_is_held_is_waited_for_until_the_deadline(clean: Store) -> None:
    """O24, O25: nothing is applied beside the holder."""
    await run(clean, "MATCH (m:Migration {number: 0}) SET m.holder = 'another', m.until = timestamp() + 60000")
    with pytest.raises(DeadlineExceeded):
        await migrate(clean, Deadline.after(1), one_more(COUNTING))
    assert await run(clean, "MATCH (c:MigrationProbe) RETURN c.times") == []


async def test_a_lock_whose_holder_died_is_taken_when_it_runs_out(clean: Store) -> None:
    """O24: a process killed while migrating does not stop the next one for good."""
    await run(clean, "MATCH (m:Migration {number: 0}) SET m.holder = 'dead', m.until = timestamp() + 1000")
    assert len(await migrate(clean, soon(), one_more(COUNTING))) == 1


async def test_the_lock_is_kept_while_a_long_migration_runs(clean: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """O24: the lease is renewed, so nobody else begins."""
    monkeypatch.setattr(migrations, "LEASE_SECONDS", 1.5)
    inside = asyncio.Event()

    async def hold() -> None:
        async with migrations._lock(clean, soon()):
            inside.set()
            await asyncio.sleep(4)

    holding = asyncio.create_task(hold())
    await inside.wait()
    for _ in range(10):
        left = await run(clean, "MATCH (m:Migration {number: 0}) RETURN m.until - timestamp()")
        assert isinstance(left[0], int)
        assert left[0] > 0
        await asyncio.sleep(0.3)
    await holding
    assert await run(clean, "MATCH (m:Migration {number: 0}) RETURN m.until") == [0]


async def test_a_migration_that_fails_is_not_recorded_and_frees_the_lock(clean: Store) -> None:
    """O24: the next start tries again at once."""
    with pytest.raises(ClientError):
        await migrate(clean, soon(), one_more(COUNTING, "THIS IS NO CYPHER"))
    assert [m.name for m in await missing_migrations(clean, soon(), one_more(COUNTING))] == ["probe"]
    assert len(await migrate(clean, Deadline.after(5), one_more(COUNTING))) == 1


def test_files_are_numbered_without_gaps_and_split_into_statements() -> None:
    """O24: numbered Cypher files, applied in order."""
    known = known_migrations()
    assert [migration.number for migration in known] == list(range(1, len(known) + 1))
    for text in known[0].statements:
        assert text.startswith(("CREATE CONSTRAINT", "CREATE INDEX"))
        assert "IF NOT EXISTS" in text
        assert ";" not in text


async def test_every_constraint_and_index_of_the_files_is_there(store: Store) -> None:
    """The whole list was carried out: as many as the statements say, and the one of the bookkeeping."""
    wanted = [text for migration in known_migrations() for text in migration.statements]
    assert len(await run(store, "SHOW INDEXES YIELD labelsOrTypes, properties WHERE size(properties) > 0 RETURN properties")) >= len(wanted)


def test_a_file_with_another_name_is_refused(tmp_path: Path) -> None:
    """A migration that would silently be left out is worse than none."""
    (tmp_path / "add_things.cypher").write_text("// what\nRETURN 1")
    with pytest.raises(StoreProblem, match=r"add_things\.cypher"):
        known_migrations(tmp_path)
