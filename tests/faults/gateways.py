"""Gateways in processes of their own on one store, to be killed and started again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from app.settings import StoreAddress
from bench.server import Order
from tests.application import KEY
from tests.cli.process import Serving, serving

START_SECONDS = 90
WORKERS = 2


@dataclass
class Gateway:
    """One of them. `port` changes with each start; it is 0 while there is none."""

    address: StoreAddress
    folder: Path
    port: int = 0
    process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts it; returns when it serves."""
        to = self.address
        order = Order(to.uri, to.username, to.password, to.database, str(self.folder), KEY, 50_000)
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.server", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, cwd=Path(__file__).parents[2],
        )  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(msgspec.json.encode(order) + b"\n")
        async with asyncio.timeout(START_SECONDS):
            self.port = int(await self.process.stdout.readline())

    async def kill(self) -> None:
        """Kills it, whatever it is at."""
        self.port = 0
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


@dataclass
class Worker:
    """Any worker of a gateway that has several, killed and replaced; `port` is that of all."""

    serving: Serving
    port: int
    killed: psutil.Process | None = None

    async def kill(self) -> None:
        """Kills the oldest, whatever it is at."""
        self.killed = self.serving.workers[0]
        self.killed.kill()

    async def start(self) -> None:
        """Returns when another has been started in its place."""
        async with asyncio.timeout(START_SECONDS):
            while self.killed is not None and (len(self.serving.workers) < WORKERS or self.killed in self.serving.workers):  # noqa: ASYNC110
                await asyncio.sleep(0.1)


@contextmanager
def two_workers(address: StoreAddress, data_dir: Path) -> Iterator[list[Worker]]:
    """`agw serve --workers 2` on a store that runs; its workers."""
    where = {"NEO4J_URI": address.uri, "NEO4J_USERNAME": address.username, "NEO4J_PASSWORD": address.password}
    where |= {"NEO4J_DATABASE": address.database} if address.database else {}
    more = {"AGW_ADMIN_KEY": KEY, "AGW_RATE_LIMIT": "0", "AGW_WRITE_DEADLINE": "120", "AGW_LOG_LEVEL": "warning"}
    with serving(data_dir, "--port", "0", "--workers", str(WORKERS), seconds=2 * START_SECONDS, **where, **more) as found:
        port = int(found.url.rpartition(":")[2])
        yield [Worker(found, port) for _ in range(WORKERS)]
