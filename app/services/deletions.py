"""Deleting graphs (Q20, O40): gone at once for everybody, cleaned away in bounded pieces beside whatever else goes on."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import structlog

from app.services.clock import Clock
from app.services.graphs import Graphs
from app.services.viewer import Viewer
from app.store import deleting
from app.store.connection import Store
from app.store.deadline import Deadline

_SECONDS = 30.0
_log = structlog.get_logger("deletions")


class Deletions:
    """Deletes graphs. What a cleaner left that was stopped is taken up by the next start of any process, or the next deletion."""

    def __init__(self, store: Store, clock: Clock, graphs: Graphs) -> None:
        self._store = store
        self._clock = clock
        self._graphs = graphs
        self._cleaning: asyncio.Task[None] | None = None
        self._again = False

    async def delete(self, viewer: Viewer, graph_id: str, deadline: Deadline) -> str:
        """Deletes a graph; gives its id. Raises: Forbidden, NotFound."""
        viewer.require("admin")
        info = await self._graphs.own(viewer, graph_id, deadline)
        await deleting.delete(self._store, info.id, self._clock(), deadline)  # if it was not there any more: so be it
        self.clean_up()
        return info.id

    def clean_up(self) -> None:
        """Begins to take away what is left of deleted graphs, beside everything else; soon again if that is under way."""
        self._again = True
        if self._cleaning is None or self._cleaning.done():
            self._cleaning = asyncio.create_task(self._clean())

    async def cleaned(self) -> None:
        """Returns when nothing is being cleaned away."""
        while self._cleaning is not None and not self._cleaning.done():
            await asyncio.shield(self._cleaning)

    async def close(self) -> None:
        """Stops cleaning between two pieces; the next start goes on."""
        if self._cleaning is not None:
            self._cleaning.cancel()
            with suppress(asyncio.CancelledError):
                await self._cleaning

    async def _clean(self) -> None:
        try:
            while self._again:
                self._again = False
                for gone in await deleting.left(self._store, Deadline.after(_SECONDS)):
                    rows = sum([number async for number in deleting.clean(self._store, gone)])
                    _log.info("deleted graph cleaned away", graph=gone.id, rows=rows)
        except Exception as error:  # noqa: BLE001 - it is taken up again
            _log.warning("deleted graphs not cleaned away", error=type(error).__name__)
