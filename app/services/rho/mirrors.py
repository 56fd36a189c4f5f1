"""How Agent Graph's sessions and agents and the nodes of Rho graphs stand for each other (M12): by exact names, within an account, now.

The link is worked out whenever it is asked for, from names that both sides are found by. So it is there as soon as both are, whichever came
first, and gone with either.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from app.domain.rho.mirrors import SESSION, is_mirror, mirror_ids
from app.domain.rho.names import find_session
from app.domain.rho.recency import recency
from app.services.graph_info import GraphInfo
from app.services.rho.access import may_read
from app.services.viewer import Viewer
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.rho import mirrors as stored
from app.store.rho import reading
from app.store.rho.reading import FactKey


class MirroredNode(NamedTuple):
    """A session or an agent: its graph, as it is now, and its ref."""

    graph: GraphInfo
    ref: str


class MirrorNode(NamedTuple):
    """A node of a current snapshot: the snapshot's key, and the node's canonical text."""

    snapshot: str
    body: str


class RhoMirrors:
    """Mirrors, both ways."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def agent_graph_nodes(
        self, viewer: Viewer, nodes: Mapping[FactKey, dict[str, Any]], deadline: Deadline
    ) -> dict[FactKey, MirroredNode]:
        """What certain Rho nodes stand for; those that stand for nothing are not in it.

        `nodes`: the documents, by snapshot and id. Where several graphs hold the session or agent, it is that of the one with the latest
        activity (Q50). Raises: Forbidden.
        """
        asked = {key: key[1] for key, node in nodes.items() if is_mirror(node)} if may_read(viewer) else {}
        if not asked:
            return {}
        found = await stored.mirrored(self._store, viewer.account, asked.values(), deadline)
        chosen = {id: _latest(id, many) for id, many in found.items()}
        return {key: chosen[id] for key, id in asked.items() if id in chosen}

    async def rho_nodes(self, viewer: Viewer, refs: Iterable[str], deadline: Deadline) -> dict[str, MirrorNode]:
        """What stands for certain sessions and agents, by their refs; those that nothing stands for are not in it.

        Of several, that of the graph that is about it, then the one under its usual name, then the one of the newest snapshot.
        Raises: Forbidden.
        """
        if not may_read(viewer):
            return {}
        found = await stored.mirrors(self._store, viewer.account, refs, deadline)
        keys = {one.snapshot for many in found.values() for one in many} if any(len(many) > 1 for many in found.values()) else ()
        rows = await reading.snapshots(self._store, keys, deadline) if keys else {}

        def rank(ref: str, one: stored.Mirror) -> tuple[bool, bool, tuple[int, str]]:
            id, row = json.loads(one.body)["id"], rows.get(one.snapshot)
            return one.subject_id == id, id == mirror_ids(ref)[0], (0, "") if row is None else recency(row.generated_at, row.body_sha256)

        return {ref: _mirror(max(many, key=lambda one: rank(ref, one))) for ref, many in found.items()}


def _latest(id: str, many: list[stored.Mirrored]) -> MirroredNode:
    """Of the graph with the latest activity; of two there that share the name, the one that a request for it means (M21)."""
    graph = min((GraphInfo(one.graph) for one in many), key=lambda one: (-one.last_event, one.id))
    refs = sorted(one.ref for one in many if one.graph.id == graph.id)
    return MirroredNode(graph, find_session(id.removeprefix(SESSION), refs) or refs[0])


def _mirror(one: stored.Mirror) -> MirrorNode:
    return MirrorNode(one.snapshot, one.body)
