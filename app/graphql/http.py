"""GraphQL over HTTP (Q22, Q29-Q31, Q33, Q34, Q39, Q43): a plain route, since every layer in between costs more than a small query does."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs

import orjson
from graphql import OperationType
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from app.domain.problems import Problem, StoreUnavailable
from app.graphql.caching import cache_control
from app.graphql.documents import Document, Refused
from app.graphql.equal_keys import check_keys
from app.graphql.errors import error_body, problem_body
from app.graphql.graphiql import graphiql_page
from app.graphql.limits import most_body_bytes
from app.graphql.requests import BadRequest, Requests
from app.graphql.running import Asked, Operations
from app.graphql.subscriptions.sse import EventStream, refused_events, wants_events
from app.graphql.subscriptions.websocket import Sockets
from app.services.bundle import Services
from app.services.etags import etag, is_known
from app.services.large_json import load_json
from app.services.listeners import Credentials
from app.services.origin import same_origin
from app.services.viewer import Viewer
from app.services.wanted import GONE, CallerGone, while_wanted
from app.settings import Settings

RESPONSE = "application/graphql-response+json"
JSON = "application/json"
VARY = "Authorization, Cookie, Accept"

_STATUS = {"UNAUTHENTICATED": 401, "FORBIDDEN": 403, "STORE_UNAVAILABLE": 503}


def graphql_routes(services: Services, settings: Settings) -> list[BaseRoute]:
    """The routes of `/graphql`: HTTP and WebSocket."""
    operations, requests = Operations(services, settings), Requests()
    door = Door(services, settings, operations, requests)
    sockets = Sockets(services, settings, operations, requests)
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    return [Route("/graphql", door.answer, methods=methods), WebSocketRoute("/graphql", sockets.answer)]


class Door:
    """The GraphQL door."""

    def __init__(self, services: Services, settings: Settings, operations: Operations, requests: Requests) -> None:
        self._services = services
        self._settings = settings
        self._operations = operations
        self._requests = requests

    async def answer(self, request: Request) -> Response:
        """One request."""
        request_id = _state(request, "request_id", "")
        media = _media(request.headers.get("accept"))
        _state(request, "log", {})["door"] = "graphql"
        try:
            if request.method not in ("GET", "POST"):
                raise BadRequest(405, "Ask by GET or POST.", Allow="GET, POST")
            if request.method == "GET" and self._settings.graphiql and _wants_page(request):
                return graphiql_page()
            return await self._answered(request, media, request_id)
        except CallerGone:
            return Response(status_code=GONE)
        except BadRequest as refused:
            return _refused(refused, media)
        except Problem as problem:
            headers = {"Retry-After": "1"} if isinstance(problem, StoreUnavailable) else {}
            return _reply({"errors": [problem_body(problem)]}, media, _STATUS.get(problem.code, 200), headers)

    async def _answered(self, request: Request, media: str, request_id: str) -> Response:
        viewer = await self._viewer(request)
        log = _state(request, "log", {})
        log["key"] = None if viewer is None else viewer.key_id or viewer.login_id
        if viewer is None:
            body = {"errors": [error_body("UNAUTHENTICATED", "A valid API key is needed: send it as Authorization: Bearer <key>.")]}
            return _reply(body, media, 401, {"WWW-Authenticate": "Bearer"})
        rate = self._services.rates.take(viewer.bucket)
        if rate is not None and rate.retry_after:
            error = error_body("RATE_LIMITED", "Too many requests with this key. Try again shortly.", retryAfter=rate.retry_after)
            return _reply({"errors": [error]}, media, 429, rate.headers)
        try:
            answer = await self._run(request, viewer, media, request_id)
        except (BadRequest, Refused) as refused:
            events = wants_events(request.headers.get("accept"))
            answer = refused_events(refused.errors) if events and isinstance(refused, Refused) else _refused(refused, media)
        if answer.status_code == 304:
            rate = self._services.rates.give_back(viewer.bucket)
        if rate is not None:
            answer.headers.update(rate.headers)
        return answer

    async def _run(self, request: Request, viewer: Viewer, media: str, request_id: str) -> Response:
        log = _state(request, "log", {})
        asked = await self._by_get(request) if request.method == "GET" else await self._by_post(request, viewer)
        document = self._operations.document(asked.query)
        self._requests.keep(asked)
        operation = document.operation(asked.operation_name)
        if operation is not None:
            log["operation"] = operation.operation.value
        if request.method == "GET" and _writes(document, asked):
            raise BadRequest(405, "A mutation is sent by POST.", Allow="POST")
        if wants_events(request.headers.get("accept")):
            return EventStream(self._services, self._operations, viewer, self._credentials(request), document, asked, request_id)
        if operation is not None and operation.operation is OperationType.MUTATION:
            body = await self._operations.run(viewer, document, asked, request_id)  # to its end, wanted or not
        else:
            async with while_wanted(request.receive):
                body = await self._operations.run(viewer, document, asked, request_id)
        if request.method == "GET" and "errors" not in body and operation is not None:
            return _tagged(body, media, cache_control(document, operation, asked.variables), request.headers.get("if-none-match"))
        return _reply(body, media, 503 if _gone(body) else 200, {"Retry-After": "1"} if _gone(body) else {})

    async def _viewer(self, request: Request) -> Viewer | None:
        return await self._services.access.viewer(*self._credentials(request))

    def _credentials(self, request: Request) -> Credentials:
        headers = request.headers
        cookie = headers.get("cookie") if same_origin(headers, self._settings.public_url) else None
        return headers.get("authorization"), cookie

    async def _by_post(self, request: Request, viewer: Viewer) -> Asked:
        kind, _, parameters = request.headers.get("content-type", "").partition(";")
        if kind.strip().lower() not in (JSON, RESPONSE) or not _is_utf8(parameters):
            raise BadRequest(415, "The body is JSON in UTF-8: Content-Type: application/json.")
        try:
            async with asyncio.timeout(self._settings.write_deadline):
                body = await _read(request, most_body_bytes(self._settings, viewer))
        except TimeoutError:
            raise BadRequest(400, "The body took too long to come.", Connection="close") from None
        try:
            members = await load_json(body)
        except orjson.JSONDecodeError:
            raise BadRequest(400, "The body is not JSON.") from None
        if isinstance(members, list):
            raise BadRequest(400, "One operation a request: batches are not taken.")
        if not isinstance(members, dict):
            raise BadRequest(400, "The body is a JSON object with the member query.")
        asked = self._requests.asked(members)
        await check_keys(asked, body)
        return asked

    async def _by_get(self, request: Request) -> Asked:
        parameters = _parameters(request)
        asked = self._requests.asked(_members(parameters))
        await check_keys(asked, parameters.get("variables", ""))
        return asked


def _parameters(request: Request) -> dict[str, str]:
    values = parse_qs(request.scope["query_string"].decode("ascii", "replace"), keep_blank_values=True)
    return {name: found[-1] for name, found in values.items()}


def _members(parameters: dict[str, str]) -> dict[str, Any]:
    members: dict[str, Any] = {**parameters}
    for name in ("variables", "extensions"):
        text = members.get(name)
        if text is not None:
            try:
                members[name] = orjson.loads(text) if text else None
            except orjson.JSONDecodeError:
                raise BadRequest(400, f"The parameter {name} is JSON.") from None
    return members


async def _read(request: Request, most: int) -> bytes:
    """The body, refused before it is read whole if it is too large (Q33)."""
    too_large = BadRequest(413, f"The body has more than {most:,} bytes.")  # the server reads the rest, and forgets it
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise too_large
    pieces, size = [], 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > most:
                raise too_large
            pieces.append(piece)
    except ClientDisconnect:
        raise BadRequest(400, "The body ended early.") from None
    return b"".join(pieces)


def _refused(refused: BadRequest | Refused, media: str) -> Response:
    if isinstance(refused, BadRequest):
        return _reply({"errors": [error_body("BAD_REQUEST", refused.message)]}, media, refused.status, refused.headers)
    return _reply({"errors": refused.errors}, media, 400 if media == RESPONSE else 200)


def _tagged(body: dict[str, Any], media: str, cached: str, known: str | None) -> Response:
    """An answer that may be kept, or a 304 where the caller has it (Q31)."""
    text = orjson.dumps(body)
    tag = etag(text)
    headers = {"Cache-Control": cached, "Vary": VARY, "ETag": tag}
    if is_known(tag, known):
        return Response(None, 304, headers)
    return Response(text, 200, headers, f"{media}; charset=utf-8")


def _reply(body: dict[str, Any], media: str, status: int, headers: dict[str, str] | None = None) -> Response:
    cached = "no-store" if "errors" in body else "private, no-cache"
    return Response(
        orjson.dumps(body),
        status,
        {"Cache-Control": cached, "Vary": VARY, **(headers or {})},
        f"{media}; charset=utf-8",
    )


def _media(accept: str | None) -> str:
    """The media type of the answer: the newer one for whoever names it, before plain JSON."""
    best, found = 0.0, JSON
    for item in (accept or "").split(","):
        kind, *parameters = (part.strip().lower() for part in item.split(";"))
        weight = next((part[2:] for part in parameters if part.startswith("q=")), "1")
        try:
            value = float(weight)
        except ValueError:
            value = 0.0
        if kind in (RESPONSE, JSON) and value > best:
            best, found = value, kind
    return found


def _wants_page(request: Request) -> bool:
    accept = request.headers.get("accept", "")
    return "text/html" in accept and RESPONSE not in accept and JSON not in accept


def _is_utf8(parameters: str) -> bool:
    for parameter in parameters.lower().split(";"):
        name, _, value = parameter.partition("=")
        if name.strip() == "charset" and value.strip().strip('"') not in ("utf-8", "utf8"):
            return False
    return True


def _writes(document: Document, asked: Asked) -> bool:
    operation = document.operation(asked.operation_name)
    return operation is not None and operation.operation is OperationType.MUTATION


def _gone(body: dict[str, Any]) -> bool:
    """Whether the store did not answer before anything was worked out (Q43)."""
    errors, data = body.get("errors"), body.get("data")
    if not errors or any(error["extensions"]["code"] != "STORE_UNAVAILABLE" for error in errors):
        return False
    return data is None or all(value is None for value in data.values())


def _state(request: Request, name: str, default: Any) -> Any:
    return getattr(request.state, name, default)
