"""How long something takes, on machines that do other things too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import monotonic

TRIES = 3


async def least(once: Callable[[], Awaitable[object]], limit: float, before: Callable[[], Awaitable[object]] | None = None) -> float:
    """The seconds that `once` takes: the least of up to three, and no more of them after one below the limit.

    What else the machine does only ever adds, so one that keeps the limit proves it. `before` comes before each, and does not count.
    """
    took: list[float] = []
    while len(took) < TRIES and min(took, default=limit) >= limit:
        if before is not None:
            await before()
        began = monotonic()
        await once()
        took.append(monotonic() - began)
    return min(took)
