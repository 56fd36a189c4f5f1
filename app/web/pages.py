"""The list of graphs and one graph's tree, as pages of plain HTML. They ask through the GraphQL API alone (O39)."""

from __future__ import annotations

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
from app.web.html import STATUS, page, problem_page
from app.web.questions import GRAPHS, TREE, age, node_kind, node_name, node_remarks

Ask: TypeAlias = Callable[[Viewer, str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Runs a GraphQL document for a viewer and gives the answer's body: `data`, and `errors` if there are any."""

_PAGE = 1_000
_DEEPEST = 8
_FIRST_QUERY = (
    "query Tree($id: ID!) { graph(id: $id) { asOfEventId roots { nodes { id title state children { nodes { id title state } } } } } }"
)


class Pages:
    """`/`, `/l/<log id>`, and the icon that browsers ask for by themselves."""

    def __init__(self, services: Services, ask: Ask) -> None:
        self._services = services
        self._ask = ask

    def routes(self) -> list[Route]:
        """The pages' routes."""
        return [Route("/", self.graphs), Route("/l/{log_id:str}", self.graph), Route("/favicon.ico", no_icon)]

    async def graphs(self, request: Request) -> Response:
        """Every graph that the viewer may read, latest activity first."""
        asked = await self._asked(request, "graphs", GRAPHS, {"first": _PAGE})
        if isinstance(asked, Response):
            return asked
        now = self._services.clock()
        rows = "".join(_graph_row(graph, now) for graph in asked["graphs"]["nodes"])
        empty = '<p class="quiet">No graphs yet: <code>agw import</code> reads event files, <code>agw demo</code> shows a fleet.</p>'
        table = f"<table><tr><th>Graph</th><th>Events</th><th>Last event</th></tr>{rows}</table>" if rows else empty
        return page("Graphs", f'<h1>Graphs</h1>{table}<p><a href="/graphql">GraphiQL</a></p>', signed_in=True)

    async def graph(self, request: Request) -> Response:
        """One graph's tree, now or with `?as_of=` an event id or Unix milliseconds."""
        as_of = request.query_params.get("as_of")
        moment = None if not as_of else {"time": int(as_of)} if re.fullmatch(r"\d{1,15}", as_of, re.ASCII) else {"event": as_of}
        asked = await self._asked(request, "graph", TREE, {"id": request.path_params["log_id"], "asOf": moment, "first": _PAGE})
        if isinstance(asked, Response):
            return asked
        graph = asked["graph"]
        return page(graph["title"] or graph["id"], _graph_body(graph), signed_in=True)

    async def _asked(self, request: Request, name: str, query: str, variables: dict[str, Any]) -> dict[str, Any] | Response:
        log = request.state.log
        log.update(door="pages", operation=name)
        viewer = await self._services.access.viewer(request.headers.get("authorization"), request.headers.get("cookie"))
        if viewer is None:
            target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/login?next={quote(target, safe='/')}", 303)
        log["key"] = viewer.key_id or viewer.login_id
        answer = await self._ask(viewer, query, variables)
        if answer.get("errors"):
            error = answer["errors"][0]
            return problem_page(error["message"], STATUS.get(error.get("extensions", {}).get("code"), 500), signed_in=True)
        found: dict[str, Any] = answer["data"]
        return found


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


def _graph_body(graph: dict[str, Any]) -> str:
    counts = graph["counts"]
    query = urlencode({"query": _FIRST_QUERY, "variables": f'{{"id":"{graph["id"]}"}}'})
    nodes = graph["nodes"]
    more = '<p class="quiet">More nodes follow: GraphiQL pages through them.</p>' if nodes["pageInfo"]["hasNextPage"] else ""
    tree = "".join(_node_row(node) for node in nodes["nodes"])
    return (
        f"<h1>{escape(graph['title'] or graph['id'])}</h1>"
        f'<p class="quiet">{counts["sessions"]} sessions, {counts["agents"]} agents, {counts["blocked"]} blocked, {counts["stale"]} stale; '
        f'as of <code>{escape(graph["asOfEventId"] or "no event")}</code>. <a href="/graphql?{escape(query)}">Ask in GraphiQL</a></p>'
        f'<ol class="tree">{tree}</ol>{more}'
    )


def _node_row(node: dict[str, Any]) -> str:
    state = node["state"].lower()
    remarks = "".join(f' <span class="blocked">{escape(remark)}</span>' for remark in node_remarks(node))
    headline = f' <span class="quiet">{escape(node["headline"])}</span>' if node["headline"] else ""
    return (
        f'<li class="d{min(node["depth"], _DEEPEST)}"><span class="state {state}">{escape(state.replace("_", " "))}</span> '
        f'{escape(node_name(node))} <span class="quiet">{escape(node_kind(node))}</span>{remarks}{headline}</li>'
    )
