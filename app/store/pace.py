"""Long work in slices, so that nobody else in the process waits for it."""

from __future__ import annotations

import asyncio
from time import perf_counter

SLICE = 0.005
"""Seconds of work in one piece: with the longest single step after it still far from 20 ms."""


class Pace:
    """Says when work has held the event loop for long enough, and lets others have it.

    `if pace.due: await pace.rest()` between steps that are short themselves.
    """

    __slots__ = ("_until",)

    def __init__(self) -> None:
        self._until = perf_counter() + SLICE

    @property
    def due(self) -> bool:
        """Whether this slice is over."""
        return perf_counter() >= self._until

    async def rest(self) -> None:
        """Lets everybody who is ready run once; then a new slice begins."""
        await asyncio.sleep(0)
        self._until = perf_counter() + SLICE
