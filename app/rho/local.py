"""What commands need of a gateway beside Rho's own addresses (O13, O14): importing a local graph, and a session's graph for an upload."""

from __future__ import annotations

from starlette.responses import Response
from starlette.routing import BaseRoute

from app.rho.asking import Call, route
from app.rho.problems import JSON, UNSTORED, json_answer
from app.rho.sessions import envelope_of, repository, session_id
from app.services.bundle import Services
from app.services.rho.access import require_write
from app.services.rho.session_graphs import SessionGraphs


class Local:
    """`/api/rho/import` and `/api/rho/session`."""

    def __init__(self, services: Services, sessions: SessionGraphs) -> None:
        self._services = services
        self._sessions = sessions

    def routes(self) -> list[BaseRoute]:
        """Their addresses."""
        return [
            route(self._services, "POST", "/api/rho/import", "import", self.take_in),
            route(self._services, "GET", "/api/rho/session", "session for upload", self.session),
        ]

    async def take_in(self, call: Call) -> Response:
        """Keeps a local envelope as it is (M6), in the project that `project` names."""
        require_write(call.viewer)
        body = await call.body()
        done = await self._services.rho.imports.import_envelope(call.viewer, body, call.query("project"), call.deadline)
        return json_answer(done.told())

    async def session(self, call: Call) -> Response:
        """The graph of a session, the latest one if `id` names none; `upload` set: as of its own last event (G46, M24)."""
        name, scope = session_id(call.query("id") or ""), repository(call.query("repository"))
        return Response(await envelope_of(self._sessions, call, name, scope, upload=bool(call.query("upload"))), 200, UNSTORED, JSON)
