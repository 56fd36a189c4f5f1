"""One connection pool to the graph database over Bolt: reads, writing transactions, their deadlines and retries."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, Literal, TypeAlias, TypeVar

from neo4j import (
    READ_ACCESS,
    WRITE_ACCESS,
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncResult,
    AsyncTransaction,
    NotificationMinimumSeverity,
    Query,
    Record,
    unit_of_work,
)
from neo4j.exceptions import ConnectionAcquisitionTimeoutError

from app.domain.problems import DeadlineExceeded, StoreUnavailable
from app.settings import StoreAddress
from app.store import tally
from app.store.deadline import Deadline
from app.store.faults import DRIVER_ERRORS, is_gone, is_retryable, is_timed_out, translated
from app.store.greeting import Engine, greet
from app.store.statements import in_one_go, statement, with_lists

T = TypeVar("T")

CONNECTIONS = 40
"""Connections of one process. Eight workers stay below Neo4j's default of 400 Bolt threads (O25)."""

CONNECT_SECONDS = 0.8
ACQUIRE_SECONDS = 0.9
"""A store that is gone must be known as gone within 2 s, retries included (O30): twice this, or `GIVE_UP_SECONDS` + a pause + this."""
GIVE_UP_SECONDS = 1.0

_AHEAD_SECONDS = 0.25
"""How long a transaction waits for the one that it is to follow."""

_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 0.09


class Transaction:
    """A writing transaction: statements by name, in order."""

    def __init__(self, transaction: AsyncManagedTransaction | AsyncTransaction) -> None:
        self._transaction = transaction

    async def run(self, name: str, /, **params: Any) -> list[Record]:
        """All records of one statement."""
        return await self.run_text(statement(name), **with_lists(params))

    async def run_text(self, text: str, **params: Any) -> list[Record]:
        """The same for a statement that has no name: a part of a migration."""
        tally.sent()
        try:
            result = await self._transaction.run(text, params)
            records = [record async for record in result]
        except DRIVER_ERRORS as error:
            if is_timed_out(error):  # here, because the driver would take one engine's time-out for a passing fault
                raise DeadlineExceeded from error
            raise
        tally.came_back(records)
        return records

    async def one(self, name: str, /, **params: Any) -> Record | None:
        """The first record of one statement, if there is any."""
        records = await self.run(name, **params)
        return records[0] if records else None


Ahead: TypeAlias = Callable[[Transaction, Awaitable[bool]], Awaitable[bool]]


