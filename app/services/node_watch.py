"""Watching one node: its newest state, each time that it may be another one (Q26)."""

from __future__ import annotations

from typing import Any

from app.domain.problems import DeadlineExceeded, NoSuchNode, NotFound, StoreUnavailable
from app.domain.shown import ASKING_AFTER_NS
from app.domain.times import NS_PER_MS
from app.services.graph_at import GraphAt, Row
from app.services.news import Topic
from app.services.sources import Sources
from app.services.throttle import Throttle
from app.services.watching import CLOCK_SECONDS
from app.store.deadline import Deadline
from app.store.graphs import Seen


class NodeWatch:
    """One watcher of a node."""

    def __init__(self, sources: Sources, topic: Topic[Seen | None], throttle: Throttle, ref: str) -> None:
        self._sources = sources
        self._topic = topic
        self._throttle = throttle
        self._ref = ref
        self._looked_at: Any = None
        self._due_ns: int | None = None

    async def next(self, seconds: float) -> tuple[GraphAt, Row]:
        """The node after the next thing that may have changed it, and its graph; a read may take so long.

        Raises: NotFound, if the graph is gone, or the node not there.
        """
        while True:
            await self._throttle.wait(self._topic)
            version, seen = self._topic.version, self._topic.value
            if seen is None:
                raise NotFound("No such graph.")
            due = self._due_ns is not None and self._sources.clock() * NS_PER_MS >= self._due_ns
            if self._looked_at == (seen.row.g, seen.row.standing) and not due:
                await self._topic.after(version, CLOCK_SECONDS)
                continue
            self._throttle.begin()
            deadline = Deadline.after(seconds)
            try:
                at = await self._sources.graphs.now(seen.row, deadline)
                row = await at.node(self._ref)
            except (StoreUnavailable, DeadlineExceeded):  # the subscription stays open (O30)
                await self._sources.news.look_again(self._topic, version)
                continue
            if row is None:
                raise NoSuchNode
            self._looked_at = seen.row.g, seen.row.standing
            self._due_ns = self._next_by_clock(row, at.moment.time_ns)
            return at, row

    def made(self) -> None:
        """It was looked at, and told if it is different."""
        self._throttle.made()

    def _next_by_clock(self, row: Row, now_ns: int) -> int | None:
        """When time alone changes the node next (E113, E115), Unix ns."""
        asking, active = row["asking_ns"], row["active_ns"]
        times = [
            None if asking is None else asking + ASKING_AFTER_NS,
            None if active is None else active + self._sources.stale_after_ns + 1,
        ]
        return min((time for time in times if time is not None and time > now_ns), default=None)
