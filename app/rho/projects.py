"""`GET /v1/projects/{projectId}/graph`: what was uploaded for a project (G54)."""

from __future__ import annotations

import re

import orjson
from starlette.responses import Response
from starlette.routing import BaseRoute

from app.domain.rho.timestamps import from_ms
from app.domain.rho.vocabulary import ARRAYS
from app.rho.asking import Call, route
from app.rho.problems import JSON, UNSTORED, Failure
from app.services.bundle import Services
from app.services.rho.projects import RhoProjects
from app.services.rho.upload_request import named_project, named_session

SCHEMA = "rho-local.graph/v1"
"""Not a graph that could be uploaded again: what is in it is cut (G43)."""

MOST, USUAL = 250, 100


class Projects:
    """Reads uploads back."""

    def __init__(self, services: Services, projects: RhoProjects) -> None:
        self._services = services
        self._projects = projects

    def route(self) -> BaseRoute:
        """Its address."""
        return route(self._services, "GET", "/v1/projects/{project:path}/graph", "project graph", self.graph)

    async def graph(self, call: Call) -> Response:
        """The facts of a project's uploads, or of those of one session: the newest uploads first, so many of each type."""
        project = named_project(call.request.path_params["project"])
        session = named_session(call.query("sessionId"))
        limit = _limit(call.query("limit"))
        found = await self._projects.facts(call.viewer, project, session, limit, call.deadline)
        graph = {"schema_version": SCHEMA, "generated_at": from_ms(self._services.clock()), "scope": {"project_id": project}}
        facts = b",".join(b'"%s":[%s]' % (name.encode(), ",".join(found[name]).encode()) for name in ARRAYS)
        head, rest = orjson.dumps(graph)[:-1], orjson.dumps({"limits": {"perFactType": limit}, "pagination": {"next_cursor": None}})[1:]
        return Response(b'{"graph":' + head + b"," + facts + b"}," + rest, 200, UNSTORED, JSON)


def _limit(text: str | None) -> int:
    if text is None:
        return USUAL
    if re.fullmatch(r"[0-9]{1,9}", text) is None or not int(text):
        raise Failure(400, "invalid_limit", "limit is a positive integer.")
    return min(int(text), MOST)
