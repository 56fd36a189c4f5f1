"""JSON Lines into a graph, from whoever has a key that may write (I35)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.domain.ids import graph_id
from app.domain.problems import BadUserInput, NotFound, Unauthenticated
from app.ingest.asking import credential
from app.ingest.bodies import Bodies
from app.services.bundle import Services
from app.store.deadline import Deadline

_MOST_TOLD = 1_000
"""Lines that could not be read and are named one by one; the rest are counted."""


class Direct:
    """`POST /api/ingest/{graph}`. The event id is the idempotency key: any batch can be sent again."""

    def __init__(self, services: Services, bodies: Bodies) -> None:
        self._services = services
        self._bodies = bodies

    def routes(self) -> list[Route]:
        """The one route."""
        return [Route("/api/ingest/{graph}", self.take, methods=["POST"])]

    async def take(self, request: Request) -> Response:
        """Takes a body of lines in: all that are new, or none."""
        log = request.state.log
        log.update(door="ingest", operation="take")
        deadline = Deadline.after(self._services.settings.write_deadline)
        viewer = await self._services.access.viewer(request.headers.get("authorization"), deadline=deadline)
        if viewer is None:
            raise Unauthenticated
        log["key"] = viewer.key_id
        viewer.require("write")
        restart = request.query_params.get("restart")
        if restart not in (None, "allow"):
            raise BadUserInput("restart", "restart is allow, or left out.")
        if restart:
            viewer.require("admin")
        graph = graph_id(request.path_params["graph"])
        if graph is None:
            raise NotFound("No such graph.")
        try:
            async with self._bodies.of(request, credential(viewer), deadline, packed=True) as body:
                taken = await self._services.appends.append(viewer, graph, body.split(b"\n"), deadline, restart=restart is not None)
        except HTTPException as refused:
            return _json({"error": refused.detail}, refused.status_code, refused.headers)
        invalid = [{"line": each.index + 1, "reason": each.reason} for each in taken.invalid[:_MOST_TOLD]]
        told = {"accepted": taken.accepted, "duplicates": taken.duplicates, "invalid": invalid}
        if len(taken.invalid) > _MOST_TOLD:
            told["more_invalid"] = len(taken.invalid) - _MOST_TOLD
        return _json(told)


def _json(value: dict[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(orjson.dumps(value), status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")
