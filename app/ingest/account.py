"""The tool's account calls and its echo (I23, I28)."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from app.ingest.asking import digits, login_of
from app.ingest.bodies import Bodies
from app.ingest.plain import UNSTORED, plain
from app.services.bundle import Services
from app.store.deadline import Deadline

_MOST_BYTES = 4_096
_SECONDS = 10.0


class AccountCalls:
    """`/api/cli/account`, `/api/cli/token`, `/api/cli/logout`, `/api/ping`."""

    def __init__(self, services: Services, bodies: Bodies) -> None:
        self._services = services
        self._bodies = bodies

    def routes(self) -> list[Route]:
        """The routes, each for its method alone."""
        return [
            Route("/api/cli/account", plain(self.account), methods=["GET"]),
            Route("/api/cli/token", plain(self.token), methods=["POST"]),
            Route("/api/cli/logout", plain(self.logout), methods=["POST"]),
            Route("/api/ping", plain(self.ping), methods=["GET"]),
        ]

    async def account(self, request: Request) -> Response:
        """Whose login this is. The account's name stands for an address."""
        viewer = await login_of(self._services, request, Deadline.after(_SECONDS))
        return _json({"email": viewer.account, "canShare": viewer.graph_ids is None})

    async def token(self, request: Request) -> Response:
        """A login for the code that the browser brought back, to whoever began it (I23)."""
        deadline = Deadline.after(_SECONDS)
        async with self._bodies.of(request, "", deadline, most=_MOST_BYTES) as body:
            try:
                said = orjson.loads(body)
            except orjson.JSONDecodeError:
                said = None
        code, verifier = (said.get(name) for name in ("code", "verifier")) if isinstance(said, dict) else (None, None)
        if not isinstance(code, str) or not isinstance(verifier, str):
            raise HTTPException(400, "code and verifier are texts.")
        token = await self._services.logins.redeem_for_tool(code, verifier, deadline)
        viewer = await self._services.access.tool(f"Bearer {token}", deadline)
        return _json({"token": token, "email": None if viewer is None else viewer.account})

    async def logout(self, request: Request) -> Response:
        """Ends the login that the browser handed over; a key stays, and is revoked where it was made."""
        deadline = Deadline.after(_SECONDS)
        await self._services.logins.end_tool(await login_of(self._services, request, deadline), deadline)
        return Response(status_code=204, headers=UNSTORED)

    async def ping(self, request: Request) -> Response:
        """The number, back."""
        return PlainTextResponse(str(digits(request, "n")), headers=UNSTORED)


def _json(value: dict[str, Any]) -> Response:
    return Response(orjson.dumps(value), 200, UNSTORED, "application/json")
