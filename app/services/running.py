"""The gateway's services, for as long as it runs: the store is started or reached, migrated, and the operator's key is there (O16, O18)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from app.embedded import EmbeddedStore
from app.services.access import Access
from app.services.appending import Appends
from app.services.clock import Clock
from app.services.graphs import Graphs
from app.services.keys import Keys
from app.services.logins import Logins
from app.services.operator_key import OperatorKey, ensure_operator
from app.settings import Settings, SettingsProblem
from app.store.connection import Store, StoreAddress
from app.store.deadline import Deadline
from app.store.migrations import migrate
from app.store.warming import warm as warm_statements

MIGRATE_SECONDS = 120.0
WARM_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Services:
    """What the doors call. `embedded` is the store's process where this process started it."""

    settings: Settings
    clock: Clock
    store: Store
    embedded: EmbeddedStore | None
    access: Access
    keys: Keys
    logins: Logins
    graphs: Graphs
    appends: Appends
    operator: OperatorKey

    async def store_answers(self, deadline: Deadline) -> None:
        """Returns when the store has answered a small read. Raises: StoreUnavailable, DeadlineExceeded."""
        await self.access.operator_id(deadline)


@asynccontextmanager
async def running(settings: Settings, clock: Clock, *, warm: bool = False) -> AsyncIterator[Services]:
    """Everything that the doors need, until the context ends. `warm`: every statement has run once.

    Raises: SettingsProblem, EmbeddedProblem, StoreProblem.
    """
    make_data_dir(settings.data_dir)
    async with _store(settings) as (store, embedded):
        await migrate(store, Deadline.after(MIGRATE_SECONDS))
        access = Access(store, clock)
        operator = await ensure_operator(access, settings.data_dir, settings.admin_key, Deadline.after(MIGRATE_SECONDS))
        if warm:
            await warm_statements(store, Deadline.after(WARM_SECONDS))
        graphs = Graphs(store, clock, settings)
        yield Services(
            settings=settings,
            clock=clock,
            store=store,
            embedded=embedded,
            access=access,
            keys=Keys(store, clock),
            logins=Logins(store, clock),
            graphs=graphs,
            appends=Appends(store, clock, settings),
            operator=operator,
        )
        await access.close()


def make_data_dir(data_dir: Path) -> None:
    """The data directory, for its owner alone. Raises: SettingsProblem."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = data_dir / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        why = error.strerror or str(error)
        raise SettingsProblem(f"Cannot write to {data_dir} ({why}): choose another directory with AGW_DATA_DIR or --data-dir.") from error


@asynccontextmanager
async def _store(settings: Settings) -> AsyncIterator[tuple[Store, EmbeddedStore | None]]:
    address = settings.store_address
    embedded = None
    if address is None:
        embedded = EmbeddedStore(settings.data_dir)
        address = await embedded.start()
    try:
        async with _connected(address) as store:
            yield store, embedded
    finally:
        if embedded is not None:
            await embedded.stop()


@asynccontextmanager
async def _connected(address: StoreAddress) -> AsyncIterator[Store]:
    store = await Store.open(address)
    try:
        yield store
    finally:
        await store.close()
