"""How long the event loop is held: a task that wants to run in every turn of it, and notes how long it had to wait."""

from __future__ import annotations

import asyncio
from time import perf_counter


class Beat:
    """Beats from `start` to `stop`, as fast as the loop turns."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._longest = 0.0

    def start(self) -> None:
        """Begins anew."""
        self.stop()
        self._longest = 0.0
        self._task = asyncio.create_task(self._beat())

    def stop(self) -> float:
        """Ends it; the longest wait since `start`, in milliseconds."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        return self._longest * 1e3

    async def _beat(self) -> None:
        last = perf_counter()
        while True:
            await asyncio.sleep(0)
            now = perf_counter()
            self._longest = max(self._longest, now - last)
            last = now