class Store:
    """One connection pool to the graph database over Bolt.

    Every call takes the deadline of its unit of work and raises `DeadlineExceeded` when it has passed, and `StoreUnavailable`
    within 2 s when the store is gone (O25, O30). A store that comes back at the same address is used again without further ado.
    """

    def __init__(self, driver: AsyncDriver, engine: Engine, agent: str, database: str | None) -> None:
        self.engine: Literal["neo4j", "embedded"] = engine
        self.agent = agent
        self._driver = driver
        self._slots = asyncio.Semaphore(CONNECTIONS)
        # Embedded: transactions that write at the same time conflict on pages even where they share no row. Neo4j: writers that
        # wait for a graph's lock must leave connections to reads.
        self._writers = asyncio.Semaphore(1 if engine == "embedded" else CONNECTIONS // 2)
        # What is written ahead takes a second connection beside its writer's: reads keep the rest.
        self._aheads = asyncio.Semaphore(CONNECTIONS // 4)
        # Neo4j: a cluster's replica must have seen our own writes (O23); the embedded engine is one server.
        self._bookmarks = AsyncGraphDatabase.bookmark_manager() if engine == "neo4j" else None
        self._database = database
        self._session: dict[str, Any] = {"database": database, "bookmark_manager": self._bookmarks}
        self._reading = {**self._session, "default_access_mode": READ_ACCESS, "fetch_size": -1}

    @classmethod
    async def open(cls, address: StoreAddress, patience: float = 10.0) -> Store:
        """Connect, and wait up to `patience` seconds for a first answer.

        Raises: StoreUnreachable, StoreRefused.
        """
        driver = driver_for(address)
        try:
            engine, agent = await greet(driver, address.uri, address.database, Deadline.after(patience))
        except BaseException:
            await driver.close()
            raise
        return cls(driver, engine, agent, address.database)

    async def close(self) -> None:
        """Close all connections."""
        await self._driver.close()

    async def read(self, name: str, /, deadline: Deadline, **params: Any) -> list[Record]:
        """All records of one statement that only reads, in a transaction of its own."""
        text = statement(name)
        if self.engine == "neo4j":
            text = in_one_go(text)
        async with _until(deadline), self._slots:
            return await self._read(text, deadline, with_lists(params))

    async def one(self, name: str, /, deadline: Deadline, **params: Any) -> Record | None:
        """The first record of one statement that only reads, if there is any."""
        records = await self.read(name, deadline, **params)
        return records[0] if records else None

    async def write(self, work: Callable[[Transaction], Awaitable[T]], deadline: Deadline) -> T:
        """What `work` gives, done in one writing transaction that is committed when it returns.

        `work` may be run more than once: conflicts and lost connections are tried again within the deadline. When the connection
        breaks during the commit the outcome is unknown, and `StoreUnavailable` is raised.
        """
        async with _until(deadline), self._writers, self._slots:
            return await self._write(work, deadline)

    async def change(self, name: str, /, accept: Callable[[Record | None], T], deadline: Deadline, **params: Any) -> T:
        """What `accept` gives for the first record of one statement, in a transaction of its own that is committed if it raises nothing.

        A round trip less than `write` takes. Tried again, and failing, as that.
        """
        async with _until(deadline), self._writers, self._slots:
            return await self._change(name, accept, deadline, params)

    async def change_ahead(
        self, name: str, /, accept: Callable[[Record | None], T], ahead: Ahead, deadline: Deadline, **params: Any
    ) -> tuple[T, bool]:
        """`change`, and beside it the transaction that is to follow it: what it gives, and whether the other is there too.

        `ahead` runs statements on rows that the first transaction has no part in, waits until that is committed, may run more, and says
        whether it is to be committed as well. It comes to nothing where the store does not take it, or where the first transaction takes
        long: somebody who is before us may wait for rows that `ahead` has touched. Then it is to be done as any other.
        """
        async with _until(deadline), self._writers, self._slots:
            committed = asyncio.get_running_loop().create_future()
            following = asyncio.create_task(self._ahead(ahead, committed, deadline))
            try:
                try:
                    found = await self._change(name, accept, deadline, params)
                except Exception:
                    committed.set_result(False)
                    await asyncio.wait({following})  # what it raises, it does so because nothing was as it should be
                    raise
                committed.set_result(True)
                return found, await following
            finally:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)

    async def _change(self, name: str, accept: Callable[[Record | None], T], deadline: Deadline, params: dict[str, Any]) -> T:
        text, params = statement(name), with_lists(params)

        async def accepted(result: AsyncResult) -> T:
            records = [record async for record in result]
            tally.came_back(records)
            return accept(records[0] if records else None)

        async def once() -> T:
            tally.sent()
            query = Query(text, timeout=_server_seconds(deadline))
            return await self._driver.execute_query(
                query, params, database_=self._database, bookmark_manager_=self._bookmarks, result_transformer_=accepted
            )

        return await _again(once)

    async def _ahead(self, ahead: Ahead, committed: asyncio.Future[bool], deadline: Deadline) -> bool:
        if self._slots.locked() or self._aheads.locked():
            return False
        waiting = asyncio.wait_for(asyncio.shield(committed), _AHEAD_SECONDS)
        try:
            async with (
                self._slots,
                self._aheads,
                self._driver.session(**self._session) as session,
                await session.begin_transaction(timeout=_server_seconds(deadline)) as transaction,
            ):
                wanted = await ahead(Transaction(transaction), waiting)
                await (transaction.commit() if wanted else transaction.rollback())
        except (TimeoutError, *DRIVER_ERRORS):
            return False  # or it is not known: whoever does it as any other finds out
        finally:
            waiting.close()
        return wanted

    async def _read(self, text: str, deadline: Deadline, params: dict[str, Any]) -> list[Record]:
        async def once() -> list[Record]:
            tally.sent()
            async with self._driver.session(**self._reading) as session:
                result = await session.run(Query(text, timeout=_server_seconds(deadline)), params)
                records = [record async for record in result]
            tally.came_back(records)
            return records

        return await _again(once)

    async def _write(self, work: Callable[[Transaction], Awaitable[T]], deadline: Deadline) -> T:
        try:
            try:
                return await self._connected_write(work, deadline)
            except _NotConnectedError:  # a second time in any case, as in `_again`
                return await self._connected_write(work, deadline)
        except _NotConnectedError as error:
            raise StoreUnavailable from error
        except DRIVER_ERRORS as error:
            raise translated(error) from error

    async def _connected_write(self, work: Callable[[Transaction], Awaitable[T]], deadline: Deadline) -> T:
        loop = asyncio.get_running_loop()

        @unit_of_work(timeout=_server_seconds(deadline))
        async def attempt(transaction: AsyncManagedTransaction) -> T:
            connecting.reschedule(None)
            try:
                return await work(Transaction(transaction))
            except DRIVER_ERRORS:
                connecting.reschedule(loop.time() + ACQUIRE_SECONDS)
                raise

        # The driver goes on trying to connect for as long as its retries may take; a store that is gone must be known sooner.
        try:
            async with (
                asyncio.timeout(ACQUIRE_SECONDS) as connecting, self._driver.session(**self._session, **_retries(deadline)) as session
            ):  # fmt: skip
                return await session.execute_write(attempt)
        except ConnectionAcquisitionTimeoutError as error:
            raise _NotConnectedError from error
        except TimeoutError as error:
            if connecting.expired():
                raise _NotConnectedError from error
            raise


class _NotConnectedError(Exception):
    """No connection to the store was had in time."""


def driver_for(address: StoreAddress) -> AsyncDriver:
    """The driver as the gateway needs it. It connects only when it is used."""
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)  # it writes, with addresses, what it also raises
    return AsyncGraphDatabase.driver(
        address.uri,
        auth=(address.username, address.password),
        max_connection_pool_size=CONNECTIONS,
        connection_timeout=CONNECT_SECONDS,
        connection_acquisition_timeout=ACQUIRE_SECONDS,
        notifications_min_severity=NotificationMinimumSeverity.OFF,
        telemetry_disabled=True,
        user_agent="agent-graph-gateway",
        initial_retry_delay=_FIRST_PAUSE,
        max_transaction_retry_time=0,
    )


