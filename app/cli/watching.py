"""Hearing of changes below some paths."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from watchfiles import awatch

from app.cli.output import note
from app.cli.stop import one_line

_GATHER_MS = 200
"""Changes that come one after the other are told as one, after so long at the latest."""


class Changes:
    """Changes to files: below folders, and beside single files, as they are renamed and made again.

    Where the operating system tells of none (network file systems), whoever waits looks for himself now and then.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._folders = [path for path in paths if path.is_dir()]
        self._beside = list(dict.fromkeys(path.parent for path in paths if not path.is_dir()))
        self._changed = asyncio.Event()

    async def come(self, seconds: float) -> bool:
        """Whether anything changes within this time, or has since the last call."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        changed = self._changed.is_set()
        self._changed.clear()
        return changed

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Watches for as long as the context lasts."""
        watched = [(self._folders, True), (self._beside, False)]
        tasks = [asyncio.create_task(self._watch(paths, recursive)) for paths, recursive in watched if paths]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self, paths: list[Path], recursive: bool) -> None:
        try:
            async for _ in awatch(*paths, watch_filter=None, debounce=_GATHER_MS, recursive=recursive, ignore_permission_denied=True):
                self._changed.set()
        except (OSError, RuntimeError) as error:  # no watches left, or a folder that cannot be watched
            note(one_line(f"Not told of changes ({error}): looking every few seconds."))
