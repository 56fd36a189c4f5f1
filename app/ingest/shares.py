"""The calls of live shares (I2, I28)."""

from __future__ import annotations

from typing import Any, Final

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.domain.ids import GRAPH_PREFIX
from app.domain.problems import Forbidden
from app.ingest.asking import bearer, credential, digits, login_of
from app.ingest.bodies import Bodies
from app.ingest.plain import UNSTORED, plain
from app.services.bundle import Services
from app.services.shares import share_of
from app.services.viewer import Viewer
from app.store.deadline import Deadline

WRITE_TOKEN: Final = "X-Agent-Graph-Write-Token"  # noqa: S105 - a header's name
SOURCE: Final = "X-Agent-Graph-Source"

_MOST_CHECK_IN = 256 * 1024
_MOST_SESSIONS = 100_000
_HOST_CHARACTERS = 100
_SOURCES = ("watch", "upload")
"""Any other is `paste` (I4)."""

_PAID = {"accountStatus": "active", "freeUntil": None}


class ShareCalls:
    """`/api/logs` and what is below it."""

    def __init__(self, services: Services, bodies: Bodies) -> None:
        self._services = services
        self._shares = services.shares
        self._bodies = bodies

    def routes(self) -> list[Route]:
        """The routes, each for POST alone."""
        return [
            Route("/api/logs", plain(self.create), methods=["POST"]),
            *(
                Route(f"/api/logs/{{log_id}}/{handler.__name__}", plain(handler), methods=["POST"])
                for handler in (self.append, self.trim, self.alive, self.watch)
            ),
        ]

    async def create(self, request: Request) -> Response:
        """A new share with its first chunk (I4)."""
        deadline = self._deadline()
        viewer = await self._viewer(request, deadline)
        source = request.headers.get(SOURCE, "")
        async with self._bodies.of(request, credential(viewer), deadline) as chunk:
            share = await self._shares.create(viewer, source if source in _SOURCES else "paste", chunk, deadline)
        log_id = share.graph_id.removeprefix(GRAPH_PREFIX)
        return _json({"id": log_id, "url": self._url(request), "writeToken": share.write_token, **_PAID}, 201)

    async def append(self, request: Request) -> Response:
        """A chunk at its offset (I5)."""
        deadline = self._deadline()
        graph_id = await self._written(request, deadline)
        offset = digits(request, "offset")
        await self._shares.reachable(graph_id, offset, deadline)
        async with self._bodies.of(request, graph_id, deadline) as chunk:
            await self._shares.append(graph_id, offset, chunk, deadline)
        return _done()

    async def trim(self, request: Request) -> Response:
        """Leave to forget what begins before an offset (I19, I32)."""
        deadline = self._deadline()
        graph_id = await self._written(request, deadline)
        await self._shares.trim(graph_id, digits(request, "before"), deadline)
        return _done()

    async def alive(self, request: Request) -> Response:
        """The producer's check-in (I18). Its summaries are not kept."""
        deadline = self._deadline()
        graph_id = await self._written(request, deadline)
        async with self._bodies.of(request, graph_id, deadline, most=_MOST_CHECK_IN) as body:
            said = _object(body)
        sessions, host = said.get("sessions"), said.get("host")
        if type(sessions) is not int or not 0 <= sessions <= _MOST_SESSIONS:
            raise HTTPException(400, f"sessions is a whole number from 0 to {_MOST_SESSIONS:,}.")
        await self._shares.check_in(graph_id, sessions, host[:_HOST_CHARACTERS] if isinstance(host, str) else None, deadline)
        return _done()

    async def watch(self, request: Request) -> Response:
        """The account goes on with a share of its own (I20)."""
        deadline = self._deadline()
        viewer = await self._viewer(request, deadline)
        graph_id = _graph_of(request)
        await self._shares.check(graph_id, request.headers.get(WRITE_TOKEN), deadline)
        await self._shares.claim(viewer, graph_id, deadline)
        return _json({"url": self._url(request), **_PAID})

    async def _viewer(self, request: Request, deadline: Deadline) -> Viewer:
        viewer = await login_of(self._services, request, deadline)
        if viewer.graph_ids is not None:
            raise Forbidden("A key for certain graphs cannot make shares: make one with the scope write and no --graph.")
        return viewer

    async def _written(self, request: Request, deadline: Deadline) -> str:
        """The graph of a share whose write token was sent. Raises: HTTPException 404, WriteTokenWrong."""
        graph_id = _graph_of(request)
        await self._shares.check(graph_id, bearer(request), deadline)
        return graph_id

    def _url(self, request: Request) -> str:
        base = self._services.settings.public_url or str(request.base_url)
        return f"{base.rstrip('/')}/watch"

    def _deadline(self) -> Deadline:
        return Deadline.after(self._services.settings.write_deadline)


def _graph_of(request: Request) -> str:
    graph_id = share_of(request.path_params["log_id"])
    if graph_id is None:
        raise HTTPException(404, "There is no such share.")
    request.state.log["graph"] = graph_id
    return graph_id


def _object(body: bytes) -> dict[str, Any]:
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError:
        said = None
    if not isinstance(said, dict):
        raise HTTPException(400, "The body is a JSON object.")
    return said


def _json(value: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, UNSTORED, "application/json")


def _done() -> Response:
    return Response(status_code=204, headers=UNSTORED)
