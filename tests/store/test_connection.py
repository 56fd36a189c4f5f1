"""Reads, writing transactions, deadlines and a store that is not there (O23, O25, O30)."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from neo4j import Record
from neo4j.exceptions import ConstraintError, CypherSyntaxError

from app.domain.problems import DeadlineExceeded, StoreUnavailable
from app.embedded.command import free_port
from app.settings import StoreAddress
from app.store import connection
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.greeting import engine_of
from app.store.problems import StoreRefused, StoreUnreachable
from tests.faults.proxy import GREETING, Break, Stage, Trap, proxied
from tests.timing import least

SLOW = "UNWIND range(1, 2500) AS a UNWIND range(1, 2500) AS b WITH a * b AS c WHERE c % 7 = 3 RETURN count(c) AS n"

TEXTS = {
    "slow": SLOW,
    "echo": "RETURN $value AS value",
    "none": "MATCH (n:Probe {id: -1}) RETURN n",
    "put": "CREATE (n:Probe {id: $id}) RETURN n.id AS id",
    "ids": "MATCH (n:Probe) WHERE n.id >= $low RETURN n.id AS id ORDER BY id",
    "add": "MATCH (n:Probe {id: $id}) SET n.count = coalesce(n.count, 0) + 1 RETURN n.count AS count",
    "wrong": "RETURN",
    "put_other": "CREATE (n:OtherProbe {id: $id}) RETURN n.id AS id",
    "other_ids": "MATCH (n:OtherProbe) WHERE n.id >= $low RETURN n.id AS id ORDER BY id",
    "twice": "MERGE (a:Migration {number: 1}) CREATE (b:Migration {number: 1})",
}


@pytest.fixture(autouse=True)
def probes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements for these tests alone."""
    known = connection.statement
    monkeypatch.setattr(connection, "statement", lambda name: TEXTS[name] if name in TEXTS else known(name))


def fresh_id() -> int:
    return time.time_ns()


async def changing(store: Store, name: str, seconds: float, **params: Any) -> None:
    await store.change(name, lambda _: None, Deadline.after(seconds), **params)


async def test_values_come_back_as_they_went(store: Store) -> None:
    """The driver's records, integers of 53 bits and any text included."""
    value = {"n": 2**53 - 1, "t": "ä😀\x7f", "l": [1.5, None, True]}
    record = await store.one("echo", Deadline.after(5), value=value)
    assert record is not None
    assert record["value"] == value
    assert await store.one("none", Deadline.after(5)) is None
    assert await store.read("none", Deadline.after(5)) == []


async def test_a_write_is_seen_by_the_next_read(store: Store) -> None:
    """O23: a read after a write sees it."""
    low = fresh_id()

    async def work(transaction: Transaction) -> int:
        record = await transaction.one("put", id=low)
        assert record is not None
        return int(record["id"])

    assert await store.write(work, Deadline.after(5)) == low
    assert [record["id"] for record in await store.read("ids", Deadline.after(5), low=low)] == [low]


async def test_work_that_fails_leaves_nothing(store: Store) -> None:
    """A writing transaction is whole or not at all, and the error comes through."""
    low = fresh_id()

    async def work(transaction: Transaction) -> None:
        await transaction.run("put", id=low)
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        await store.write(work, Deadline.after(5))
    assert await store.read("ids", Deadline.after(5), low=low) == []


async def test_a_change_that_is_not_accepted_leaves_nothing(store: Store) -> None:
    """One statement in a transaction of its own: its first record is judged before it is committed."""
    low = fresh_id()

    def refuse(record: Record | None) -> int:
        assert record is not None
        raise RuntimeError(f"no {record['id']}")

    with pytest.raises(RuntimeError, match=f"no {low}"):
        await store.change("put", refuse, Deadline.after(5), id=low)
    assert await store.read("ids", Deadline.after(5), low=low) == []
    assert await store.change("put", lambda record: record is not None, Deadline.after(5), id=low)
    assert [record["id"] for record in await store.read("ids", Deadline.after(5), low=low)] == [low]
    assert await store.change("none", lambda record: record is None, Deadline.after(5))


class RefusedError(Exception):
    pass


