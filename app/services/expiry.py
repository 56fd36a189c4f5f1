"""Graphs without news are deleted after a while, where the settings say so (I25)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from app.services.clock import Clock
from app.services.deletions import Deletions
from app.store import deleting, graphs
from app.store.connection import Store
from app.store.deadline import Deadline

_OFTEN: Final = 3_600.0
"""Seconds between two looks at all graphs, at most."""

_PAGE = 500
_SECONDS = 30.0
_log = structlog.get_logger("expiry")


class Expiry:
    """Looks at all graphs now and then. News is whatever a producer sent, a check-in included; a graph that had none, when it was made."""

    def __init__(self, store: Store, clock: Clock, deletions: Deletions, after: float) -> None:
        """`after`: seconds without news."""
        self._store = store
        self._clock = clock
        self._deletions = deletions
        self._after = after
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Looks at once, and then again and again."""
        self._task = asyncio.create_task(self._watch())

    async def close(self) -> None:
        """Stops."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def once(self) -> int:
        """Deletes what has expired by now, and says how many graphs that were. Their rows are cleared away in pieces, beside other work."""
        now = self._clock()
        before = now - int(self._after * 1_000)
        number, after = 0, graphs.BEFORE_ALL
        while rows := await graphs.page(self._store, after, _PAGE, Deadline.after(_SECONDS)):
            after = rows[-1].id
            for row in rows:
                old = (row.created if row.heard is None else row.heard) < before
                # that nothing came meanwhile is looked at again, under the graph's lock
                if old and await deleting.delete(self._store, row.id, now, Deadline.after(_SECONDS), silent_since=before):
                    _log.info("graph expired", graph=row.id)
                    number += 1
        if number:
            self._deletions.clean_up()
        return number

    async def _watch(self) -> None:
        while True:
            try:
                await self.once()
            except Exception as error:  # noqa: BLE001 - tried again the next time
                _log.warning("graphs not looked at for expiry", error=type(error).__name__)
            await asyncio.sleep(min(self._after / 10, _OFTEN))
