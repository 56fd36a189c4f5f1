"""Taking turns, so that whatever else the machine does falls on both sides alike; medians."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from time import perf_counter
from typing import TypeAlias

Work: TypeAlias = Callable[[], Awaitable[object]]


async def taken(work: Work) -> float:
    """Milliseconds that `work` takes once."""
    started = perf_counter()
    await work()
    return (perf_counter() - started) * 1e3


async def alternating(works: Sequence[Work], rounds: int, warm: int = 3) -> list[float]:
    """The median of each, in milliseconds: every round runs all of them, each time another one first."""
    for _ in range(warm):
        for work in works:
            await work()
    took: list[list[float]] = [[] for _ in works]
    for number in range(rounds):
        for place in range(len(works)):
            turn = (number + place) % len(works)
            took[turn].append(await taken(works[turn]))
    return [median(each) for each in took]
