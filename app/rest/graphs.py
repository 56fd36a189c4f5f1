"""listGraphs and retrieveGraph (R36-R39)."""

from __future__ import annotations

from app.domain.filters import GraphFilter
from app.domain.problems import NotFound
from app.rest.call import Answer, Call, Plan
from app.rest.expanding import envelope
from app.rest.shown import Shown, shown_graph
from app.rest.urls import list_url
from app.services.bundle import Services
from app.services.graph_at import GraphAt
from app.services.graph_info import GraphInfo
from app.services.slices import slice_of
from app.services.undisturbed import undisturbed
from app.services.viewer import Viewer
from app.store.deadline import Deadline


async def list_graphs(call: Call, services: Services, viewer: Viewer, deadline: Deadline) -> Answer:
    """The live shares that the key may read, each at its own latest event."""
    wanted = GraphFilter(last_event=call.asked.get("last_event"))
    found = [info for info in await services.graphs.list(viewer, deadline) if _is_listed(info, wanted)]
    page = slice_of(found, call.cursors, lambda info: info.id)
    data = []
    for info in page.rows:
        try:
            data.append(await _newest(call, services, viewer, info.id, deadline))
        except NotFound:  # deleted meanwhile
            continue
    return Answer(envelope(list_url(call.path, call.asked.pairs), None, page.has_more, data))


async def _newest(call: Call, services: Services, viewer: Viewer, graph_id: str, deadline: Deadline) -> Shown:
    """One of them now. Each is a reading of its own: what came late to one graph is no reason to begin with all again."""

    async def shown() -> Shown:
        return await shown_graph(await services.graphs.at(viewer, graph_id, None, deadline), call.origin)

    return await undisturbed(shown)


def retrieve_graph(call: Call) -> Plan:
    """A graph; `counts` at the point asked for."""

    async def read(at: GraphAt) -> Answer:
        return Answer(await shown_graph(at, call.origin), at.moment.fixed)

    return Plan(read, held=True)


def _is_listed(info: GraphInfo, wanted: GraphFilter) -> bool:
    return info.source == "watch" and (wanted.last_event is None or wanted.last_event.holds(info.last_event))
