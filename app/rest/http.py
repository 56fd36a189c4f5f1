"""REST over HTTP: the order of work, headers, caching (R1-R3, R29-R31)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

import orjson
import structlog
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from app.domain.problems import Problem
from app.rest.answers import Answers, Made, made
from app.rest.call import Call, Plan
from app.rest.errors import Refused, refusal, surprise
from app.rest.events import list_events, retrieve_event
from app.rest.grammar import pairs_of, read
from app.rest.graphs import list_graphs, retrieve_graph
from app.rest.nodes import list_nodes, retrieve_node, search_nodes
from app.rest.operations import operation_at
from app.rest.urls import BASE
from app.services.access import credential
from app.services.bundle import Services
from app.services.etags import is_known
from app.services.rates import Rate
from app.services.viewer import CONTRACT_VERSION, Viewer
from app.services.wanted import GONE, CallerGone, while_wanted
from app.store.deadline import Deadline
from app.store.reading import Overtaken

JSON: Final = "application/json; charset=utf-8"
VERSIONS: Final = frozenset((CONTRACT_VERSION,))
"""Every version that there ever was (R11)."""

TRIES: Final = 3
"""So often is a request begun again when history was changed under it."""

_COMPRESSED_FROM: Final = 1_000
_LEVEL: Final = 4

_PLANS: Final[Mapping[str, Callable[[Call], Plan]]] = {
    "retrieveGraph": retrieve_graph,
    "listNodes": list_nodes,
    "searchNodes": search_nodes,
    "retrieveNode": retrieve_node,
    "listEvents": list_events,
    "retrieveEvent": retrieve_event,
}

_log = structlog.get_logger("rest")


def rest_routes(services: Services) -> list[BaseRoute]:
    """The routes of `/api/v1`."""
    door = Door(services)
    packed = [Middleware(GZipMiddleware, minimum_size=_COMPRESSED_FROM, compresslevel=_LEVEL)]
    return [Route(path, door, middleware=packed) for path in (BASE, f"{BASE}/{{path:path}}")]


class Door:
    """The REST door: an ASGI application, so that every method comes here."""

    def __init__(self, services: Services) -> None:
        self._services = services
        settings = services.settings
        self._answers = Answers(settings.answer_cache_bytes)
        self._origin = (settings.public_url or f"http://{settings.host}:{settings.port}").rstrip("/")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        request = Request(scope, receive)
        turn = _Turn(self._services, self._answers, self._origin, request)
        try:
            async with while_wanted(receive):
                answer = await turn.answer()
        except CallerGone:
            answer = Response(status_code=GONE)
        await answer(scope, receive, send)


class _Turn:
    """One request on its way through the steps of R2: what is known so far goes into the headers of whatever the answer is."""

    def __init__(self, services: Services, answers: Answers, origin: str, request: Request) -> None:
        self._services = services
        self._answers = answers
        self._origin = origin
        self._request = request
        self._log: dict[str, Any] = getattr(request.state, "log", {})
        self._log["door"] = "rest"
        self._version = CONTRACT_VERSION
        self._rate: Rate | None = None

    async def answer(self) -> Response:
        if self._request.method != "GET":
            return Response(status_code=405, headers={"Allow": "GET", "Cache-Control": "no-store"})
        try:
            viewer = await self._viewer()
            return self._found(viewer, await self._answered(viewer))
        except Refused as refused:
            return self._refused(refused)
        except Problem as problem:
            return self._refused(refusal(problem))
        except Exception:  # noqa: BLE001 - R6: told as a 500 of the catalogue, and logged
            _log.exception("failed", id=self._log.get("id"))
            return self._refused(surprise())

    async def _viewer(self) -> Viewer:
        """Steps 2 to 5."""
        authorization = self._request.headers.get("authorization")
        if authorization is None or not credential(authorization):
            raise Refused("api_key_missing", "An API key is needed: send it as Authorization: Bearer <key>.")
        viewer = await self._services.access.viewer(authorization)
        if viewer is None:
            raise Refused("api_key_invalid", "This API key is not on record: it is wrong, was revoked or has expired.")
        self._log["key"] = viewer.key_id
        self._version = viewer.version
        version = self._request.headers.get("agent-graph-version")
        if version is not None:
            if version not in VERSIONS:
                raise Refused("version_invalid", f"There is no such version of the API; the newest is {CONTRACT_VERSION}.")
            self._version = version
        self._rate = self._services.rates.take(viewer.bucket)
        if self._rate is not None and self._rate.retry_after:
            raise Refused("rate_limit", f"Too many requests with this key: wait {self._rate.retry_after} s.")
        return viewer

    async def _answered(self, viewer: Viewer) -> Made:
        """Step 6."""
        found = operation_at(self._request.scope["path"].removeprefix(BASE))
        if found is None:
            raise Refused("resource_missing", "There is nothing at this address.", "url")
        operation, named = found
        self._log["operation"] = operation.name
        query = self._request.scope["query_string"].decode("latin-1")
        deadline = Deadline.after(self._services.settings.deadline)
        call = Call(self._services, viewer, operation, named, read(pairs_of(query), operation.parameters), deadline, self._origin)
        if operation.name not in _PLANS:
            return made(await list_graphs(call))
        plan = _PLANS[operation.name](call)
        for _ in range(TRIES - 1):
            with suppress(Overtaken):
                return await self._answers.of(call, plan, query)
        return await self._answers.of(call, plan, query)

    def _found(self, viewer: Viewer, answer: Made) -> Response:
        """Step 7."""
        tag = answer.tag
        cached = "private, max-age=31536000, immutable" if answer.fixed else "private, no-cache"
        headers = {"ETag": tag, "Cache-Control": cached, "Vary": "Authorization"}
        if is_known(tag, ",".join(self._request.headers.getlist("if-none-match"))):
            self._rate = self._services.rates.give_back(viewer.bucket)
            return Response(status_code=304, headers=headers | self._rates())
        return Response(answer.body, 200, headers | self._rates() | {"Agent-Graph-Version": self._version}, JSON)

    def _refused(self, refused: Refused) -> Response:
        headers = self._rates() | {"Agent-Graph-Version": self._version, "Cache-Control": "no-store", "Vary": "Authorization"}
        if refused.status == 503:
            headers["Retry-After"] = "1"
        if refused.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        return Response(orjson.dumps(refused.body(f"{self._origin}/docs/reference#errors")), refused.status, headers, JSON)

    def _rates(self) -> dict[str, str]:
        return {} if self._rate is None else self._rate.headers
