"""Reading Rho graphs: by key, by name, at a time; whole ones to the byte (M10, M11), parts of them for many snapshots at once (M14)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import structlog

from app.domain.problems import NotFound, Problem
from app.domain.rho.apart import put_together
from app.domain.rho.recency import recency
from app.domain.rho.texts import sha256_hex
from app.domain.rho.timestamps import read_ns
from app.domain.rho.vocabulary import EDGE_KINDS
from app.services.rho.access import may_read
from app.services.viewer import Viewer
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.rho import reading as stored
from app.store.rho.keys import graph_key, sync_key
from app.store.rho.reading import Direction, FactKey, FactKind, RhoGraphRow, SnapshotRow, SyncRow

Bodies: TypeAlias = list[tuple[str, str]]
"""Facts as ids and canonical texts, by id (M16)."""

_TRIES = 3
_log = structlog.get_logger("rho")


class IntegrityError(Problem):
    """What is stored of a snapshot does not add up to what was taken in (M10)."""

    code = "INTERNAL"

    def __init__(self) -> None:
        super().__init__("integrity_error: what is stored of this snapshot is damaged. The log names it.", kind="integrity_error")


class RhoReading:
    """Rho graphs and snapshots of the caller's account: what is another's, is not there (Q50).

    Every method raises Forbidden without `read`, DeadlineExceeded and StoreUnavailable.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    async def graphs(self, viewer: Viewer, deadline: Deadline) -> list[RhoGraphRow]:
        """Every graph that has a snapshot, by key."""
        found = await stored.graphs_of(self._store, viewer.account, deadline) if may_read(viewer) else []
        return sorted(row for row in found if row.current is not None)

    async def graphs_by_key(self, viewer: Viewer, keys: Iterable[str], deadline: Deadline) -> dict[str, RhoGraphRow]:
        """Graphs by their keys."""
        own = _own(viewer, keys, "|")
        found = await stored.graphs_by_key(self._store, own, deadline) if own else {}
        return {key: row for key, row in found.items() if row.current is not None}

    async def graph_about(
        self, viewer: Viewer, kind: Literal["session", "mission"], name: str, project_id: str | None, deadline: Deadline
    ) -> RhoGraphRow | None:
        """The graph about a session or a mission, by the last part of its id.

        `project_id` None: of no project, or else of the project whose snapshot is the newest.
        """
        rows = await stored.graphs_named(self._store, viewer.account, kind, name, deadline) if may_read(viewer) else []
        rows = sorted(row for row in rows if row.current is not None and project_id in (None, row.project_id or ""))
        if len(rows) < 2:
            return rows[0] if rows else None
        of_none = [row for row in rows if row.project_id is None]
        if of_none:
            return of_none[0]
        current = await stored.snapshots(self._store, [row.current for row in rows if row.current is not None], deadline)
        return max(rows, key=lambda row: _recency(current.get(row.current or "")))

    async def snapshots(self, viewer: Viewer, keys: Iterable[str], deadline: Deadline) -> dict[str, SnapshotRow]:
        """Snapshots by their keys."""
        own = _own(viewer, keys, " ")
        return await stored.snapshots(self._store, own, deadline) if own else {}

    async def snapshot_synced(self, viewer: Viewer, project_id: str, sync_id: str, deadline: Deadline) -> SnapshotRow | None:
        """The snapshot that an upload brought (M11)."""
        if not may_read(viewer):
            return None
        key = sync_key(viewer.account, project_id, sync_id)
        found = await stored.synced(self._store, [key], deadline)
        return (await self.snapshots(viewer, [found[key]], deadline)).get(found[key]) if key in found else None

    async def snapshots_of(self, viewer: Viewer, graphs: Iterable[str], deadline: Deadline) -> dict[str, list[SnapshotRow]]:
        """All snapshots of some graphs, newest first, by the keys of these."""
        own = _own(viewer, graphs, "|")
        found = await stored.snapshots_of(self._store, own, deadline) if own else {}
        return {graph: sorted(rows, key=_recency, reverse=True) for graph, rows in found.items()}

    async def snapshot_at(self, viewer: Viewer, graph: str, at: str | None, deadline: Deadline) -> SnapshotRow | None:
        """A graph's current snapshot, or the newest whose `generated_at` is not later than `at`, a timestamp of G3 (M11)."""
        rows = (await self.snapshots_of(viewer, [graph], deadline)).get(graph, [])
        until = None if at is None else read_ns(at)
        if at is not None and until is None:
            return None
        return next((row for row in rows if until is None or _recency(row)[0] <= until), None)

    async def syncs_of(self, viewer: Viewer, project_id: str, deadline: Deadline) -> list[SyncRow]:
        """The uploads of a project, newest first."""
        found = await stored.syncs_of(self._store, viewer.account, project_id, deadline) if may_read(viewer) else []
        return sorted(found, key=lambda row: (-row.received_at, row.sync_id))

    async def export(self, viewer: Viewer, key: str, deadline: Deadline) -> str:
        """A snapshot's canonical text, the very bytes that were taken in or would be by their canonical form (M10).

        Raises: NotFound, IntegrityError.
        """
        for _ in range(_TRIES):
            row = (await self.snapshots(viewer, [key], deadline)).get(key)
            if row is None:
                raise NotFound("No such snapshot.")
            facts = [(await stored.facts(self._store, kind, [key], deadline)).get(key, []) for kind in ("nodes", "edges", "events")]
            text = await asyncio.to_thread(_exported, row, facts)
            if text is not None:
                return text
        _log.error("snapshot_damaged", snapshot=key, found=[len(each) for each in facts])
        raise IntegrityError

    async def facts(self, viewer: Viewer, kind: FactKind, snapshots: Iterable[str], deadline: Deadline) -> dict[str, Bodies]:
        """All nodes, edges or events of some snapshots, by the keys of these."""
        own = _own(viewer, snapshots, " ")
        found = await stored.facts(self._store, kind, own, deadline) if own else {}
        return {key: sorted(found.get(key, [])) for key in own}

    async def facts_by_id(
        self, viewer: Viewer, kind: Literal["nodes", "events"], keys: Iterable[FactKey], deadline: Deadline
    ) -> dict[FactKey, str]:
        """Bodies of certain nodes or events, each by its snapshot's key and its id."""
        own = _own_facts(viewer, keys)
        return await stored.facts_by_id(self._store, kind, own, deadline) if own else {}

    async def events_of(self, viewer: Viewer, nodes: Iterable[FactKey], deadline: Deadline) -> dict[FactKey, list[str]]:
        """Bodies of the events about certain nodes, by id."""
        own = _own_facts(viewer, nodes)
        return await stored.events_of(self._store, own, deadline) if own else {}

    async def related(
        self, viewer: Viewer, nodes: Iterable[FactKey], direction: Direction, kinds: Sequence[str], deadline: Deadline
    ) -> dict[FactKey, list[tuple[str, str]]]:
        """Edges of some kinds that leave certain nodes (`out_of`) or come to them (`into`): bodies of the edge and of its other end.

        One statement, whatever the kinds and the nodes. `kinds` empty: all.
        """
        own = _own_facts(viewer, nodes)
        return await stored.related(self._store, own, direction, kinds or sorted(EDGE_KINDS), deadline) if own else {}


def graph_key_of(viewer: Viewer, project_id: str | None, subject_id: str) -> str:
    """The key of a graph of the caller's account (M4)."""
    return graph_key(viewer.account, project_id, subject_id)


def _own(viewer: Viewer, keys: Iterable[str], after: str) -> list[str]:
    """Those of these keys that are of the caller's account."""
    return [key for key in dict.fromkeys(keys) if key.startswith(viewer.account + after)] if may_read(viewer) else []


def _own_facts(viewer: Viewer, keys: Iterable[FactKey]) -> list[FactKey]:
    return [key for key in dict.fromkeys(keys) if key[0].startswith(viewer.account + " ")] if may_read(viewer) else []


def _recency(row: SnapshotRow | None) -> tuple[int, str]:
    return (0, "") if row is None else recency(row.generated_at, row.body_sha256)


def _exported(row: SnapshotRow, facts: list[list[tuple[str, str]]]) -> str | None:
    """The text, if its hash is right. (What is read while the snapshot is cleared away is not whole.)"""
    text = put_together(row.frame, *facts)
    return text if sha256_hex(text) == row.body_sha256 else None
