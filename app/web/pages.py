"""The list of graphs with what needs a person, and one graph's tree, as pages of HTML. They ask through the GraphQL API alone (O39)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from html import escape
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from app.services.bundle import Services
from app.services.viewer import Viewer
from app.web.attention import Concern, concerns
from app.web.html import STATUS, page, problem_page
from app.web.questions import GRAPHS, TREE, age, node_kind, node_name, node_remarks

Ask: TypeAlias = Callable[[Viewer, str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Runs a GraphQL document for a viewer and gives the answer's body: `data`, and `errors` if there are any."""

_PAGE = 1_000
_DEEPEST = 8
_CONCERNS = 100
LOOKED_SECONDS = 3.0
"""So long are graphs looked through for what needs a person before the page is shown without the rest."""

_FIRST_QUERY = (
    "query Tree($id: ID!) { graph(id: $id) { asOfEventId roots { nodes { id title state children { nodes { id title state } } } } } }"
)


_SCRUBBER = (
    '<p id="scrubber" hidden><button data-step="-1" title="One event back">◀</button>'
    '<input type="range" min="1" value="1" aria-label="Moment"><button data-step="1" title="One event on">▶</button>'
    "<button data-live>Live</button> <output></output></p>"
)
"""Shown by its script, once that knows what there is to choose from."""


class Pages:
    """`/`, `/watch`, `/l/<log id>`, and the icon that browsers ask for by themselves."""

    def __init__(self, services: Services, ask: Ask) -> None:
        self._services = services
        self._ask = ask

    def routes(self) -> list[Route]:
        """The pages' routes."""
        return [
            Route("/", self.graphs),
            Route("/watch", self.latest),
            Route("/l/{log_id:str}", self.graph),
            Route("/favicon.ico", no_icon),
        ]

    async def graphs(self, request: Request) -> Response:
        """Every graph that the viewer may read, latest activity first, below what needs a person in them."""
        asked = await self._asked(request, "graphs", GRAPHS, {"first": _PAGE})
        if isinstance(asked, Response):
            return asked
        now = self._services.clock()
        wanting = await self._wanting(request) if asked["graphs"]["nodes"] else ""
        rows = "".join(_graph_row(graph, now) for graph in asked["graphs"]["nodes"])
        empty = '<p class="quiet">No graphs yet: <code>agw import</code> reads event files, <code>agw demo</code> shows a fleet.</p>'
        table = f"<table><tr><th>Graph</th><th>Events</th><th>Last event</th></tr>{rows}</table>" if rows else empty
        links = (
            '<p><a href="/watch">Latest activity</a> · <a href="/graphql">GraphiQL</a> · <a href="/docs/reference">API reference</a></p>'
        )
        return page("Graphs", f"{wanting}<h1>Graphs</h1>{table}{links}", signed_in=True)

    async def latest(self, request: Request) -> Response:
        """The graph with the latest activity: where a producer sends people to (I4)."""
        asked = await self._asked(request, "latest", GRAPHS, {"first": 1})
        if isinstance(asked, Response):
            return asked
        found = asked["graphs"]["nodes"]
        target = f"/l/{found[0]['id'].removeprefix('gph_')}" if found else "/"
        return RedirectResponse(target, 303, headers={"Cache-Control": "no-store"})

    async def graph(self, request: Request) -> Response:
        """One graph's tree, now or with `?as_of=` an event id or Unix milliseconds."""
        as_of = request.query_params.get("as_of")
        moment = None if not as_of else {"time": int(as_of)} if re.fullmatch(r"\d{1,15}", as_of, re.ASCII) else {"event": as_of}
        asked = await self._asked(request, "graph", TREE, {"id": request.path_params["log_id"], "asOf": moment, "first": _PAGE})
        if isinstance(asked, Response):
            return asked
        graph = asked["graph"]
        return page(graph["title"] or graph["id"], _graph_body(graph), signed_in=True, script="/static/tree.js")

    async def _wanting(self, request: Request) -> str:
        """What needs a person (O36), as far as it is found soon."""
        viewer = request.state.viewer

        async def ask(query: str, variables: dict[str, Any]) -> dict[str, Any]:
            answer = await self._ask(viewer, query, variables)
            if answer.get("errors"):
                raise _NotToldError(answer["errors"][0]["message"])
            found: dict[str, Any] = answer["data"]
            return found

        shown: list[Concern] = []
        rest = ""
        try:
            async with asyncio.timeout(LOOKED_SECONDS):
                async for found in concerns(ask, (), self._services.clock()):
                    shown += found
        except TimeoutError:
            rest = "Looking through all graphs takes longer than a page may: <code>agw attention</code> tells the rest."
        except _NotToldError as error:
            rest = escape(str(error))
        if len(shown) > _CONCERNS:
            rest = f"And {len(shown) - _CONCERNS:,} more: <code>agw attention</code> tells them all."
        items = "".join(f"<li>{_concern(concern)}</li>" for concern in shown[:_CONCERNS])
        more = f'<p class="quiet">{rest}</p>' if rest else ""
        return f'<h1>Needs you</h1><ul class="wanting">{items}</ul>{more}' if items or more else ""

    async def _asked(self, request: Request, name: str, query: str, variables: dict[str, Any]) -> dict[str, Any] | Response:
        log = request.state.log
        log.update(door="pages", operation=name)
        viewer = await self._services.access.viewer(request.headers.get("authorization"), request.headers.get("cookie"))
        if viewer is None:
            target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/login?next={quote(target, safe='/')}", 303)
        log["key"] = viewer.key_id or viewer.login_id
        request.state.viewer = viewer
        answer = await self._ask(viewer, query, variables)
        if answer.get("errors"):
            error = answer["errors"][0]
            return problem_page(error["message"], STATUS.get(error.get("extensions", {}).get("code"), 500), signed_in=True)
        found: dict[str, Any] = answer["data"]
        return found


