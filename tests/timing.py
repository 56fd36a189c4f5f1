"""How long something takes, on machines that do other things too."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from time import monotonic, thread_time

import pytest

TRIES = 3
HELD_SECONDS = 0.020
"""How long one step may hold the event loop where `_YARDSTICK` is read in `_YARDSTICK_SECONDS`."""
_YARDSTICK = json.dumps([{"number": n, "text": f"Reading {n}", "list": [n, None, True]} for n in range(9_000)])
_YARDSTICK_SECONDS = 0.007


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


@contextmanager
def loop_steps() -> Iterator[list[float]]:
    """Seconds of processor time of each step that the event loop makes meanwhile: time that others have the processor does not count.

    The collector rests: a test run has far more garbage to look through than a gateway.
    """
    found: list[float] = [0.0]
    run = asyncio.Handle._run  # type: ignore[attr-defined]

    def timed(handle: asyncio.Handle) -> None:
        begun = thread_time()
        run(handle)
        found.append(thread_time() - begun)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(asyncio.Handle, "_run", timed)
        with _no_collector():
            yield found


def longest_allowed() -> float:
    """The seconds for which one step may hold the loop, at what the machine's speed is now: `HELD_SECONDS` on one that is quiet."""
    with _no_collector():
        begun = thread_time()
        json.loads(_YARDSTICK)
        took = thread_time() - begun
    return HELD_SECONDS * max(1.0, took / _YARDSTICK_SECONDS)


@contextmanager
def _no_collector() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