@asynccontextmanager
async def _until(deadline: Deadline) -> AsyncIterator[None]:
    if deadline.expired:  # a time-out strikes only where something is waited for: by then the statement would have been sent
        raise DeadlineExceeded
    try:
        async with asyncio.timeout(deadline.remaining()):
            yield
    except TimeoutError as error:
        raise DeadlineExceeded from error


async def _again(once: Callable[[], Awaitable[T]]) -> T:
    """What `once` gives. Passing faults are tried again: where the store as a whole does not answer once, and more for `GIVE_UP_SECONDS`.

    Once in any case, because a process that stood still itself for a second finds its time to connect gone before it has tried; and where
    a connection broke at once, what follows has its time to connect twice, too.
    """
    give_up = monotonic() + GIVE_UP_SECONDS
    pause, again = _FIRST_PAUSE, False
    while True:
        try:
            return await once()
        except DRIVER_ERRORS as error:
            if not is_retryable(error) or is_timed_out(error) or (is_gone(error) and again and monotonic() > give_up):
                raise translated(error) from error
        await asyncio.sleep(pause)
        again = True
        pause = min(2 * pause, _LONGEST_PAUSE)


def _server_seconds(deadline: Deadline) -> float:
    # Zero would mean "without limit" to the server, and less is refused.
    return max(deadline.remaining(), 0.001)


def _retries(deadline: Deadline) -> dict[str, Any]:
    return {"default_access_mode": WRITE_ACCESS, "max_transaction_retry_time": max(deadline.remaining(), 0.0)}
