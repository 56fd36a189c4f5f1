"""A wire that fails on purpose, and a server that dies on purpose, between a producer and the gateway."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from app.store.connection import Store
from tests.served import Served, served
from tests.services.test_appending import Dying

FAULTS = (
    "no request", "no answer", "too late", "refused", "twice", "dies before a commit", "dies after a commit", "producer dies",
    "producer dies late",
)  # fmt: skip


class Killed(Exception):  # noqa: N818 - the producer's process ends here
    """kill -9 of the producer."""


@dataclass
class Wire:
    """Sends requests to the gateway as it runs now. `share` of all requests meet one of `faults`."""

    store: Store
    rng: random.Random
    share: float = 0.0
    faults: tuple[str, ...] = FAULTS
    met: list[str] = field(default_factory=list)
    behind: list[asyncio.Task[Any]] = field(default_factory=list)
    _running: Served | None = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @property
    def server(self) -> Served:
        """The gateway."""
        assert self._running is not None
        return self._running

    async def start(self, store: Any = None) -> None:
        """A gateway that knows nothing but what is in the store."""
        self._running = await self._stack.enter_async_context(served(store or self.store))

    async def send(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        """One request. Raises: OSError where no answer comes, Killed."""
        fault = self.rng.choice(self.faults) if self.rng.random() < self.share else None
        if fault is not None:
            self.met.append(fault)
        match fault:
            case "no request":
                raise OSError
            case "no answer":
                await self._asked(method, path, headers, body)
                raise OSError
            case "too late":
                self.behind.append(asyncio.create_task(self._asked(method, path, headers, body)))
                await asyncio.sleep(self.rng.random() * 0.03)
                raise OSError
            case "refused":
                return 503, b""
            case "twice":
                return (await asyncio.gather(*(self._asked(method, path, headers, body) for _ in range(2))))[1]
            case "dies before a commit" | "dies after a commit":
                await self.settled()
                lives = self.rng.randrange(1, 9)
                await self.start(Dying(self.store, lives, commits=fault == "dies after a commit"))
                try:
                    return await self._asked(method, path, headers, body)
                finally:
                    await self.start()
            case "producer dies":
                raise Killed
            case "producer dies late":
                await self._asked(method, path, headers, body)
                raise Killed
        return await self._asked(method, path, headers, body)

    async def settled(self) -> None:
        """Waits for what goes on behind requests that nobody waits for."""
        while self.behind:
            await asyncio.gather(*self.behind, return_exceptions=True)
            self.behind = [each for each in self.behind if not each.done()]

    async def _asked(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        answer: httpx.Response = await self.server.client.request(method, path, headers=headers, content=body)
        return answer.status_code, answer.content


@asynccontextmanager
async def wire(store: Store, seed: int) -> AsyncIterator[Wire]:
    """A wire without faults to begin with."""
    made = Wire(store, random.Random(seed))
    await made.start()
    async with made._stack:
        yield made
        await made.settled()
