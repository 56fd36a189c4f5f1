"""Watching the graphs of an account: those that are new, changed or gone (Q48)."""

from __future__ import annotations

from typing import Any

from app.domain.filters import GraphFilter
from app.services.graph_info import GraphInfo
from app.services.liveness import is_live
from app.services.news import Topic
from app.services.sources import Sources
from app.services.throttle import Throttle
from app.services.viewer import Viewer
from app.services.watching import CLOCK_SECONDS
from app.store.graphs import GraphRow

NEWEST = 1_000
"""So many graphs are in the first message."""


class GraphsWatch:
    """One watcher of the graphs that a caller may read."""

    def __init__(
        self, sources: Sources, topic: Topic[dict[str, GraphRow]], throttle: Throttle, viewer: Viewer, wanted: GraphFilter
    ) -> None:  # fmt: skip
        self._sources = sources
        self._topic = topic
        self._throttle = throttle
        self._viewer = viewer
        self._wanted = wanted
        self._told: dict[str, Any] | None = None
        self._telling: dict[str, Any] = {}

    async def next(self) -> tuple[list[GraphInfo], list[str]]:
        """Graphs that are new or changed, latest activity first (at first the newest ones), and ids of those that are gone."""
        while True:
            await self._throttle.wait(self._topic)
            version, now, told = self._topic.version, self._sources.clock(), self._told
            self._throttle.begin()
            rows = {name: row for name, row in self._topic.value.items() if self._keeps(row, now)}
            self._telling = {name: (row.standing, row.title, is_live(row.heard, now)) for name, row in rows.items()}
            changed = [GraphInfo(row) for name, row in rows.items() if told is None or told.get(name) != self._telling[name]]
            gone = [] if told is None else [name for name in told if name not in rows]
            if changed or gone or told is None:
                changed.sort(key=lambda info: (-info.last_event, info.id))
                return (changed[:NEWEST] if told is None else changed), gone
            await self._topic.after(version, CLOCK_SECONDS)

    def made(self) -> None:
        """The message is made."""
        self._throttle.made()

    def took(self) -> None:
        """The watcher has it."""
        self._told = self._telling

    def _keeps(self, row: GraphRow, now: int) -> bool:
        if not self._viewer.may_see(row.id):
            return False
        last_event, live = self._wanted.last_event, self._wanted.live
        heard = is_live(row.heard, now)
        return (last_event is None or last_event.holds(GraphInfo(row).last_event)) and (live is None or heard is live)
