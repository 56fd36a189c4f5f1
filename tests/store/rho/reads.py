"""Every way to read Rho graphs."""

from __future__ import annotations

from app.services.rho.rho import Rho
from app.services.viewer import Viewer
from tests.domain.rho.envelopes import node
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
