"""The gateway for a command that runs for long: waited for when it is away, the store itself open only while it is used (O14)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

from app.cli.gateway import Away, Gateway, gateway, running_on
from app.cli.output import note
from app.cli.stop import one_line
from app.domain.problems import DeadlineExceeded, StoreUnavailable
from app.embedded.problems import FolderInUse, StartFailed
from app.settings import Settings
from app.store.problems import StoreUnreachable

T = TypeVar("T")

_PAUSES = (0.2, 0.5, 1.0, 2.0)
"""Seconds between tries; the last again and again."""

_AWAY = (Away, StoreUnavailable, StoreUnreachable, DeadlineExceeded, FolderInUse, StartFailed)


class Reach:
    """One command's way to the gateway.

    A command that has once gone through a running gateway waits for that to come back, rather than take the store away from it.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._through: Gateway | None = None
        self._opened = AsyncExitStack()
        self._served = False

    async def doing(self, work: Callable[[Gateway], Awaitable[T]]) -> T:
        """What `work` gives, which is begun again for as long as the gateway is away in it. Raises: Stop."""
        tries = 0
        while True:
            try:
                result = await work(await self._gateway())
            except _AWAY as away:
                if not tries:
                    note(one_line(f"Waiting: {away}"))
                await self.leave()
            else:
                if tries:
                    note("It answers again.")
                return result
            await asyncio.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
            tries += 1

    async def idle(self) -> None:
        """Nothing is to be done for a while: a store that was opened is there for others."""
        if not self._served:
            await self.leave()

    async def leave(self) -> None:
        """Lets go of the gateway."""
        self._through = None
        await self._opened.aclose()

    async def _gateway(self) -> Gateway:
        if self._through is None:
            remote = self._settings.url is not None or running_on(self._settings.data_dir) is not None
            if self._served and not remote:
                raise Away(f"No gateway runs on {self._settings.data_dir} any more: start it again with agw serve.")
            self._through = await self._opened.enter_async_context(gateway(self._settings))
            self._served = self._served or remote
        return self._through


@asynccontextmanager
async def reach(settings: Settings) -> AsyncIterator[Reach]:
    """A way to the gateway of these settings, for as long as the context lasts."""
    reached = Reach(settings)
    try:
        yield reached
    finally:
        await reached.leave()
