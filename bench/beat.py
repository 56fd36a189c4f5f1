"""How long the event loop is held: a task that wants to run in every turn of it, and notes how long it had to wait."""

from __future__ import annotations

import asyncio
from time import perf_counter, thread_time
from typing import NamedTuple


class Longest(NamedTuple):
    """The longest wait in milliseconds: of the loop's own work (processor time of its thread), and by the clock on the wall.

    On a machine that does other things as well, the second is longer by whatever took the processor away.
    """

    work: float
    wall: float


class Beat:
    """Beats from `start` to `stop`, as fast as the loop turns."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._work = self._wall = 0.0

    def start(self) -> None:
        """Begins anew."""
        self.stop()
        self._work = self._wall = 0.0
        self._task = asyncio.create_task(self._beat())

    def stop(self) -> Longest:
        """Ends it; what was the longest since `start`."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        return Longest(self._work * 1e3, self._wall * 1e3)

    async def _beat(self) -> None:
        wall, work = perf_counter(), thread_time()
        while True:
            await asyncio.sleep(0)
            wall_now, work_now = perf_counter(), thread_time()
            self._wall, self._work = max(self._wall, wall_now - wall), max(self._work, work_now - work)
            wall, work = wall_now, work_now
