"""Work for a caller who may go away: it is then given up, and with it the statements that still run for it (O25)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
"""The caller's messages, as ASGI gives them."""

WATCH_AFTER = 0.25
"""Seconds after which it is worth looking whether the caller is still there."""


GONE = 499
"""The status for the log alone: the caller has hung up."""


class CallerGone(Exception):  # noqa: N818 - nobody is left to be told
    """The caller has hung up."""


@asynccontextmanager
async def while_wanted(receive: Receive) -> AsyncIterator[None]:
    """Runs its body, whose request has been read whole, for as long as the caller is there. Raises: CallerGone."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    watching: asyncio.Task[None] | None = None
    gone = False

    async def watch() -> None:
        nonlocal gone
        while (await receive())["type"] != "http.disconnect":
            pass
        gone = True
        task.cancel()

    def begin() -> None:
        nonlocal watching
        watching = loop.create_task(watch())

    timer = loop.call_later(WATCH_AFTER, begin)
    try:
        yield
    except asyncio.CancelledError:
        if not gone or task.uncancel():  # somebody else wants us to stop, too
            raise
        raise CallerGone from None
    finally:
        timer.cancel()
        if watching is not None:
            watching.cancel()
