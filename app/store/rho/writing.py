"""Taking a snapshot in: all of it or nothing, once (M6-M8).

Two transactions: one writes everything, the other lets readers see it, since a commit is not one moment for a reader. Whoever takes the
same envelope in again finishes what a process that died between them left.
"""

from __future__ import annotations

from typing import NamedTuple

from neo4j import Record
from neo4j.exceptions import ConstraintError

from app.domain.problems import StoreUnavailable
from app.domain.rho.apart import Apart
from app.domain.rho.recency import recency
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.pieces import Pieces
from app.store.rho import rows
from app.store.rho.keys import graph_key, named_key, project_key, snapshot_key, sync_key
from app.store.rho.reading import SnapshotRow

WRITTEN, WHOLE, RETIRED = range(3)
"""States of a snapshot: being written; seen by readers; being cleared away."""

_TRIES = 5


class Upload(NamedTuple):
    """What an upload says of itself (G48)."""

    sync_id: str
    project_id: str
    session_id: str | None


class Taken(NamedTuple):
    """What became of it. `created`: the snapshot is new. `accepted`: so is the upload. `digest`, `snapshot`: what its id stands for.

    `before`: key of the graph's current snapshot, or the graph's own if it has none, where the new one comes after it; None otherwise.
    """

    snapshot: str
    graph: str
    created: bool
    accepted: bool
    digest: str
    before: str | None = None


class Retired(Exception):  # noqa: N818 - a state of things, not a fault
    """The snapshot is being cleared away: it can be written anew when that is done."""


async def take_in(
    store: Store, account: str, project: str | None, apart: Apart, now: int, deadline: Deadline, upload: Upload | None = None
) -> Taken:
    """Keeps a snapshot that is not there yet, and notes the upload that brought it, if its id is new; otherwise nothing is written.

    Of several that do so at once with the same envelope, or the same upload, exactly one gets `created`, or `accepted`. `now`: Unix ms.

    Raises: Retired.
    """
    key, graph = snapshot_key(account, apart.sha256), graph_key(account, project, apart.subject.id)
    first = {"graph": _graph(account, project, apart), "snapshot": rows.snapshot(key, account, apart, now)}

    async def work(tx: Transaction) -> Taken:
        if upload is not None:
            found = await _accepted(tx, sync_key(account, upload.project_id, upload.sync_id))
            if found is not None:
                digest, snapshot = found
                return Taken(snapshot, graph, created=False, accepted=False, digest=digest)
        there = await tx.one("rho/snapshot_begin", graph=graph, key=key, rows=first)
        if there is None or there["state"] == RETIRED:
            raise Retired
        if there["created"]:
            async with Pieces(rows.facts(key, apart), rows.FACTS) as pieces:
                async for piece, _ in pieces:
                    await tx.run("rho/facts_put", key=key, rows=piece)
        if upload is not None:
            await tx.run("rho/sync_put", key=key, row=_sync(account, upload, key, apart, now))
        before = (there["current"] or graph) if there["created"] and not _is_newer(there, apart) else None
        return Taken(key, graph, created=there["created"], accepted=upload is not None, digest=apart.digest, before=before)

    for _ in range(_TRIES):
        try:
            return await store.write(work, deadline)
        except ConstraintError:  # another process was faster with the same snapshot or upload: it is there now
            continue
    raise StoreUnavailable


class Held(NamedTuple):
    """A snapshot that a graph holds; `uploads`: how many point to it."""

    key: str
    state: int
    generated_at: str
    body_sha256: str
    uploads: int

    @property
    def recency(self) -> tuple[int, str]:
        """What snapshots are ordered by, the newest last."""
        return recency(self.generated_at, self.body_sha256)


class Published(NamedTuple):
    """A snapshot as readers see it, and what else its graph holds besides the current one, for `retention.trim`.

    That is seen where it is written, since a replica may not know of it yet.
    """

    snapshot: SnapshotRow
    older: list[Held]


async def publish(store: Store, taken: Taken, apart: Apart, deadline: Deadline) -> Published:
    """Lets readers see a snapshot, and makes it its graph's current one if none is newer (by `generated_at`, then by hash).

    Raises: Retired.
    """
    graph, key = taken.graph, taken.snapshot

    async def work(tx: Transaction) -> Published:
        record = await tx.one("rho/snapshot_stand", graph=graph, key=key)
        held = {} if record is None else {row[0]: Held(*row) for row in record["rows"]}
        if record is None or key not in held or held[key].state == RETIRED:
            raise Retired
        current = held.get(record["current"])
        if current is not None and current.recency >= held[key].recency:
            whole = await tx.run("rho/snapshot_whole", key=key)
            if current.key != key:
                await tx.run("rho/mirrors_clear", key=key)
            return Published(SnapshotRow(*whole[0]["row"]), [each for each in held.values() if each is not current])
        moved = await tx.one("rho/current_move", graph=graph, key=key, current=record["current"] or graph)
        if held[key].state == WHOLE:  # it no longer has what a new one is written with
            for piece in rows.mirrors(key, apart):
                await tx.run("rho/mirrors_set", rows={"nodes": piece})
        return _moved(key, moved)

    if taken.before is not None:
        moved = await store.change("rho/current_move", lambda record: record, deadline, graph=graph, key=key, current=taken.before)
        if moved is not None:
            return _moved(key, moved)
    return await store.write(work, deadline)


async def _accepted(tx: Transaction, key: str) -> tuple[str, str] | None:
    """Digest and snapshot of the upload that was accepted under this key."""
    found = await tx.one("rho/syncs_by_key", keys=[key])
    return (found["rows"][0][1], found["rows"][0][2]) if found is not None and found["rows"] else None


def _is_newer(current: Record, apart: Apart) -> bool:
    """Whether a graph's current snapshot, if it has one, is newer."""
    if current["current"] is None:
        return False
    return recency(current["generated_at"], current["body_sha256"]) > recency(apart.generated_at, apart.sha256)


def _moved(key: str, record: Record | None) -> Published:
    if record is None:  # what was there, under its lock, a moment before
        raise StoreUnavailable
    return Published(SnapshotRow(*record["row"]), [Held(*row) for row in record["rows"] if row[0] != key])


def _graph(account: str, project: str | None, apart: Apart) -> rows.Properties:
    kind, id, name = apart.subject
    return {
        "account": account,
        "named": None if name is None else named_key(account, kind, name),
        "subject_kind": kind,
        "subject_id": id,
        "project_id": project,
        "repository_id": apart.repository_id,
    }


def _sync(account: str, upload: Upload, snapshot: str, apart: Apart, now: int) -> rows.Properties:
    return {
        "key": sync_key(account, upload.project_id, upload.sync_id),
        "project": project_key(account, upload.project_id),
        "sync_id": upload.sync_id,
        "project_id": upload.project_id,
        "session_id": upload.session_id,
        "received_at": now,
        "digest": apart.digest,
        "snapshot": snapshot,
        "facts": len(apart.nodes) + len(apart.edges) + len(apart.events),
    }
