"""One statement for everybody who asks the same thing at the same time: a thousand polls are not a thousand look-ups."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from app.domain.problems import DeadlineExceeded
from app.store.deadline import Deadline

T = TypeVar("T")

_SECONDS = 10.0
"""What a read that several wait for may take; each waits no longer than by his own deadline."""


class SharedReads(Generic[T]):
    """Reads by key, each *begun after whoever gets it has asked*: a write that he knows of is in it.

    Who finds nobody reading reads for himself. All who come while he does are given the next read, which begins when his has ended.
    """

    def __init__(self, read: Callable[[str, Deadline], Awaitable[T]]) -> None:
        self._read = read
        self._running: dict[str, asyncio.Future[None]] = {}
        self._next: dict[str, asyncio.Task[T]] = {}

    async def get(self, key: str, deadline: Deadline) -> T:
        """What a read of `key` gives that begins from now on. Raises: DeadlineExceeded, and what the read raises."""
        running = self._running.get(key)
        if running is None:
            return await self._now(key, deadline)
        following = self._next.get(key)
        if following is None:
            following = self._next[key] = asyncio.create_task(self._after(key, running))
            following.add_done_callback(_heard)
        try:
            async with asyncio.timeout(max(deadline.remaining(), 0)):
                return await asyncio.shield(following)  # others wait for it too
        except TimeoutError:
            raise DeadlineExceeded from None

    async def _now(self, key: str, deadline: Deadline) -> T:
        done = self._running[key] = asyncio.get_running_loop().create_future()
        try:
            return await self._read(key, deadline)
        finally:
            if self._running.get(key) is done:
                del self._running[key]
            done.set_result(None)

    async def _after(self, key: str, running: asyncio.Future[None]) -> T:
        await running
        del self._next[key]  # who asks from here on is too late for this one
        return await self._now(key, Deadline.after(_SECONDS))


def _heard(task: asyncio.Task[T]) -> None:
    """Whoever waited has gone: nobody else is to be told."""
    if not task.cancelled():
        task.exception()
