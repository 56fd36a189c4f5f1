"""`python -m tests.faults.rho_import_process`: imports that stop before a statement, to be killed there.

The one line of standard input is `{"address", "imports"}`, and each of these `{"account", "envelope", "before", "sync_id"}`: `before` is
the name of the statement, `sync_id` the id of an upload or null. Prints a line for each import that has come so far.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from neo4j import Record

from app.services.rho.rho import Rho
from app.services.rho.upload_request import UploadRequest
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline

T = TypeVar("T")

KEEP = 20
PROJECT = "orchard"


async def stop() -> None:
    """Says so, and waits for the end."""
    sys.stdout.write("stopped\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


class Stopping(Store):
    """A store that never comes to the statement `before`; a transaction that would run it stays open."""

    before = ""

    async def write(self, work: Callable[[Transaction], Awaitable[T]], deadline: Deadline) -> T:
        async def until(tx: Transaction) -> T:
            run = tx.run

            async def run_or_stop(name: str, /, **params: Any) -> list[Record]:
                if name == self.before:
                    await stop()
                return await run(name, **params)

            tx.run = run_or_stop  # type: ignore[method-assign]
            return await work(tx)

        return await super().write(until, deadline)

    async def change(self, name: str, /, accept: Callable[[Record | None], T], deadline: Deadline, **params: Any) -> T:
        if name == self.before:
            await stop()
        return await super().change(name, accept, deadline, **params)


async def take_in(address: StoreAddress, asked: dict[str, Any]) -> None:
    """One import or upload, by a gateway of its own."""
    store = await Stopping.open(address, patience=60)
    assert isinstance(store, Stopping)
    store.before = asked["before"]
    imports = Rho.on(store, lambda: time.time_ns() // 1_000_000, KEEP).imports
    viewer, deadline = Viewer(asked["account"], ALL_SCOPES, key_id="key"), Deadline.after(60)
    if asked["sync_id"] is None:
        await imports.import_envelope(viewer, asked["envelope"], PROJECT, deadline)
    else:
        await imports.sync(viewer, UploadRequest(asked["sync_id"], PROJECT, None, asked["envelope"]), deadline)


async def main(asked: dict[str, Any]) -> None:
    """All of them at once; none comes to its end."""
    address = StoreAddress(**asked["address"])
    await asyncio.gather(*(take_in(address, each) for each in asked["imports"]))


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.stdin.readline())))
