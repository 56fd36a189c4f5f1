"""Every way to read Rho graphs."""

from __future__ import annotations

from itertools import pairwise

from app.services.rho.rho import Rho
from app.services.rho.upload_request import UploadRequest
from app.services.viewer import Viewer
from tests.domain.rho.envelopes import edge, envelope, event, node
from tests.grown import soon


async def rho_reads(rho: Rho, viewer: Viewer, graph: str, key: str) -> None:
    """Asks for all that can be asked of a graph about the session `h.none` and of one of its snapshots."""
    reading, asked = rho.reading, [(key, "rho/session/h.none"), (key, "rho/task/t")]
    await reading.graphs(viewer, soon())
    await reading.graphs_by_key(viewer, [graph], soon())
    await reading.graph_about(viewer, "session", "h.none", None, soon())
    await reading.snapshots_of(viewer, [graph], soon())
    await reading.snapshot_synced(viewer, "orchard", "sync-1", soon())
    await reading.syncs_of(viewer, "orchard", soon())
    await reading.export(viewer, key, soon())
    await reading.facts_by_id(viewer, "nodes", asked, soon())
    await reading.facts_by_id(viewer, "events", [(key, "v")], soon())
    await reading.events_of(viewer, asked, soon())
    for direction in ("out_of", "into"):
        await reading.related(viewer, asked, direction, ["contains"], soon())  # type: ignore[arg-type]
    await rho.mirrors.agent_graph_nodes(viewer, {fact: node(fact[1]) for fact in asked}, soon())
    await rho.mirrors.rho_nodes(viewer, ["acme:none"], soon())


async def a_graph_of_many_facts(rho: Rho, viewer: Viewer) -> tuple[str, str]:
    """Keys of a graph and of its current snapshot: a session of 150 tasks in a row, uploaded too."""
    ids = ["rho/session/h.none", "rho/task/t", *(f"rho/task/t{number}" for number in range(148))]
    edges = [edge(f"c{id}", "contains", ids[0], id) for id in ids[1:]]
    edges += [edge(f"d{id}", "depends_on", id, before) for before, id in pairwise(ids[1:])]
    document = envelope(*map(node, ids), *edges, event("v", "rho/task/t"), *(event(f"v{id}", id) for id in ids))
    done = await rho.imports.import_envelope(viewer, document, None, soon())
    await rho.imports.sync(viewer, UploadRequest("sync-1", "orchard", None, document), soon())
    return done.graph, done.snapshot.key
