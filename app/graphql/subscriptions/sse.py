"""Operations over server-sent events (Q22): GraphQL over SSE, one operation a connection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, suppress
from typing import Any

import orjson
from graphql import OperationType
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from app.domain.problems import Problem, Unauthenticated
from app.graphql.documents import Document, Refused
from app.graphql.errors import problem_body
from app.graphql.running import Asked, Operations
from app.graphql.subscriptions.stream import Ended, Told
from app.services.bundle import Services
from app.services.following import SlowConsumer
from app.services.listeners import Credentials, TooManySubscriptions
from app.services.viewer import Viewer

_LAST_SECONDS = 2.0
"""So long is waited for a caller to take the end of its answers: one that takes nothing holds nothing here for longer (Q28)."""

_HEADERS = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_STILL_HERE = b":\n\n"
_COMPLETE = b"event: complete\ndata:\n\n"


def wants_events(accept: str | None) -> bool:
    """Whether an `Accept` header asks for server-sent events."""
    kinds = [item.split(";") for item in (accept or "").lower().split(",")]
    return any(kind.strip() == "text/event-stream" and not any(each.strip() in ("q=0", "q=0.0") for each in rest) for kind, *rest in kinds)


def refused_events(errors: list[dict[str, Any]]) -> Response:
    """The answer to an operation that is not run."""
    return Response(_event({"errors": errors}, None) + _COMPLETE, 200, _HEADERS)


class EventStream(Response):
    """An operation's answers: an event `next` for each, then one `complete`. It ends with the caller, and with the key."""

    def __init__(
        self, services: Services, operations: Operations, viewer: Viewer, credentials: Credentials, document: Document, asked: Asked,
        request_id: str,
    ) -> None:  # fmt: skip
        super().__init__(status_code=200, headers=_HEADERS)
        self.raw_headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
        self._services = services
        self._operations = operations
        self._viewer = viewer
        self._credentials = credentials
        self._document = document
        self._asked = asked
        self._request_id = request_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers until the operation, the caller or the key ends."""
        resume = dict(scope["headers"]).get(b"last-event-id", b"").decode("latin-1") or None
        listeners = self._services.live.listeners
        with ExitStack() as held:
            try:
                held.enter_context(listeners.one_more(self._viewer.bucket))
            except TooManySubscriptions as problem:
                retry = {"Retry-After": str(problem.extra["retryAfter"])}
                await JSONResponse({"errors": [problem_body(problem)]}, 429, retry)(scope, receive, send)
                return
            revoked = held.enter_context(listeners.good(self._credentials))
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            work = asyncio.create_task(self._work(send, resume))
            others = [asyncio.create_task(_gone(receive)), asyncio.create_task(revoked.wait())]
            try:
                done, _ = await asyncio.wait([work, *others], return_when=asyncio.FIRST_COMPLETED)
                if others[1] in done and work not in done:
                    await _stopped([work])
                    await self._finish(send, [problem_body(Unauthenticated())])
            finally:
                await _stopped([work, *others])
            if work in done:
                work.result()

    async def _work(self, send: Send, resume: str | None) -> None:
        errors = None
        await _send(send, _STILL_HERE)
        try:
            async for body, cursor in self._answers(send, resume):
                await _send(send, _event(body, cursor))
        except (Refused, Ended) as ended:
            errors = ended.errors
        except Problem as problem:
            errors = [problem_body(problem)]
        await self._finish(send, errors)

    async def _answers(self, send: Send, resume: str | None) -> AsyncIterator[tuple[dict[str, Any], str | None]]:
        operation = self._document.operation(self._asked.operation_name)
        if operation is None or operation.operation is not OperationType.SUBSCRIPTION:
            yield await self._operations.run(self._viewer, self._document, self._asked, self._request_id), None
            return
        async with self._operations.subscribe(self._viewer, self._document, self._asked, self._request_id, resume) as answers:
            while True:
                told = await self._next(answers, send, resume)
                if told is None:
                    return
                await self._give(send, _event(told.body, told.cursor), told.resume)
                resume = told.cursor

    async def _next(self, answers: Any, send: Send, resume: str | None) -> Told | None:
        """The next answer; None at the end. While there is none, the connection is kept up."""
        waiting = asyncio.ensure_future(anext(answers, None))
        try:
            while not (await asyncio.wait([waiting], timeout=self._services.settings.ping_every))[0]:
                await self._give(send, _STILL_HERE, resume)
            found: Told | None = waiting.result()
            return found
        finally:
            await _stopped([waiting])

    async def _give(self, send: Send, text: bytes, resume: str | None) -> None:
        """Waits until the caller can take it. Raises: SlowConsumer, with where to go on (Q25)."""
        try:
            async with asyncio.timeout(self._services.settings.slow_consumer_after):
                await _send(send, text)
        except TimeoutError:
            raise SlowConsumer(resume) from None

    async def _finish(self, send: Send, errors: list[dict[str, Any]] | None) -> None:
        last = b"" if errors is None else _event({"errors": errors}, None)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_SECONDS):
                await _send(send, last + _COMPLETE)
                await send({"type": "http.response.body", "body": b"", "more_body": False})


def _event(body: dict[str, Any], cursor: str | None) -> bytes:
    name = b"" if cursor is None else b"id: " + cursor.encode() + b"\n"
    return name + b"event: next\ndata: " + orjson.dumps(body) + b"\n\n"


async def _send(send: Send, text: bytes) -> None:
    await send({"type": "http.response.body", "body": text, "more_body": True})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _stopped(tasks: list[Any]) -> None:
    for task in tasks:
        task.cancel()
    for task in tasks:
        with suppress(asyncio.CancelledError, Exception):
            await task
