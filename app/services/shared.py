"""One statement for everybody who asks the same thing at the same time: a thousand polls are not a thousand look-ups."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from app.domain.problems import DeadlineExceeded
from app.store.deadline import Deadline

T = TypeVar("T")

Read: TypeAlias = Callable[[Deadline], Awaitable[T]]

_SECONDS = 10.0
"""What a read that several wait for may take; each waits no longer than by his own deadline."""


class _Next(NamedTuple, Generic[T]):
    """The read that begins when the one that runs has ended, and who waits for it."""

    task: asyncio.Task[None]
    waiting: list[asyncio.Future[T]]


class SharedReads(Generic[T]):
    """Reads by key, each *begun after whoever gets it has asked*: a write that he knows of is in it.

    Who finds nobody reading reads for himself. All who come while he does are given the next read, which begins when his has ended.
    """

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Future[None]] = {}
        self._next: dict[str, _Next[T]] = {}

    async def get(self, key: str, read: Read[T], deadline: Deadline) -> T:
        """What a `read` gives that begins from now on, this one or another's of the same `key`.

        Raises: DeadlineExceeded, and what the read raises.
        """
        running = self._running.get(key)
        if running is None:
            return await self._now(key, read, deadline)
        loop = asyncio.get_running_loop()
        following = self._next.get(key)
        if following is None:
            following = self._next[key] = _Next(loop.create_task(self._after(key, running, read)), [])
        mine: asyncio.Future[T] = loop.create_future()
        following.waiting.append(mine)
        timer = loop.call_later(max(deadline.remaining(), 0), _late, mine)
        try:
            return await mine
        finally:
            timer.cancel()

    async def _now(self, key: str, read: Read[T], deadline: Deadline) -> T:
        done = self._running[key] = asyncio.get_running_loop().create_future()
        try:
            return await read(deadline)
        finally:
            if self._running.get(key) is done:
                del self._running[key]
            done.set_result(None)

    async def _after(self, key: str, running: asyncio.Future[None], read: Read[T]) -> None:
        waiting: list[asyncio.Future[T]] = []
        try:
            await running
            waiting = self._next.pop(key).waiting  # who asks from here on is too late for this one
            found = await self._now(key, read, Deadline.after(_SECONDS))
        except asyncio.CancelledError:
            for each in waiting:
                each.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - it is theirs who wait
            for each in waiting:
                if not each.done():
                    each.set_exception(error)
        else:
            for each in waiting:
                if not each.done():
                    each.set_result(found)


def _late(waiter: asyncio.Future[T]) -> None:
    if not waiter.done():
        waiter.set_exception(DeadlineExceeded())
