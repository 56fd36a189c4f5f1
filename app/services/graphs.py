"""Graphs: making, listing, and reading one at a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any
from uuid import uuid4

from app.domain import ids
from app.domain.moments import AsOf, Moment
from app.domain.problems import Forbidden, NoSuchEvent, NotFound
from app.domain.times import NS_PER_MS, NS_PER_S
from app.services import appending
from app.services.clock import Clock
from app.services.event_pages import is_before, outside
from app.services.graph_at import GraphAt
from app.services.graph_info import GraphInfo
from app.services.shared import Asked, SharedReads
from app.services.snapshot import SnapshotCache
from app.services.viewer import Viewer
from app.settings import Settings
from app.store import events, graphs
from app.store.appending import Ground, Stale
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import GraphRow
from app.store.moments import Mark, last_by
from app.store.reading import Overtaken, Reading
from app.store.rewriting import turn

_PAUSE = 0.005
"""Seconds before looking again at a graph whose history is being changed."""


class Graphs:
    """Reading graphs, each read at one moment."""

    def __init__(self, store: Store, clock: Clock, settings: Settings) -> None:
        self._store = store
        self._clock = clock
        self._reader = uuid4().hex
        self._stale_after_ns = int(settings.stale_after * NS_PER_S)
        self._snapshots = SnapshotCache(settings.snapshot_cache_nodes)
        self._rows = SharedReads[GraphRow | None]()

    async def create(self, viewer: Viewer, title: str | None, source: str, retention_events: int | None, deadline: Deadline) -> GraphInfo:
        """A new graph of the caller's account (Q20). Raises: Forbidden."""
        viewer.require("write")
        if viewer.graph_ids is not None:
            raise Forbidden("A key for certain graphs cannot make others.")
        graph_id = ids.new_graph_id()
        await graphs.create(
            self._store,
            graph_id=graph_id,
            account=viewer.account,
            title=title,
            source=source,
            created=self._clock(),
            retention=retention_events,
            deadline=deadline,
        )
        return GraphInfo(await self._row(viewer, graph_id, deadline))

    async def update(self, viewer: Viewer, graph_id: str, changes: Mapping[str, Any], deadline: Deadline) -> GraphInfo:
        """Changes a graph's `title` or `retention_events`, whichever is named (Q20). Raises: Forbidden, NotFound."""
        viewer.require("write")
        row = await self._row(viewer, graph_id, deadline)
        if changes and not await graphs.update(self._store, row.id, changes, deadline):
            raise NotFound("No such graph.")
        return GraphInfo(await self._row(viewer, row.id, deadline))

    async def own(self, viewer: Viewer, graph_id: str, deadline: Deadline) -> GraphInfo:
        """A graph of the caller's account, to do something about it. Raises: Forbidden, NotFound."""
        return GraphInfo(await self._row(viewer, graph_id, deadline))

    async def list(self, viewer: Viewer, deadline: Deadline) -> list[GraphInfo]:
        """The graphs that the caller may read, latest activity first, equal ones by id (R39). Raises: Forbidden."""
        viewer.require("read")
        rows = await graphs.of_account(self._store, viewer.account, deadline)
        found = [GraphInfo(row if row.whole else await self._row(viewer, row.id, deadline)) for row in rows if viewer.may_see(row.id)]
        return sorted(found, key=lambda info: (-info.last_event, info.id))

    def expect(self, graph_id: str, deadline: Deadline) -> Asked[GraphRow | None] | None:
        """Begins to look at a graph while it is still being found out who asks: to be given to `at`, or to be left. None: no graph's id."""
        known = ids.graph_id(graph_id)
        return None if known is None else self._asked(known, deadline)

    async def at(
        self, viewer: Viewer, graph_id: str, as_of: AsOf | None, deadline: Deadline, expected: Asked[GraphRow | None] | None = None
    ) -> GraphAt:
        """A graph at a moment (R24-R27). `graph_id` is a public id or a bare log id (R15), `expected` what `expect` gave for it.

        Raises: Forbidden, NotFound, OutsideRetentionWindow.
        """
        viewer.require("read")
        while True:
            row = await self._row(viewer, graph_id, deadline, expected)
            expected = None
            try:
                moment = await self._moment(row, as_of, deadline)
            except Overtaken:
                continue
            return self._graph_at(row, moment, deadline, asked=as_of is not None)

    async def at_moment(self, viewer: Viewer, moment: Moment, deadline: Deadline) -> GraphAt:
        """A graph at a moment that is known, such as just after an append (Q3, Q19). Raises: Forbidden, NotFound, Overtaken."""
        viewer.require("read")
        row = await self._row(viewer, moment.graph, deadline)
        if row.standing.revision != moment.revision or row.g != moment.g:
            raise Overtaken
        return self._graph_at(row, moment, deadline, asked=False)

    async def now(self, row: GraphRow, deadline: Deadline) -> GraphAt:
        """A graph at the newest moment of its row, of which all is of one time."""
        return self._graph_at(row, await self._moment(row, None, deadline), deadline, asked=False)

    async def mend(self, row: GraphRow, deadline: Deadline) -> None:
        """Makes the revision of a graph even that somebody left odd who is gone."""
        if row.standing.revision % 2:
            with suppress(Stale):
                await turn(self._store, Ground(row.id, row.g, row.standing, self._reader), deadline)

    async def row(self, viewer: Viewer, graph_id: str, deadline: Deadline) -> GraphRow:
        """A graph's row, of one time, for its account's other services. Raises: Forbidden, NotFound."""
        return await self._row(viewer, graph_id, deadline)

    def _asked(self, graph_id: str, deadline: Deadline) -> Asked[GraphRow | None]:
        return self._rows.ask(graph_id, partial(graphs.one, self._store, graph_id), deadline)

    async def _row(self, viewer: Viewer, graph_id: str, deadline: Deadline, expected: Asked[GraphRow | None] | None = None) -> GraphRow:
        """The graph's row while its history is not being changed. Ownership is tested first (R10)."""
        known = ids.graph_id(graph_id)
        began = monotonic()
        while known is not None:
            row = await (expected or self._asked(known, deadline)).got()
            expected = None
            if row is None or row.account != viewer.account:
                break
            if not viewer.may_see(known):
                raise Forbidden("This key was made for other graphs.")
            if row.whole:
                return row
            await asyncio.sleep(_PAUSE)
            if row.standing.revision % 2 and monotonic() - began > appending.PATIENCE:  # who was rewriting it is gone
                await self.mend(row, deadline)
                began = monotonic()
        raise NotFound("No such graph.")

    async def _moment(self, row: GraphRow, as_of: AsOf | None, deadline: Deadline) -> Moment:
        now = Moment(
            graph=row.id,
            g=row.g,
            seq=row.standing.head,
            event=None if row.last is None else row.last.id,
            time_ns=self._clock() // 1_000 * NS_PER_S,
            revision=row.standing.revision,
        )
        if as_of is None:
            return now
        if row.first is None or row.last is None:
            raise outside(row)  # R27
        reading = Reading(self._store, now, deadline)
        if as_of.event is not None:
            return await _after(reading, row, as_of.event)
        assert as_of.time_ms is not None, "an AsOf is an event or a time"
        mark = await _by(reading, row, as_of.time_ms)
        if mark is None:
            raise outside(row)
        return Moment(row.id, row.g, mark.seq, mark.id, as_of.time_ms * NS_PER_MS, now.revision)

    def _graph_at(self, row: GraphRow, moment: Moment, deadline: Deadline, *, asked: bool) -> GraphAt:
        return GraphAt(
            self._store, row, moment, deadline, asked=asked, snapshots=self._snapshots, stale_after_ns=self._stale_after_ns
        )  # fmt: skip


async def _after(reading: Reading, row: GraphRow, own_id: str) -> Moment:
    """Just after an event, judged at its own time (R25)."""
    found = (await events.by_id(reading, (own_id,))).get(own_id)
    if found is None:
        raise outside(row) if is_before(row, own_id) else NoSuchEvent()
    return Moment(row.id, row.g, found["seq"], own_id, found["time_ns"], row.standing.revision, fixed=True, nodes=found["nodes"])


async def _by(reading: Reading, row: GraphRow, time_ms: int) -> Mark | None:
    """The last held event at or before a time, Unix ms (R26)."""
    assert row.first is not None
    assert row.last is not None
    if time_ms < row.first.time_ms:
        return None
    if time_ms >= row.last.time_ms:
        return Mark(row.standing.head, row.last.id)
    return await last_by(reading, time_ms, row.standing.floor, row.standing.head)
