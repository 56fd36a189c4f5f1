"""Following a graph's events in the order in which they came (Q23-Q25): read from the store as the reader takes them.

What a reader has taken is one arrival number; nothing else is kept for it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from app.domain.filters import EventFilter
from app.domain.forest import below
from app.domain.problems import BadUserInput, CursorInvalid, DeadlineExceeded, NotFound, Problem, StoreUnavailable
from app.services.cursors import arrival_cursor, read_arrival_cursor
from app.services.event_pages import EventRow
from app.services.graph_at import GraphAt, KeySet
from app.services.news import Topic
from app.services.sources import Sources
from app.store.deadline import Deadline
from app.store.graphs import Seen

MOST = 1_000
"""The most events of a batch."""

LEFT_OUT = 500
"""So many events that a filter leaves out move the cursor on (Q23)."""

_AHEAD_SECONDS = 2.0
"""A cursor may be ahead of what this process has seen: of another one that reads a server which is ahead of ours."""


class SlowConsumer(Problem):
    """The reader takes its events more slowly than they come, or none at all (Q25). `cursor`: where to go on."""

    code = "SLOW_CONSUMER"

    def __init__(self, cursor: str | None = None) -> None:
        super().__init__("You take this more slowly than it comes. Go on from the cursor when you can.", cursor=cursor)


@dataclass(frozen=True, slots=True)
class Batch:
    """Events in the order in which they came, those that a filter leaves out not among them.

    `at`: the graph when they were read. `first` and `last`: arrival numbers, of those left out too; None if none came. `late`: own ids.
    """

    at: GraphAt
    rows: list[EventRow]
    first: int | None
    last: int | None
    cursor: str
    history_changed: bool
    more: bool
    late: list[str] = field(default_factory=list)


class Follower:
    """One reader of a graph's events."""

    def __init__(self, sources: Sources, topic: Topic[Seen | None], size: int, wanted: EventFilter) -> None:
        """`size`: the most events of a batch."""
        self._sources = sources
        self._topic = topic
        self._size = size
        self._wanted = wanted
        self._graph_id = ""
        self._scanned = 0
        self._taken = 0
        self._left_out = 0
        self._level = False
        self._known = self._now_known = 0

    @property
    def cursor(self) -> str:
        """Where to go on after what was taken."""
        return arrival_cursor(self._graph_id, self._taken)

    async def begin(self, at: GraphAt, cursor: str | None, after: str | None) -> None:
        """Finds where to begin (Q23): at a `cursor`, after an event (own id), or with what comes from now on.

        Raises: BadUserInput, CursorInvalid, OutsideRetentionWindow, NotFound.
        """
        self._graph_id = at.info.id
        arrived = at.info.standing.arrived
        if cursor is not None and after is not None:
            raise BadUserInput("after", "Give cursor or after, not both.")
        self._taken = arrived
        if cursor is not None:
            self._taken = read_arrival_cursor(cursor, self._graph_id)
            if self._taken > arrived:
                await self._caught_up(self._taken)
        elif after is not None:
            self._taken = (await at.event(after))["arrival"]
        self._scanned = self._taken
        seen = await self._seen()
        self._known = self._now_known = seen.rebased
        self._level = self._taken >= seen.row.standing.arrived

    async def next(self, seconds: float) -> Batch:
        """The next batch, once there is one. `seconds`: how long one read may take.

        Raises: SlowConsumer, OutsideRetentionWindow, NotFound (the graph is gone).
        """
        waited = False
        while True:
            version = self._topic.version
            seen = await self._seen()
            behind = seen.row.standing.arrived - self._scanned
            if behind > self._sources.far and self._level:
                if not waited:
                    raise SlowConsumer(self.cursor)
                self._level = False  # it was we who let it wait: so much came at once
            if behind <= 0 and seen.rebased == self._known:
                self._level = True
                waited = await self._topic.after(version)
                continue
            try:
                found = await self._read(seen, Deadline.after(seconds))
            except (StoreUnavailable, DeadlineExceeded):  # the subscription stays open (O30)
                await self._sources.news.look_again(self._topic, version)
                continue
            if found is not None:
                return found

    def took(self, batch: Batch) -> None:
        """The reader has this batch: the next one comes after it."""
        if batch.last is not None:
            self._taken = self._scanned = batch.last
        self._left_out = 0
        if batch.history_changed:
            self._known = self._now_known

    async def again(self, batch: Batch, seconds: float) -> Batch:
        """The same batch, read afresh: history was changed since."""
        seen = await self._seen()
        if seen.row.standing.revision == batch.at.moment.revision:
            await self._sources.news.look_again(self._topic, self._topic.version)
            seen = await self._seen()
        at = await self._sources.graphs.now(seen.row, Deadline.after(seconds))
        if batch.first is None or batch.last is None:
            return Batch(at, [], None, None, batch.cursor, batch.history_changed, batch.more)
        rows = await self._kept(await self._sources.arrivals.of(at, batch.first, batch.last, Deadline.after(seconds)), at)
        return _batch(at, rows, batch.first, batch.last, batch.cursor, history_changed=batch.history_changed, more=batch.more)

    async def _read(self, seen: Seen, deadline: Deadline) -> Batch | None:
        """A batch of what has come; None where the filter leaves all of it out so far."""
        at = await self._sources.graphs.now(seen.row, deadline)
        self._now_known = seen.rebased
        changed = self._known != self._now_known
        arrived = seen.row.standing.arrived
        kept: list[EventRow] = []
        scanned, left_out = self._scanned, self._left_out
        whole = self._wanted == EventFilter()
        while scanned < arrived and len(kept) < self._size and left_out < LEFT_OUT:
            step = self._size - len(kept) if whole else LEFT_OUT - left_out
            rows = await self._sources.arrivals.of(at, scanned + 1, min(scanned + step, arrived), deadline)
            passing = {row["arrival"] for row in (rows if whole else await self._kept(rows, at))}
            for row in rows:
                scanned = row["arrival"]
                if scanned in passing:
                    kept.append(row)
                else:
                    left_out += 1
                if len(kept) == self._size:
                    break
            if kept:
                break
        if not kept and left_out < LEFT_OUT and not changed:
            self._scanned, self._left_out = scanned, left_out
            return None
        first, last = (self._taken + 1, scanned) if scanned > self._taken else (None, None)
        cursor = arrival_cursor(self._graph_id, scanned)
        return _batch(at, kept, first, last, cursor, history_changed=changed, more=scanned < arrived)

    async def _kept(self, rows: list[EventRow], at: GraphAt) -> list[EventRow]:
        """Those that the filter keeps. A tree that it asks for is the one of now."""
        wanted, within = self._wanted, None
        if wanted.root is not None:
            forest = await at.snapshot(KeySet.STRUCTURE)
            inside = wanted.root in forest.by_ref
            within = {wanted.root, *(row["ref"] for row in below(forest, wanted.root))} if inside else set()
        return [row for row in rows if wanted.keeps(row["type"], row["ref"], row["time_ms"], within)]

    async def _seen(self) -> Seen:
        """The graph as it was seen last; waits for the first look. Raises: NotFound."""
        await self._topic.after(0)
        seen = self._topic.value
        if seen is None:
            raise NotFound("No such graph.")
        return seen

    async def _caught_up(self, arrival: int) -> None:
        """Waits until this process has seen an arrival number that another one has given out. Raises: CursorInvalid, NotFound."""
        try:
            async with asyncio.timeout(_AHEAD_SECONDS):
                while (await self._seen()).row.standing.arrived < arrival:
                    await self._topic.after(self._topic.version)
        except TimeoutError:
            raise CursorInvalid("The cursor is of events that this graph does not have.") from None


def _batch(at: GraphAt, rows: list[EventRow], first: int | None, last: int | None, cursor: str, **flags: Any) -> Batch:
    return Batch(at, rows, first, last, cursor, late=[row["id"] for row in rows if row["late"]], **flags)
