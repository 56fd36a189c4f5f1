"""Gateways in processes of their own on one store, to be killed and started again."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from app.settings import StoreAddress
from bench.server import Order
from tests.application import KEY

START_SECONDS = 90


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
