"""Opening the store that the settings name (O16, O22)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.embedded import EmbeddedStore
from app.settings import Settings, SettingsProblem, StoreAddress
from app.store.connection import Store

MIGRATE_SECONDS = 120.0


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
async def open_store(settings: Settings) -> AsyncIterator[tuple[Store, EmbeddedStore | None]]:
    """The store that the settings name, as it is: the embedded one is started, and stopped at the end.

    Raises: EmbeddedProblem, StoreProblem.
    """
    address = settings.store_address
    embedded = None
    if address is None:
        embedded = EmbeddedStore(settings.data_dir, settings.store_memory)
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
