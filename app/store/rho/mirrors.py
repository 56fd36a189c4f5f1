"""Which nodes of Agent Graph and of Rho graphs stand for each other, in one account, now (M12, Q50)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import GraphRow, row_of, there
from app.store.keys import mirror_key
from app.store.records import mirror_keys


class Mirrored(NamedTuple):
    """A session or an agent of a graph."""

    graph: GraphRow
    ref: str


class Mirror(NamedTuple):
    """A node of a current snapshot: its body, the snapshot's key, and whom the snapshot's graph is about."""

    body: str
    snapshot: str
    subject_id: str


async def mirrored(store: Store, account: str, rho_ids: Iterable[str], deadline: Deadline) -> dict[str, list[Mirrored]]:
    """Sessions and agents that Rho nodes stand for, by the ids of these; the same ones may be in several graphs."""
    asked = {mirror_key(id): id for id in rho_ids}
    found: dict[str, list[Mirrored]] = {}
    if not asked:
        return found
    hashed = [key for key, id in asked.items() if id.rpartition("/")[2].startswith("h.")]
    for name, keys in (("rho/mirrored_usual", list(asked)), ("rho/mirrored_hashed", hashed)):
        for record in await store.read(name, deadline, keys=keys, account=account) if keys else ():
            if there(record) is None:
                continue
            one = Mirrored(row_of(record), record["ref"])
            others = found.setdefault(asked[record["key"]], [])
            if all((one.graph.id, one.ref) != (other.graph.id, other.ref) for other in others):
                others.append(one)
    return found


async def mirrors(store: Store, account: str, refs: Iterable[str], deadline: Deadline) -> dict[str, list[Mirror]]:
    """Rho nodes of current snapshots that stand for sessions and agents, by the refs of these, in no order."""
    asked: dict[str, list[str]] = {}
    for ref in dict.fromkeys(refs):
        for key in dict.fromkeys(mirror_keys(ref)):
            asked.setdefault(key, []).append(ref)
    record = await store.one("rho/mirrors_of", deadline, keys=list(asked), account=account) if asked else None
    found: dict[str, list[Mirror]] = {}
    for key, *values in [] if record is None else record["rows"]:
        for ref in asked[key]:
            found.setdefault(ref, []).append(Mirror(*values))
    return found
