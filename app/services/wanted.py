"""Work for a caller who may go away: it is then given up, and with it the statements that still run for it (O25)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, TypeAlias

Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
"""The caller's messages, as ASGI gives them."""

WATCH_AFTER = 0.25
"""Seconds after which it is worth looking whether the caller is still there."""


GONE = 499
"""The status for the log alone: the caller has hung up."""


class CallerGone(Exception):  # noqa: N818 - nobody is left to be told
    """The caller has hung up."""


def while_wanted(receive: Receive) -> _Wanted:
    """Runs its body, whose request has been read whole, for as long as the caller is there. Raises: CallerGone."""
    return _Wanted(receive)


class _Wanted:
    """Most requests are done before it is worth looking: a timer is all that they cost."""

    __slots__ = ("_gone", "_loop", "_receive", "_task", "_timer", "_watching")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._watching: asyncio.Task[None] | None = None
        self._gone = False

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(WATCH_AFTER, self._begin)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
        if isinstance(error, asyncio.CancelledError) and self._gone and not self._task.uncancel():  # nobody else wants us to stop
            raise CallerGone from None

    def _begin(self) -> None:
        self._watching = self._loop.create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        self._task.cancel()
