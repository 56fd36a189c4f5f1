"""Servers in processes of their own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from app.domain.key_form import new_secret
from bench.client import Client
from bench.server import Order
from bench.stores import Bed

START_SECONDS = 60
STOP_SECONDS = 20


@asynccontextmanager
async def served(bed: Bed, cached_nodes: int = 0, key: str | None = None) -> AsyncIterator[Client]:
    """The gateway on the store of `bed`, and a connection to it; by default it keeps no graph in memory. `key`: the operator's."""
    address, key = bed.address, key or new_secret()
    order = Order(address.uri, address.username, address.password, address.database, str(bed.folder / "gateway"), key, cached_nodes)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.server", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )  # fmt: skip
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(msgspec.json.encode(order) + b"\n")
        async with asyncio.timeout(START_SECONDS):
            line = await process.stdout.readline()
        if not line:
            raise RuntimeError("the server did not start")
        async with Client(int(line), key) as client:
            yield client
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                async with asyncio.timeout(STOP_SECONDS):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()