class _NotToldError(Exception):
    """The GraphQL API answered with an error."""


async def no_icon(request: Request) -> Response:
    """There is none, and a browser need not ask again today."""
    request.state.log.update(door="pages", operation="icon")
    return Response(status_code=204, headers={"Cache-Control": "public, max-age=86400"})


def _graph_row(graph: dict[str, Any], now: int) -> str:
    log_id = graph["id"].removeprefix("gph_")
    name = escape(graph["title"] or graph["id"])
    live = " · live" if graph["live"] else ""
    return (
        f'<tr><td><a href="/l/{escape(log_id)}">{name}</a></td><td>{graph["retention"]["eventCount"]}</td>'
        f"<td>{age(now - graph['lastEvent'])} ago{live}</td></tr>"
    )


def _concern(concern: Concern) -> str:
    names = " → ".join(map(escape, concern.names))
    what = f": {escape(concern.what)}" if concern.what else ""
    more = f" and {concern.more:,} more" if concern.more else ""
    where = f'<a href="/l/{escape(concern.graph.removeprefix("gph_"))}">{escape(concern.title or concern.graph)}</a>'
    return f'{names} <span class="{concern.kind}">{concern.said}</span>{what}{more} <span class="quiet">{where}</span>'


def _graph_body(graph: dict[str, Any]) -> str:
    counts = graph["counts"]
    query = urlencode({"query": _FIRST_QUERY, "variables": f'{{"id":"{graph["id"]}"}}'})
    nodes = graph["nodes"]
    more = '<p class="quiet">More nodes follow: GraphiQL pages through them.</p>' if nodes["pageInfo"]["hasNextPage"] else ""
    tree = "".join(_node_row(node) for node in nodes["nodes"])
    return (
        f"<h1>{escape(graph['title'] or graph['id'])}</h1>{_SCRUBBER}"
        f'<section id="graph" data-graph="{escape(graph["id"])}" data-event="{escape(graph["asOfEventId"] or "")}">'
        f'<p class="quiet">{counts["sessions"]} sessions, {counts["agents"]} agents, {counts["blocked"]} blocked, {counts["stale"]} stale; '
        f'as of <code>{escape(graph["asOfEventId"] or "no event")}</code>. <a href="/graphql?{escape(query)}">Ask in GraphiQL</a></p>'
        f'<ol class="tree">{tree}</ol>{more}</section>'
    )


def _node_row(node: dict[str, Any]) -> str:
    state = node["state"].lower()
    remarks = "".join(f' <span class="blocked">{escape(remark)}</span>' for remark in node_remarks(node))
    headline = f' <span class="quiet">{escape(node["headline"])}</span>' if node["headline"] else ""
    return (
        f'<li class="d{min(node["depth"], _DEEPEST)}"><span class="state {state}">{escape(state.replace("_", " "))}</span> '
        f'{escape(node_name(node))} <span class="quiet">{escape(node_kind(node))}</span>{remarks}{headline}</li>'
    )
