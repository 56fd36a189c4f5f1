"""Whether others have their turns on the event loop while something is done."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def turns_beside(work: Coroutine[Any, Any, T]) -> tuple[T, int]:
    """What `work` gives, and how often somebody else had a turn meanwhile."""
    turns, done = 0, asyncio.Event()

    async def other() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    try:
        return await work, turns
    finally:
        done.set()
        await beside
