"""Turns at graphs within this process: one at a time for each."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from app.domain.problems import DeadlineExceeded
from app.store.deadline import Deadline


class Turns:
    """A lock for each graph at which somebody is at work, or waits to be."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def take(self, graph_id: str, deadline: Deadline) -> asyncio.Lock:
        """The graph's lock, taken: to be released by the caller. Raises: DeadlineExceeded."""
        lock = self._locks.setdefault(graph_id, asyncio.Lock())
        try:
            async with asyncio.timeout(deadline.remaining()):
                await lock.acquire()
        except TimeoutError as error:
            raise DeadlineExceeded from error
        return lock
