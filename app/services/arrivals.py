"""Events by the numbers under which they came (Q23)."""

from __future__ import annotations

import asyncio
from weakref import WeakValueDictionary

from cachetools import LRUCache

from app.services.event_pages import EventRow, outside
from app.services.graph_at import GraphAt
from app.store import events
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.reading import Reading

_KEPT_BYTES = 16 * 1024 * 1024


class Arrivals:
    """Events by their arrival numbers, read once for all readers of a process that are level."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: LRUCache[tuple[str, int, int], EventRow] = LRUCache(_KEPT_BYTES, getsizeof=_size)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def of(self, at: GraphAt, first: int, last: int, deadline: Deadline) -> list[EventRow]:
        """The events with these numbers, none of them above what readers may see.

        Raises: OutsideRetentionWindow, if one is no longer held; Overtaken.
        """
        moment = at.moment
        async with self._turns.setdefault(moment.g, asyncio.Lock()):
            rows = [self._kept.get((moment.g, moment.revision, number)) for number in range(first, last + 1)]
            found = [row for row in rows if row is not None]
            if len(found) < len(rows):
                found = await events.arrived(Reading(self._store, moment, deadline), first, last)
                if len(found) < len(rows):
                    raise outside(at.info.row)
                for row in found:
                    if _size(row) < _KEPT_BYTES:
                        self._kept[moment.g, moment.revision, row["arrival"]] = row
        return found


def _size(row: EventRow) -> int:
    return len(row["line"]) + len(row["changes"]) + 1_000
