"""Requests of the Rho door: one method, a key, the rate limit, a bounded body, in that order (G47, G81, G82)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from app.domain.problems import DeadlineExceeded, Problem
from app.domain.rho.vocabulary import MOST_BYTES
from app.rho.problems import Failure, failure, surprise
from app.services.bundle import Services
from app.services.viewer import Viewer
from app.store.deadline import Deadline

_READ_ON = 4 * MOST_BYTES
"""Bytes beyond the most that are read and forgotten, so that whoever sends too much still hears so."""

_log = structlog.get_logger("rho")


@dataclass(frozen=True, slots=True)
class Call:
    """A request that has passed: who asks, and by when it must be done."""

    request: Request
    viewer: Viewer
    deadline: Deadline

    def query(self, name: str) -> str | None:
        """A parameter's first value (G84); None where it is not given."""
        values = self.request.query_params.getlist(name)
        return values[0] if values else None

    async def body(self) -> bytes:
        """The body. Raises: Failure 413 (G44), 400 where it ends early."""
        body, came = bytearray(), 0
        try:
            async with asyncio.timeout(self.deadline.remaining()):
                async for piece in self.request.stream():
                    came += len(piece)
                    if came > MOST_BYTES + _READ_ON:
                        break
                    if len(body) <= MOST_BYTES:
                        body += piece
        except ClientDisconnect:
            raise Failure(400, "invalid_json", "The body ended early.") from None
        except TimeoutError:
            raise DeadlineExceeded("The body took too long to come.") from None
        if came > MOST_BYTES:
            raise Failure(413, "body_too_large", f"The body has more than {MOST_BYTES:,} bytes.")
        return bytes(body)


Work = Callable[[Call], Awaitable[Response]]


class Endpoint:
    """One address: an ASGI application, so that every method comes here."""

    def __init__(self, services: Services, method: str, operation: str, work: Work) -> None:
        self._services = services
        self._method = method
        self._operation = operation
        self._work = work

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        request = Request(scope, receive)
        answer = await self._answer(request)
        await answer(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        log: dict[str, Any] = getattr(request.state, "log", {})
        log.update(door="rho", operation=self._operation)
        if request.method != self._method:
            answer = Failure(405, "method_not_allowed", f"Ask with {self._method}.").answer()
            answer.headers["Allow"] = self._method
            return answer
        try:
            return await self._work(await self._call(request, log))
        except Failure as refused:
            return refused.answer()
        except Problem as problem:
            return failure(problem).answer()
        except Exception:  # noqa: BLE001 - told as a 500, and logged
            _log.exception("failed", id=log.get("id"))
            return surprise().answer()

    async def _call(self, request: Request, log: dict[str, Any]) -> Call:
        settings = self._services.settings
        deadline = Deadline.after(settings.deadline if self._method == "GET" else settings.write_deadline)
        viewer = await self._services.access.viewer(_authorization(request), deadline=deadline)
        if viewer is None:
            raise Failure(401, "unauthorized", "unauthorized")
        log["key"] = viewer.key_id
        rate = self._services.rates.take(viewer.bucket)
        if rate is not None and rate.retry_after:
            raise Failure(429, "rate_limited", "Too many requests with this key.")
        return Call(request, viewer, deadline)


def route(services: Services, method: str, path: str, operation: str, work: Work) -> Route:
    """The route of an address. `operation`: its name in logs."""
    return Route(path, Endpoint(services, method, operation, work))


def _authorization(request: Request) -> str | None:
    """The key of `Authorization: Bearer`, else that of `X-API-Key` (G81)."""
    given = request.headers.get("authorization")
    if given is not None and given.split(" ", 1)[0].lower() == "bearer":
        return given
    key = request.headers.get("x-api-key")
    return None if key is None else f"Bearer {key}"
