"""`GET /v1/sessions/{id}/graph`: a session as a Rho graph, as it is now (G81-G89)."""

from __future__ import annotations

import structlog
from starlette.responses import Response
from starlette.routing import BaseRoute

from app.domain.rho.names import is_name, is_repository
from app.domain.rho.texts import trimmed
from app.rho.asking import Call, route
from app.rho.problems import JSON, UNSTORED, Failure
from app.services.bundle import Services
from app.services.rho.session_graphs import SessionGraphs
from app.services.rho.sessions import ProjectionError

_log = structlog.get_logger("rho")


class Sessions:
    """Gives sessions as graphs. Nothing is stored (G88)."""

    def __init__(self, services: Services, sessions: SessionGraphs) -> None:
        self._services = services
        self._sessions = sessions

    def route(self) -> BaseRoute:
        """Its address."""
        return route(self._services, "GET", "/v1/sessions/{id:path}/graph", "session graph", self.graph)

    async def graph(self, call: Call) -> Response:
        """The envelope (G86)."""
        name = session_id(call.request.path_params["id"])
        if name is None:
            raise Failure(400, "missing_id", "Name a session.")
        scope = repository(call.query("repository"))
        return Response(await envelope_of(self._sessions, call, name, scope, upload=False), 200, UNSTORED, JSON)


async def envelope_of(sessions: SessionGraphs, call: Call, name: str | None, scope: str | None, *, upload: bool) -> str:
    """The canonical text of a session's graph. Raises: Failure where it cannot be made; NotFound."""
    try:
        return await sessions.envelope(call.viewer, name, scope, call.deadline, upload=upload)
    except ProjectionError as error:
        _log.exception("session_not_projected")
        raise Failure(500, "graph_projection_failed", "The session could not be made a graph. The log has more.") from error


def session_id(text: str) -> str | None:
    """A session's name in a request; None where nothing is left of it (G83). Raises: Failure."""
    name = trimmed(text)
    if name and not is_name(name):
        raise Failure(400, "invalid_id", "A session's id has 1 to 128 letters, digits or ._- and is not . or ..")
    return name or None


def repository(text: str | None) -> str | None:
    """A repository's name in a request; None where there is none (G84, G85). Raises: Failure."""
    name = trimmed(text or "")
    if not is_repository(name):
        raise Failure(400, "invalid_repository", "A repository's name has at most 256 bytes and no control characters.")
    return name or None
