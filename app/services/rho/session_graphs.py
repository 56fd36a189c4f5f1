"""The graph of a session that somebody names: found among Agent Graph's sessions, or else among the snapshots that were taken in (M21)."""

from __future__ import annotations

import asyncio

from app.domain.moments import AsOf
from app.domain.problems import NotFound, OutsideRetentionWindow
from app.domain.rho.agent_graph import SessionExport
from app.domain.rho.envelope import canonical_json
from app.domain.rho.mirrors import SESSION
from app.domain.rho.names import find_session
from app.services.clock import Clock
from app.services.graph_at import GraphAt, Snapshot
from app.services.graph_info import GraphInfo
from app.services.graphs import Graphs
from app.services.rho.reading import RhoReading
from app.services.rho.sessions import SessionExports
from app.services.undisturbed import undisturbed
from app.services.viewer import Viewer
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.rho import mirrors

_RHO = "rho."


class SessionGraphs:
    """Graphs of sessions, by the names of these."""

    def __init__(self, store: Store, clock: Clock, graphs: Graphs, reading: RhoReading, exports: SessionExports) -> None:
        self._store = store
        self._clock = clock
        self._graphs = graphs
        self._reading = reading
        self._exports = exports

    async def envelope(self, viewer: Viewer, name: str | None, repository: str | None, deadline: Deadline, *, upload: bool) -> str:
        """The canonical text of a session's graph: made now, or for an `upload` as of its own newest event (G46, M24).

        `name` None: the latest session (G90). One that Agent Graph does not know may have been taken in as a snapshot: the current one is
        given as it is then.

        Raises: Forbidden, NotFound, ProjectionError, IntegrityError, DeadlineExceeded, StoreUnavailable.
        """
        viewer.require("read")
        found = await (self._latest(viewer, deadline) if name is None else self._named(viewer, name, deadline))
        if found is not None:
            graph, ref = found
            return await undisturbed(lambda: self._made(viewer, graph, ref, repository, deadline, upload))
        kept = None if name is None else await self._reading.graph_about(viewer, "session", name, None, deadline)
        if kept is None or kept.current is None:
            raise NotFound("No such session." if name else "There is no session yet.")
        return await self._reading.export(viewer, kept.current, deadline)

    async def _made(self, viewer: Viewer, graph: str, ref: str, repository: str | None, deadline: Deadline, upload: bool) -> str:
        at = await self._graphs.at(viewer, graph, None, deadline)
        if upload:
            made = await self._updated(viewer, at, ref, repository, deadline)
        else:
            made = await self._exports.now(at, [ref], self._clock(), deadline, repository)
        if ref not in made:
            raise NotFound("No such session.")
        return await asyncio.to_thread(canonical_json, made[ref].envelope)

    async def _updated(self, viewer: Viewer, at: GraphAt, ref: str, repository: str | None, deadline: Deadline) -> dict[str, SessionExport]:
        """The session as of the last event about it or its agents: once it has ended, the same bytes whenever that is asked (G46)."""
        nodes = await at.snapshot()
        if ref not in nodes.by_ref:
            return {}
        last_ms = _last_event(nodes, ref)
        try:
            then = await self._graphs.at(viewer, at.moment.graph, AsOf(time_ms=last_ms), deadline)
        except OutsideRetentionWindow:  # that event is no longer held, and nothing of the session has changed since
            return await self._exports.now(at, [ref], last_ms, deadline, repository)
        return await self._exports.at_event(then, [ref], deadline, repository)

    async def _named(self, viewer: Viewer, name: str, deadline: Deadline) -> tuple[str, str] | None:
        """Graph and ref of the session of this name, in the graph with the latest activity (Q50)."""
        ids = [f"{SESSION}{name}", *([f"{SESSION}{name.removeprefix(_RHO)}"] if name.startswith(_RHO) else [])]
        found = await mirrors.mirrored(self._store, viewer.account, ids, deadline)
        there = [one for many in found.values() for one in many if viewer.may_see(one.graph.id)]
        ref = find_session(name, sorted({one.ref for one in there}))
        graphs = [GraphInfo(one.graph) for one in there if one.ref == ref]
        return (min(graphs, key=lambda graph: (-graph.last_event, graph.id)).id, ref) if ref is not None else None

    async def _latest(self, viewer: Viewer, deadline: Deadline) -> tuple[str, str] | None:
        """Graph and ref of the session with the latest activity."""
        for graph in await self._graphs.list(viewer, deadline):
            nodes = await (await self._graphs.at(viewer, graph.id, None, deadline)).snapshot()
            sessions = [row for row in nodes.rows if row["kind"] == "session"]
            if sessions:
                return graph.id, max(sessions, key=lambda row: (row["last_event"], row["ref"]))["ref"]
        return None


def _last_event(nodes: Snapshot, ref: str) -> int:
    """The time of the last event about a session or its agents, Unix ms."""
    last, left = 0, [ref]
    while left:
        row = nodes.by_ref[left.pop()]
        last = max(last, row["last_event"])
        left += [child["ref"] for child in nodes.children.get(row["ref"], ()) if child["kind"] == "agent"]
    return last
