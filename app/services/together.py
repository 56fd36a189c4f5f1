"""Several reads at once, which fail as one of them alone would."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def together() -> AsyncIterator[asyncio.TaskGroup]:
    """A group of tasks that ends at the first that fails, with what that one raised: callers look for a kind of problem, not for groups."""
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
