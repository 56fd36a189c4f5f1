"""Who listens: how many subscriptions a key has, and whether it is still good (Q21, Q28)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

from app.domain.problems import Problem
from app.services.access import Access
from app.store.deadline import Deadline

LOOK_EVERY = 2.0
"""Seconds between two looks at a key that subscriptions are open with: a revoked one ends them within 5 s."""

_SECONDS = 2.0

Credentials: TypeAlias = tuple[str | None, str | None]
"""An `Authorization` header and a cookie, as sent."""


class TooManySubscriptions(Problem):
    """A connection or a key has as many subscriptions as it may (Q28)."""

    code = "RATE_LIMITED"

    def __init__(self, most: int, of: str) -> None:
        super().__init__(f"There are {most} subscriptions {of} already: that is the most.", retryAfter=5)


class Listeners:
    """The subscriptions of a process, by key."""

    def __init__(self, access: Access, most: int) -> None:
        """`most`: subscriptions that one key may have."""
        self._access = access
        self._most = most
        self._open: Counter[str] = Counter()
        self._ends: dict[Credentials, tuple[asyncio.Event, list[None]]] = {}
        self._looking: asyncio.Task[None] | None = None

    @property
    def count(self) -> int:
        """How many subscriptions are open."""
        return self._open.total()

    @contextmanager
    def one_more(self, bucket: str) -> Iterator[None]:
        """A subscription of a key, for as long as the context lasts. Raises: TooManySubscriptions."""
        if self._open[bucket] >= self._most:
            raise TooManySubscriptions(self._most, "with this key")
        self._open[bucket] += 1
        try:
            yield
        finally:
            self._open[bucket] -= 1
            if not self._open[bucket]:
                del self._open[bucket]

    @contextmanager
    def good(self, credentials: Credentials) -> Iterator[asyncio.Event]:
        """An event that is set when a key or login is no longer good. Each is looked up once, however many listen with it."""
        ended, users = self._ends.setdefault(credentials, (asyncio.Event(), []))
        users.append(None)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            yield ended
        finally:
            users.pop()
            if not users and self._ends.get(credentials, (None,))[0] is ended:
                del self._ends[credentials]

    async def close(self) -> None:
        """Stops looking."""
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self) -> None:
        while self._ends:
            await asyncio.sleep(LOOK_EVERY)
            for credentials, (ended, _) in list(self._ends.items()):
                try:
                    if await self._access.viewer(*credentials, Deadline.after(_SECONDS)) is None:
                        ended.set()
                        self._ends.pop(credentials, None)
                except Exception:  # noqa: BLE001 - the store is away: it is looked at again
                    break
