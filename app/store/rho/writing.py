"""Taking a snapshot in: all of it or nothing, once (M6-M8).

Two transactions: one writes everything, the other lets readers see it, since a commit is not one moment for a reader. Whoever takes the
same envelope in again finishes what a process that died between them left.
"""

from __future__ import annotations

from typing import NamedTuple

from neo4j.exceptions import ConstraintError

from app.domain.problems import StoreUnavailable
from app.domain.rho.apart import Apart
from app.domain.rho.timestamps import read_ns
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.rho import rows
from app.store.rho.keys import graph_key, named_key, project_key, snapshot_key, sync_key

WRITTEN, WHOLE, RETIRED = range(3)
"""States of a snapshot: being written; seen by readers; being cleared away."""

_TRIES = 5


class Upload(NamedTuple):
    """What an upload says of itself (G48)."""

    sync_id: str
    project_id: str
    session_id: str | None


class Taken(NamedTuple):
    """What became of it. `created`: the snapshot is new. `accepted`: so is the upload. `digest`, `snapshot`: what its id stands for."""

    snapshot: str
    graph: str
    created: bool
    accepted: bool
    digest: str


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

    async def work(tx: Transaction) -> Taken:
        if upload is not None:
            found = await _accepted(tx, sync_key(account, upload.project_id, upload.sync_id))
            if found is not None:
                digest, snapshot = found
                return Taken(snapshot, graph, created=False, accepted=False, digest=digest)
        await tx.run("rho/graph_lock", graph=graph, row=_graph(account, project, apart))
        there = await tx.one("rho/snapshot_lock", key=key)
        if there is None:
            await _write(tx, key, account, apart, now)
        elif there["state"] == RETIRED:
            raise Retired
        await tx.run("rho/snapshot_link", graph=graph, key=key)
        if upload is not None:
            await tx.run("rho/sync_put", key=key, row=_sync(account, upload, key, apart, now))
        return Taken(key, graph, created=there is None, accepted=upload is not None, digest=apart.digest)

    for _ in range(_TRIES):
        try:
            return await store.write(work, deadline)
        except ConstraintError:  # another process was faster with the same snapshot or upload: it is there now
            continue
    raise StoreUnavailable


class Older(NamedTuple):
    """A snapshot that is not its graph's current one; `uploads`: how many point to it."""

    key: str
    state: int
    generated_at: str
    body_sha256: str
    uploads: int

    @property
    def age(self) -> tuple[int, str]:
        """What snapshots are ordered by, the newest last."""
        return age(self.generated_at, self.body_sha256)


async def publish(store: Store, graph: str, key: str, apart: Apart, deadline: Deadline) -> list[Older]:
    """Lets readers see a snapshot, and makes it its graph's current one if none is newer (by `generated_at`, then by hash).

    Gives what else the graph holds then, for `retention.trim`: seen here, where it is written, since a replica may not know of it yet.

    Raises: Retired.
    """

    async def work(tx: Transaction) -> list[Older]:
        await point(tx)
        record = await tx.one("rho/surplus", graph=graph)
        return [] if record is None else [Older(*row) for row in record["rows"]]

    async def point(tx: Transaction) -> None:
        before = await tx.one("rho/graph_lock", graph=graph, row={})
        current = None if before is None else before["current"]
        own = await tx.one("rho/snapshot_lock", key=key)
        if own is None or own["state"] == RETIRED:
            raise Retired
        await tx.run("rho/snapshot_whole", key=key)
        if current == key:
            return
        other = None if current is None else await tx.one("rho/snapshot_lock", key=current)
        if other is not None and age(other["generated_at"], other["body_sha256"]) > age(apart.generated_at, apart.sha256):
            await tx.run("rho/mirrors_clear", key=key)
            return
        await tx.run("rho/current_move", graph=graph, key=key)
        for piece in rows.mirrors(key, apart):
            await tx.run("rho/mirrors_set", rows={"nodes": piece})
        if current is not None:
            await tx.run("rho/mirrors_clear", key=current)

    return await store.write(work, deadline)


def age(generated_at: str, body_sha256: str) -> tuple[int, str]:
    """What snapshots of a graph are ordered by, the newest last."""
    return read_ns(generated_at) or 0, body_sha256


async def _accepted(tx: Transaction, key: str) -> tuple[str, str] | None:
    """Digest and snapshot of the upload that was accepted under this key."""
    found = await tx.one("rho/syncs_by_key", keys=[key])
    return (found["rows"][0][1], found["rows"][0][2]) if found is not None and found["rows"] else None


async def _write(tx: Transaction, key: str, account: str, apart: Apart, now: int) -> None:
    await tx.run("rho/snapshot_put", row=rows.snapshot(key, account, apart, now))
    for piece in rows.nodes(key, apart):
        await tx.run("rho/nodes_put", key=key, rows={"nodes": piece})
    for kind, piece in rows.edges(key, apart):
        await tx.run(f"rho/edges_put_{kind}", rows={"edges": piece})
    for piece in rows.events(key, apart):
        await tx.run("rho/events_put", key=key, rows={"events": piece})


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
