"""Opening the store that the settings name (O16, O22)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryFile

from app.embedded import EmbeddedStore
from app.settings import Settings, SettingsProblem, StoreAddress
from app.store.connection import Store

MIGRATE_SECONDS = 120.0


def make_data_dir(data_dir: Path) -> None:
    """The data directory, for its owner alone. Raises: SettingsProblem."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=data_dir):  # of a name of its own: workers and commands look at the same time
            pass
    except OSError as error:
        why = error.strerror or str(error)
        raise SettingsProblem(f"Cannot write to {data_dir} ({why}): choose another directory with AGW_DATA_DIR or --data-dir.") from error


@asynccontextmanager
async def started_store(settings: Settings) -> AsyncIterator[tuple[StoreAddress, EmbeddedStore | None]]:
    """Where the store is that the settings name: the embedded one is started, and stopped at the end. Raises: EmbeddedProblem."""
    address = settings.store_address
    if address is not None:
        yield address, None
        return
    embedded = EmbeddedStore(settings.data_dir, settings.store_memory)
    address = await embedded.start()
    try:
        yield address, embedded
    finally:
        await embedded.stop()


@asynccontextmanager
async def open_store(settings: Settings) -> AsyncIterator[tuple[Store, EmbeddedStore | None]]:
    """The same store, connected to as it is. Raises: EmbeddedProblem, StoreProblem."""
    async with started_store(settings) as (address, embedded), _connected(address) as store:
        yield store, embedded


@asynccontextmanager
async def _connected(address: StoreAddress) -> AsyncIterator[Store]:
    store = await Store.open(address)
    try:
        yield store
    finally:
        await store.close()