@pytest.mark.parametrize("first", ["accepted", "refused", "slow"])
@pytest.mark.parametrize("second", ["wanted", "unwanted", "broken", "wrong"])
async def test_what_follows_is_there_only_after_what_it_follows(
    store: Store, first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction that is written ahead: nothing of it is seen before the first one is, and never where that is not, or took long."""
    low = fresh_id()
    seen: list[int] = []
    change = store._change

    async def slowly(*args: Any) -> int:
        await asyncio.sleep(0.5)
        return await change(*args)

    if first == "slow":
        monkeypatch.setattr(connection, "_AHEAD_SECONDS", 0.05)
        monkeypatch.setattr(store, "_change", slowly)

    def judge(record: Record | None) -> int:
        assert record is not None
        if first == "refused":
            raise RefusedError
        return int(record["id"])

    async def ahead(transaction: Transaction, committed: Awaitable[bool]) -> bool:
        await transaction.run("put_other", id=low)
        if second == "broken":
            raise RuntimeError("no")
        if second == "wrong":
            await transaction.run("wrong")
        if not await committed:
            return False
        seen.extend(record["id"] for record in await transaction.run("ids", low=low))
        return second == "wanted"

    async def both() -> tuple[int, bool]:
        return await store.change_ahead("put", judge, ahead, Deadline.after(20), id=low)

    if first == "refused":
        with pytest.raises(RefusedError):
            await both()
    elif second == "broken":
        with pytest.raises(RuntimeError, match="no"):
            await both()
    else:
        assert await both() == (low, first == "accepted" and second == "wanted")
    there = [[record["id"] for record in await store.read(name, Deadline.after(5), low=low)] for name in ("ids", "other_ids")]
    assert there == [[] if first == "refused" else [low], [low] if (first, second) == ("accepted", "wanted") else []]
    assert seen == ([low] if first == "accepted" and second in ("wanted", "unwanted") else [])


async def test_writers_of_one_row_lose_no_update(store: Store) -> None:
    """O25: transient errors are tried again within the deadline; nothing is lost and nothing done twice."""
    row = fresh_id()

    async def put(transaction: Transaction) -> None:
        await transaction.run("put", id=row)

    async def add(transaction: Transaction) -> None:
        await transaction.run("add", id=row)

    await store.write(put, Deadline.after(5))
    half = [store.write(add, Deadline.after(60)) for _ in range(30)]
    await asyncio.gather(*half, *(changing(store, "add", 60, id=row) for _ in range(30)))
    assert (await store.write(lambda transaction: transaction.run("add", id=row), Deadline.after(5)))[0]["count"] == 61


async def test_faults_of_a_statement_are_not_dressed_up(store: Store) -> None:
    """A fault of the program is no passing trouble of the store: it is raised as it is, at once."""
    with pytest.raises(CypherSyntaxError):
        await store.read("wrong", Deadline.after(5))
    with pytest.raises(ConstraintError):
        await store.write(lambda transaction: transaction.run("twice"), Deadline.after(5))
    with pytest.raises(ConstraintError):
        await changing(store, "twice", 5)


@pytest.mark.alone
async def test_a_slow_statement_ends_at_the_deadline(store: Store) -> None:
    """O25, Q38: reads and writes; and the connections are good for others afterwards."""

    async def ended(work: Awaitable[object]) -> None:
        with pytest.raises(DeadlineExceeded):
            await work

    assert 0.4 < await least(lambda: ended(store.read("slow", Deadline.after(0.5))), 1.5) < 1.5
    assert 0.4 < await least(lambda: ended(store.write(lambda one: one.run("slow"), Deadline.after(0.5))), 1.5) < 1.5
    assert 0.4 < await least(lambda: ended(changing(store, "slow", 0.5)), 1.5) < 1.5
    assert await store.one("echo", Deadline.after(10), value=1) is not None


@pytest.mark.alone
async def test_a_deadline_that_has_passed_costs_nothing(store: Store) -> None:
    """O25: one deadline for the whole unit of work: what comes after it is not begun."""

    async def all_ways() -> None:
        with pytest.raises(DeadlineExceeded):
            await store.read("slow", Deadline.after(-1))
        with pytest.raises(DeadlineExceeded):
            await store.write(lambda transaction: transaction.run("slow"), Deadline.after(0))
        with pytest.raises(DeadlineExceeded):
            await changing(store, "slow", 0)

    assert await least(all_ways, 0.5) < 0.5


async def test_waiting_for_a_connection_counts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """O25: the deadline covers waiting for a connection."""
    monkeypatch.setattr(store, "_slots", asyncio.Semaphore(0))
    with pytest.raises(DeadlineExceeded):
        await store.read("echo", Deadline.after(0.2), value=1)


async def test_writers_leave_connections_to_readers(store: Store) -> None:
    """O25: pools are bounded, and writers that wait for each other do not stop reads."""
    go = asyncio.Event()

    async def wait(transaction: Transaction) -> None:
        await transaction.run("echo", value=1)
        await go.wait()

    writers = [asyncio.create_task(store.write(wait, Deadline.after(30))) for _ in range(connection.CONNECTIONS)]
    await asyncio.sleep(0.3)
    try:
        assert await store.one("echo", Deadline.after(5), value=2) is not None
    finally:
        go.set()
        await asyncio.gather(*writers)


async def reading(store: Store) -> None:
    await store.read("echo", Deadline.after(10), value=1)


async def writing(store: Store) -> None:
    await store.write(lambda transaction: transaction.run("echo", value=1), Deadline.after(25))


async def one_change(store: Store) -> None:
    await changing(store, "echo", 25, value=1)


@pytest.mark.alone
@pytest.mark.parametrize("attempt", [reading, writing, one_change])
async def test_a_store_that_is_gone_is_known_as_gone_within_2_s(
    store_address: StoreAddress, attempt: Callable[[Store], Awaitable[None]]
) -> None:
    """O30: requests answer within 2 s. Nothing listens any more; or something does that never says a word."""
    store = await Store.open(store_address)
    try:
        for silent in (False, True):
            with socket.socket() as listener:
                listener.bind(("127.0.0.1", free_port()))
                if silent:
                    listener.listen()
                lost = _moved(store, listener.getsockname()[1])

                async def refused(lost: Store = lost) -> None:
                    with pytest.raises(StoreUnavailable):
                        await attempt(lost)

                assert await least(refused, 2) < 2
                await lost.close()
    finally:
        await store.close()


@pytest.mark.parametrize("attempt", [reading, writing, one_change])
async def test_a_process_that_stood_still_does_not_take_its_store_for_gone(
    store_address: StoreAddress, attempt: Callable[[Store], Awaitable[None]]
) -> None:
    """O30: a machine that halts while connections are made takes the time for that away, and the store is there all the same."""
    for last in (False, False, True):  # a second is not enough for new connections where others keep the machine busy
        store = await Store.open(store_address)
        try:
            attempts = []
            for _ in range(10):  # each one step further than the next
                attempts.append(asyncio.create_task(attempt(store)))
                await asyncio.sleep(0)
            time.sleep(1.25)  # noqa: ASYNC251 - this is the halt
            answers = await asyncio.gather(*attempts, return_exceptions=True)
        finally:
            await store.close()
        if answers == [None] * 10:
            return
        assert not last, answers


@pytest.mark.parametrize("attempt", [reading, writing, one_change])
async def test_a_connection_that_is_not_greeted_in_time_is_made_again(
    store: Store, store_address: StoreAddress, attempt: Callable[[Store], Awaitable[None]]
) -> None:
    """O30: it was taken, but what is said first on it has no answer in time: a store that is busy is not gone."""
    async with proxied(store_address) as proxy:
        trap = proxy.set(Trap(GREETING, Stage.AFTER_RUN, Break.STALL))
        late = Store(connection.driver_for(proxy.address), store.engine, store.agent, store_address.database)
        await attempt(late)
        assert trap.sprung == [f"{GREETING} stalled after run"]
        await late.close()


async def test_an_address_where_nobody_answers_is_named() -> None:
    """Bad input: an unreachable host gives one line that says what to check."""
    with pytest.raises(StoreUnreachable, match="check NEO4J_URI"):
        await Store.open(StoreAddress(f"bolt://127.0.0.1:{free_port()}", "neo4j", "x"), patience=0.2)


@pytest.mark.alone
async def test_a_wrong_password_is_told_at_once(store_address: StoreAddress) -> None:
    """Bad input: wrong password gives one line, without waiting and without the password."""
    began = time.monotonic()
    with pytest.raises(StoreRefused, match="NEO4J_PASSWORD") as told:
        await Store.open(dataclasses.replace(store_address, password="wrong-one"), patience=20)
    assert time.monotonic() - began < 10
    assert "wrong-one" not in str(told.value)
    assert store_address.password not in repr(store_address)


async def test_an_unknown_database_is_named(store_address: StoreAddress) -> None:
    """Bad input: unknown database gives one line."""
    with pytest.raises(StoreRefused, match="'nosuchdatabase': check NEO4J_DATABASE"):
        await Store.open(dataclasses.replace(store_address, database="nosuchdatabase"), patience=20)


async def test_the_engine_is_told_by_its_agent(store: Store, engine: str) -> None:
    """FINDINGS: by the agent string; both say that they are Neo4j."""
    assert store.engine == engine


def test_a_neo4j_that_is_too_old_is_refused() -> None:
    """O23: 5.26 and later, calendar versions included."""
    assert engine_of("Neo4j/5.26.18") == "neo4j"
    assert engine_of("Neo4j/2025.09.0") == "neo4j"
    assert engine_of("Neo4j/5.26.0 compatible (ArcadeDB 26.10.2)") == "embedded"
    for old in ("Neo4j/5.25.1", "Neo4j/4.4.40"):
        with pytest.raises(StoreRefused, match=r"5\.26 or later"):
            engine_of(old)


def _moved(store: Store, port: int) -> Store:
    """A store like `store` whose server is no longer there: its driver goes to `port`."""
    driver = connection.driver_for(StoreAddress(f"bolt://127.0.0.1:{port}", "neo4j", "x"))
    return Store(driver, store.engine, store.agent, None)
