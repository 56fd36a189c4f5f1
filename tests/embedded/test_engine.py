"""The embedded store's process: starting, watching, ending (O22)."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from app.domain.problems import DeadlineExceeded, StoreUnavailable
from app.embedded import EmbeddedStore
from app.embedded.problems import FolderInUse, FolderUnusable, StartFailed
from app.settings import StoreAddress
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from tests.timing import TRIES, least

OWNER = """
import sys, time
from pathlib import Path
from app.embedded import EmbeddedStore
engine = EmbeddedStore(Path(sys.argv[1]))
address = engine.start_now()
print(engine.pid, address.uri, address.password, flush=True)
time.sleep(600)
"""

SLOW = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a * b AS c WHERE c % 7 = 3 RETURN count(c) AS n"


@pytest_asyncio.fixture(scope="module")
async def embedded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedStore]:
    """A store that the tests of this module kill as they like: it is always back afterwards."""
    started = EmbeddedStore(tmp_path_factory.mktemp("engine"))
    await started.start()
    try:
        yield started
    finally:
        await started.stop()


@pytest_asyncio.fixture
async def connected(embedded: EmbeddedStore) -> AsyncIterator[Store]:
    store = await Store.open(embedded.address, patience=30)
    try:
        yield store
    finally:
        await store.close()


@pytest_asyncio.fixture(scope="module")
async def back_within(tmp_path_factory: pytest.TempPathFactory) -> float:
    """5 s, or what a machine too busy for that takes for one and a half plain starts at this time."""
    began = time.monotonic()
    plain = EmbeddedStore(tmp_path_factory.mktemp("plain"))
    try:
        await (await Store.open(await plain.start(), patience=60)).close()
        return max(5.0, 1.5 * (time.monotonic() - began))
    finally:
        await plain.stop()


async def add(store: Store, number: int) -> None:
    """One acknowledged commit."""

    async def work(transaction: Transaction) -> None:
        await transaction.run_text("CREATE (:Mark {number: $number})", number=number)

    await store.write(work, Deadline.after(20))


async def numbers(store: Store) -> list[int]:
    async def work(transaction: Transaction) -> list[int]:
        return [record["n"] for record in await transaction.run_text("MATCH (m:Mark) RETURN m.number AS n ORDER BY n")]

    return await store.write(work, Deadline.after(20))


async def seconds_until_it_answers(store: Store, limit: float) -> float:
    began = time.monotonic()
    while True:
        try:
            await store.read("schema/applied", Deadline.after(2))
        except (StoreUnavailable, DeadlineExceeded):
            assert time.monotonic() - began < limit, "the store is not back"
            await asyncio.sleep(0.02)
        else:
            return time.monotonic() - began


def owner(data_dir: Path) -> tuple[subprocess.Popen[str], int, str, str]:
    """A process that owns a store in `data_dir`; the store's pid, address and password."""
    process = subprocess.Popen([sys.executable, "-c", OWNER, str(data_dir)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pid, uri, password = process.stdout.readline().split()
    return process, int(pid), uri, password


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def seconds_until_gone(pid: int, limit: float) -> float:
    began = time.monotonic()
    while not gone(pid):
        assert time.monotonic() - began < limit, f"process {pid} still runs"
        await asyncio.sleep(0.02)
    return time.monotonic() - began


@pytest.mark.alone
async def test_a_killed_store_is_back_within_5_s_with_all_that_was_acknowledged(
    embedded: EmbeddedStore, connected: Store, back_within: float
) -> None:
    """O22: if the store dies it is started again within 5 s, at the same address; O30: without a restart of ours."""
    for number in range(20):
        await add(connected, number)
    kills, before = 0, embedded.restarts

    async def kill() -> None:
        nonlocal kills
        kills += 1
        assert embedded.pid is not None
        psutil.Process(embedded.pid).kill()
        await seconds_until_gone(embedded.pid, 5)

    assert await least(lambda: seconds_until_it_answers(connected, limit=30), back_within, kill) < back_within
    assert embedded.restarts == before + kills
    assert await numbers(connected) == list(range(20))


@pytest.mark.alone
async def test_requests_are_refused_within_2_s_while_it_is_down(embedded: EmbeddedStore, connected: Store) -> None:
    """O30: store gone, requests answer within 2 s, and writes too."""

    async def share(attempt: Callable[[], Awaitable[object]]) -> float:
        """The part that an attempt takes of the time that it has."""
        assert embedded.pid is not None
        process = psutil.Process(embedded.pid)
        process.kill()
        process.wait(5)
        began = time.monotonic()
        try:
            await attempt()
        except StoreUnavailable:
            return (time.monotonic() - began) / 2
        else:  # it was back before the attempt gave up, and answered: within the time that it has for coming back
            return (time.monotonic() - began) / 5
        finally:
            await seconds_until_it_answers(connected, limit=30)

    for attempt in (lambda: connected.read("schema/applied", Deadline.after(10)), lambda: add(connected, -1)):
        shares: list[float] = []
        while len(shares) < TRIES and min(shares, default=1) >= 1:
            shares.append(await share(attempt))
        assert min(shares) < 1, shares


async def test_the_store_survives_the_death_of_its_supervisor(embedded: EmbeddedStore, connected: Store) -> None:
    """O22: whatever is killed, the store is there again and only one of it runs."""
    old = embedded.pid
    assert old is not None
    psutil.Process(old).parent().kill()  # type: ignore[union-attr]
    await seconds_until_gone(old, 10)
    await seconds_until_it_answers(connected, limit=30)
    assert embedded.pid != old


async def test_a_second_gateway_is_refused_in_one_line(embedded: EmbeddedStore) -> None:
    """O22: a second gateway on the same data directory is refused with a clear message."""
    with pytest.raises(FolderInUse) as refused:
        await EmbeddedStore(embedded.folder.data_dir).start()
    told = str(refused.value)
    assert f"process {os.getpid()}" in told
    assert str(embedded.folder.data_dir) in told
    assert "\n" not in told
    assert psutil.pid_exists(embedded.pid or 0), "the refused one must not touch the other's store"


async def test_the_password_is_nowhere_to_be_seen(embedded: EmbeddedStore) -> None:
    """O22: a random password in the data directory (0600); not in any command line, environment, log or `store.json`."""
    password = embedded.address.password
    file = embedded.folder.password_file
    assert len(password) >= 32
    assert file.read_text() == password
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((embedded.folder.path / "store.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(embedded.folder.path.stat().st_mode) == 0o700
    store = psutil.Process(embedded.pid)
    parent = store.parent()
    assert parent is not None
    for process in (store, parent):
        assert password not in " ".join(process.cmdline())
        assert password not in " ".join(process.environ().values())
    others = [path for path in embedded.folder.path.rglob("*") if path.is_file() and path != file]
    assert len(others) > 5
    assert not [path for path in others if password.encode() in path.read_bytes()]


async def test_it_listens_on_loopback_only(embedded: EmbeddedStore) -> None:
    """O22: a loopback port, and nothing else."""
    listening = [c for c in psutil.Process(embedded.pid).net_connections(kind="inet") if c.status == psutil.CONN_LISTEN]
    assert {c.laddr.port for c in listening} >= {int(embedded.address.uri.rsplit(":", 1)[1])}
    assert {c.laddr.ip.removeprefix("::ffff:") for c in listening} == {"127.0.0.1"}


async def test_a_clean_stop_frees_everything_and_a_start_finds_the_data(data_dir: Path) -> None:
    """O22, O2: stopped cleanly, started again on the same data, with the same password."""
    engine = EmbeddedStore(data_dir)
    first = await engine.start()
    store = await Store.open(first, patience=30)
    await add(store, 7)
    await store.close()
    pid = engine.pid
    await engine.stop()
    assert pid is not None
    assert gone(pid)
    assert not (engine.folder.path / "store.json").exists()
    assert "server is down" in engine.folder.log.read_text().lower()

    second = await engine.start()
    try:
        assert second.password == first.password
        store = await Store.open(second, patience=30)
        assert await numbers(store) == [7]
        await store.close()
    finally:
        await engine.stop()


async def test_a_lost_password_file_locks_nobody_out(data_dir: Path) -> None:
    """O22: the next start makes a new password, and the data is still there."""
    engine = EmbeddedStore(data_dir)
    first = await engine.start()
    store = await Store.open(first, patience=30)
    await add(store, 7)
    await store.close()
    await engine.stop()
    engine.folder.password_file.unlink()
    second = await engine.start()
    try:
        assert second.password != first.password
        store = await Store.open(second, patience=30)
        assert await numbers(store) == [7]
        await store.close()
    finally:
        await engine.stop()


async def test_the_store_ends_by_itself_when_the_gateway_is_killed(data_dir: Path) -> None:
    """O22: kill -9 of the gateway, the store ends within 10 s, and the next start recovers."""
    process, pid, _, _ = owner(data_dir)
    process.kill()
    process.wait()
    assert await seconds_until_gone(pid, 10) < 10
    next_one = EmbeddedStore(data_dir)
    await next_one.start()
    try:
        await (await Store.open(next_one.address, patience=30)).close()
    finally:
        await next_one.stop()


async def test_after_everything_was_killed_the_next_start_recovers(data_dir: Path) -> None:
    """O22: kill -9 of gateway, supervisor and store in the middle of commits; acknowledged ones are there."""
    process, pid, uri, password = owner(data_dir)
    engine = EmbeddedStore(data_dir)
    store = await Store.open(StoreAddress(uri, "root", password, "neo4j"), patience=30)
    for number in range(50):
        await add(store, number)
    supervisor = psutil.Process(pid).parent()
    assert supervisor is not None
    for victim in (process.pid, supervisor.pid, pid):
        psutil.Process(victim).kill()
    process.wait()
    await store.close()
    store = await Store.open(await engine.start(), patience=30)
    try:
        assert await numbers(store) == list(range(50))
    finally:
        await store.close()
        await engine.stop()


async def test_a_store_left_behind_is_taken_over(data_dir: Path) -> None:
    """O22: an orphan that does not end is killed before another store opens the same files."""
    process, pid, _, _ = owner(data_dir)
    orphan = psutil.Process(pid)
    supervisor = orphan.parent()
    assert supervisor is not None
    orphan.suspend()  # it cannot obey SIGTERM any more
    process.kill()
    process.wait()
    supervisor.kill()
    next_one = EmbeddedStore(data_dir, orphan_seconds=1)
    await next_one.start()
    try:
        assert gone(pid)
    finally:
        await next_one.stop()


@pytest.mark.alone
async def test_no_statement_outlives_the_limit(data_dir: Path) -> None:
    """O25: the engine goes on when a caller leaves; its own limit ends the statement, and the caller is told why."""
    embedded = EmbeddedStore(data_dir, statement_seconds=1)
    store = await Store.open(await embedded.start(), patience=30)
    try:
        began = time.monotonic()
        with pytest.raises(DeadlineExceeded):
            await store.write(lambda transaction: transaction.run_text(SLOW), Deadline.after(20))
        assert time.monotonic() - began < 10
    finally:
        await store.close()
        await embedded.stop()


async def test_a_data_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """Bad input: a data directory that is not writable gives one line that says what to do."""
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(FolderUnusable) as refused:
        await EmbeddedStore(tmp_path / "file" / "data").start()
    told = str(refused.value)
    assert str(tmp_path / "file" / "data") in told
    assert "AGW_DATA_DIR" in told
    assert "\n" not in told


async def test_a_store_that_cannot_start_says_what_it_said(data_dir: Path) -> None:
    """Bad input: one line with the server's last words and where the rest is, and nothing is left running or locked."""
    with pytest.raises(StartFailed) as refused:
        await EmbeddedStore(data_dir, memory_mib=1).start()
    told = str(refused.value)
    assert "NEO4J_URI" in told
    assert "store.log" in told
    assert "\n" not in told
    engine = EmbeddedStore(data_dir)
    await engine.start()
    await engine.stop()
