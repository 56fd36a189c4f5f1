"""Reading Rho graphs and their snapshots, many at once, by keys. Order and pages are the caller's affair (M16)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.rho.keys import fact_key, named_key, project_key

FactKind: TypeAlias = Literal["nodes", "edges", "events"]
Direction: TypeAlias = Literal["out_of", "into"]

FactKey: TypeAlias = tuple[str, str]
"""A snapshot's key and the id of a node or an event in it."""


class RhoGraphRow(NamedTuple):
    """A graph: what its snapshots are about, and the key of the newest (M2, M4)."""

    key: str
    subject_kind: str
    subject_id: str
    project_id: str | None
    repository_id: str | None
    current: str | None


class SnapshotRow(NamedTuple):
    """A snapshot without its facts (M2). `frame`: the canonical text of the envelope without its three arrays; `imported_at` in Unix ms."""

    key: str
    body_sha256: str
    digest: str
    schema_version: str
    generated_at: str
    frame: str
    node_count: int
    edge_count: int
    event_count: int
    imported_at: int


class SyncRow(NamedTuple):
    """An upload: whose session it is, if it says so, when it came (Unix ms), its id, and the key of the snapshot that it brought."""

    session_id: str | None
    received_at: int
    sync_id: str
    snapshot: str


async def graphs_of(store: Store, account: str, deadline: Deadline) -> list[RhoGraphRow]:
    """Every graph of an account, in no order. One without a snapshot that readers may see has no `current`."""
    record = await store.one("rho/graphs", deadline, account=account)
    return [] if record is None else [RhoGraphRow(*row) for row in record["rows"]]


async def graphs_by_key(store: Store, keys: Iterable[str], deadline: Deadline) -> dict[str, RhoGraphRow]:
    """Graphs by their keys."""
    record = await store.one("rho/graphs_by_key", deadline, keys=_unique(keys))
    return {} if record is None else {row[0]: RhoGraphRow(*row) for row in record["rows"]}


async def graphs_named(store: Store, account: str, subject_kind: str, name: str, deadline: Deadline) -> list[RhoGraphRow]:
    """The graphs about a session or a mission of this name, of all projects."""
    record = await store.one("rho/graphs_by_name", deadline, key=named_key(account, subject_kind, name))
    return [] if record is None else [RhoGraphRow(*row) for row in record["rows"]]


async def snapshots(store: Store, keys: Iterable[str], deadline: Deadline) -> dict[str, SnapshotRow]:
    """Snapshots by their keys."""
    record = await store.one("rho/snapshots_by_key", deadline, keys=_unique(keys))
    return {} if record is None else {row[0]: SnapshotRow(*row) for row in record["rows"]}


async def snapshots_of(store: Store, graphs: Iterable[str], deadline: Deadline) -> dict[str, list[SnapshotRow]]:
    """Every snapshot of some graphs, by the graph's key, in no order."""
    records = await store.read("rho/snapshots_of", deadline, keys=_unique(graphs))
    return {record["graph"]: [SnapshotRow(*row) for row in record["rows"]] for record in records}


async def synced(store: Store, keys: Iterable[str], deadline: Deadline) -> dict[str, str]:
    """Keys of the snapshots that uploads brought, by the keys of these."""
    record = await store.one("rho/syncs_by_key", deadline, keys=_unique(keys))
    return {} if record is None else {key: snapshot for key, _, snapshot in record["rows"]}


async def syncs_of(store: Store, account: str, project: str, deadline: Deadline) -> list[SyncRow]:
    """Every upload of a project, in no order."""
    record = await store.one("rho/syncs_of_project", deadline, key=project_key(account, project))
    return [] if record is None else [SyncRow(*row) for row in record["rows"]]


async def facts(store: Store, kind: FactKind, snapshots: Iterable[str], deadline: Deadline) -> dict[str, list[tuple[str, str]]]:
    """All nodes, edges or events of some snapshots: ids and bodies, by the snapshot's key, in no order."""
    records = await store.read(f"rho/{kind}", deadline, keys=_unique(snapshots))
    return {record["snapshot"]: [(id, body) for id, body in record["rows"]] for record in records}


async def facts_by_id(store: Store, kind: Literal["nodes", "events"], keys: Iterable[FactKey], deadline: Deadline) -> dict[FactKey, str]:
    """Bodies of certain nodes or events."""
    asked = {fact_key(*key): key for key in keys}
    record = await store.one(f"rho/{kind}_by_key", deadline, keys=list(asked))
    return {} if record is None else {asked[key]: body for key, body in record["rows"]}


async def events_of(store: Store, nodes: Iterable[FactKey], deadline: Deadline) -> dict[FactKey, list[str]]:
    """Bodies of the events about some nodes, in no order."""
    asked = {fact_key(*key): key for key in nodes}
    record = await store.one("rho/events_of", deadline, keys=list(asked))
    found: dict[FactKey, list[str]] = {}
    for key, body in [] if record is None else record["rows"]:
        found.setdefault(asked[key], []).append(body)
    return found


async def related(
    store: Store, nodes: Iterable[FactKey], direction: Direction, kinds: Sequence[str], deadline: Deadline
) -> dict[FactKey, list[tuple[str, str]]]:
    """Edges of some kinds that leave some nodes (`out_of`) or come to them (`into`): bodies of edge and other end, in no order."""
    asked = {fact_key(*key): key for key in nodes}
    types = [f"RHO_{kind.upper()}" for kind in kinds]
    record = await store.one(f"rho/{direction}", deadline, keys=list(asked), types=types)
    found: dict[FactKey, list[tuple[str, str]]] = {}
    for key, edge, other in [] if record is None else record["rows"]:
        found.setdefault(asked[key], []).append((edge, other))
    return found


def _unique(keys: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(keys))
