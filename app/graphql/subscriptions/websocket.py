"""Operations over WebSocket (Q22, Q28, Q36, Q39): the protocol `graphql-transport-ws`."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from typing import Any

import orjson
from graphql import OperationType
from starlette.websockets import WebSocket, WebSocketDisconnect

from app.domain.problems import Problem
from app.graphql.documents import Refused
from app.graphql.equal_keys import check_keys
from app.graphql.errors import error_body, internal_body, problem_body
from app.graphql.limits import most_body_bytes
from app.graphql.requests import BadRequest, Requests
from app.graphql.running import Operations
from app.graphql.subscriptions.stream import Ended
from app.services.bundle import Services
from app.services.following import SlowConsumer
from app.services.listeners import TooManySubscriptions
from app.services.origin import same_origin
from app.services.viewer import Viewer
from app.settings import Settings

PROTOCOL = "graphql-transport-ws"

INIT_SECONDS = 10.0
"""A connection that has not said by then who it is, is closed."""

_CLOSE_SECONDS = 2.0


class _Closed(Exception):  # noqa: N818 - how a connection ends
    """The connection is to be closed, with a code and a reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Sockets:
    """The WebSocket door."""

    def __init__(self, services: Services, settings: Settings, operations: Operations, requests: Requests) -> None:
        self._given = services, settings, operations, requests

    async def answer(self, websocket: WebSocket) -> None:
        """One connection, from start to end."""
        websocket.state.log["door"] = "graphql"
        if PROTOCOL not in websocket.scope["subprotocols"]:
            await websocket.accept()
            await websocket.close(4406, "Subprotocol not acceptable")
            return
        await websocket.accept(PROTOCOL)
        await _Connection(websocket, *self._given).run()


class _Connection:
    """One caller's connection, and the operations on it."""

    def __init__(self, websocket: WebSocket, services: Services, settings: Settings, operations: Operations, requests: Requests) -> None:
        self._socket = websocket
        self._services = services
        self._settings = settings
        self._operations = operations
        self._requests = requests
        self._running: dict[str, asyncio.Task[None]] = {}
        self._viewer: Viewer | None = None
        self._begun = asyncio.Event()
        self._asked_for = False
        self._ponged = asyncio.Event()
        self._revoked = asyncio.Event()

    async def run(self) -> None:
        """Serves until either side ends it; then everything that it held is freed."""
        with ExitStack() as held:
            work = [asyncio.create_task(part) for part in (self._listen(held), self._wait_for_init(), self._ping(), self._watch_key())]
            try:
                done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (*work, *self._running.values()):
                    task.cancel()
                results = await asyncio.gather(*work, *self._running.values(), return_exceptions=True)
                self._running.clear()  # a cancelled task leads back to here: together they would wait for the garbage collector
            closed = next((result for result in results if isinstance(result, _Closed)), None)
            if closed is not None:
                await self._close(closed)
            for task in done:
                if not task.cancelled() and not isinstance(task.exception(), _Closed | None):
                    await self._close(_Closed(1011, "Something went wrong here"))
                    task.result()

    # ---- what goes on beside each other ----

    async def _listen(self, held: ExitStack) -> None:
        while True:
            received = await self._received()
            if received is None:
                return
            message, text = received
            match message.get("type"):
                case "connection_init":
                    await self._begin(message.get("payload"), held)
                case "ping":
                    await self._send({"type": "pong"})
                case "pong":
                    self._ponged.set()
                case "subscribe":
                    await self._subscribe(message.get("id"), message.get("payload"), text)
                case "complete":
                    running = self._running.pop(str(message.get("id")), None)
                    if running is not None:
                        running.cancel()
                case _:
                    raise _Closed(4400, "This is no message of the protocol")

    async def _wait_for_init(self) -> None:
        try:
            async with asyncio.timeout(INIT_SECONDS):
                await self._begun.wait()
        except TimeoutError:
            raise _Closed(4408, "Connection initialisation timeout") from None
        await asyncio.Event().wait()

    async def _ping(self) -> None:
        await self._begun.wait()
        while True:
            await asyncio.sleep(self._settings.ping_every)
            self._ponged.clear()
            try:
                async with asyncio.timeout(self._settings.ping_every):
                    await self._send({"type": "ping"})
                    await self._ponged.wait()
            except TimeoutError:
                raise _Closed(1011, "A ping was not answered") from None

    async def _watch_key(self) -> None:
        await self._begun.wait()
        await self._revoked.wait()
        raise _Closed(4403, "Forbidden")

    # ---- messages ----

    async def _received(self) -> tuple[dict[str, Any], str] | None:
        """The next message, and its text; None where the caller has gone. Raises: _Closed, where it cannot be read."""
        received = await self._socket.receive()
        if received["type"] == "websocket.disconnect":
            return None
        text = received.get("text")
        most = self._settings.body_bytes if self._viewer is None else most_body_bytes(self._settings, self._viewer)
        if text is None:
            raise _Closed(4400, "Messages are texts")
        if len(text) > most or len(text.encode()) > most:
            raise _Closed(1009, f"A message has at most {most:,} bytes")
        try:
            found = orjson.loads(text)
        except orjson.JSONDecodeError:
            found = None
        if not isinstance(found, dict):
            raise _Closed(4400, "Messages are JSON objects")
        return found, text

    async def _begin(self, payload: Any, held: ExitStack) -> None:
        if self._asked_for:
            raise _Closed(4429, "Too many initialisation requests")
        self._asked_for = True
        headers = self._socket.headers
        given = payload.get("Authorization", payload.get("authorization")) if isinstance(payload, dict) else None
        cookie = headers.get("cookie") if same_origin(headers, self._settings.public_url) else None
        credentials = (given if isinstance(given, str) else headers.get("authorization")), cookie
        try:
            self._viewer = await self._services.access.viewer(*credentials)
        except Problem as problem:
            raise _Closed(1013, problem.message[:100]) from problem
        if self._viewer is None:
            raise _Closed(4403, "Forbidden")
        self._socket.state.log["key"] = self._viewer.key_id or self._viewer.login_id
        self._revoked = held.enter_context(self._services.live.listeners.good(credentials))
        await self._send({"type": "connection_ack"})
        self._begun.set()

    async def _subscribe(self, name: Any, payload: Any, text: str) -> None:
        if self._viewer is None:
            raise _Closed(4401, "Unauthorized")
        if not isinstance(name, str) or not name or not isinstance(payload, dict):
            raise _Closed(4400, "An operation has an id and a payload")
        if name in self._running:
            raise _Closed(4409, f"Subscriber for {name[:50]} already exists")
        rate = self._services.rates.take(self._viewer.bucket)
        if rate is not None and rate.retry_after:
            refusal = error_body("RATE_LIMITED", "Too many requests with this key. Try again shortly.", retryAfter=rate.retry_after)
            await self._error(name, [refusal])
        elif len(self._running) >= self._settings.connection_subscriptions:
            await self._error(name, [problem_body(TooManySubscriptions(len(self._running), "on this connection"))])
        else:
            self._running[name] = asyncio.create_task(self._operate(name, payload, text, self._viewer))

    async def _operate(self, name: str, payload: dict[str, Any], text: str, viewer: Viewer) -> None:
        errors: list[dict[str, Any]] | None = None
        request_id = self._socket.state.request_id
        try:
            await self._answers(name, payload, text, viewer, request_id)
        except BadRequest as refused:
            errors = [error_body("BAD_REQUEST", refused.message)]
        except (Refused, Ended) as ended:
            errors = ended.errors
        except Problem as problem:
            errors = [problem_body(problem)]
        except WebSocketDisconnect:
            return
        except Exception:  # noqa: BLE001 - the field's own faults were logged where they came up
            errors = [internal_body(request_id)]
        if self._running.get(name) is asyncio.current_task():
            del self._running[name]
        with suppress(WebSocketDisconnect):
            await (self._send({"type": "complete", "id": name}) if errors is None else self._error(name, errors))

    async def _answers(self, name: str, payload: dict[str, Any], text: str, viewer: Viewer, request_id: str) -> None:
        asked = self._requests.asked(payload)
        await check_keys(asked, text)
        document = self._operations.document(asked.query)
        self._requests.keep(asked)
        operation = document.operation(asked.operation_name)
        if operation is None or operation.operation is not OperationType.SUBSCRIPTION:
            body = await self._operations.run(viewer, document, asked, request_id)
            await self._send({"type": "next", "id": name, "payload": body})
            return
        with self._services.live.listeners.one_more(viewer.bucket):
            async with self._operations.subscribe(viewer, document, asked, request_id) as answers:
                async for told in answers:
                    try:
                        async with asyncio.timeout(self._settings.slow_consumer_after):
                            await self._send({"type": "next", "id": name, "payload": told.body})
                    except TimeoutError:
                        raise SlowConsumer(told.resume) from None

    async def _error(self, name: str, errors: list[dict[str, Any]]) -> None:
        await self._send({"type": "error", "id": name, "payload": errors})

    async def _send(self, message: dict[str, Any]) -> None:
        """Waits until the caller can take it. Raises: WebSocketDisconnect."""
        try:
            await self._socket.send({"type": "websocket.send", "text": orjson.dumps(message).decode()})
        except RuntimeError:  # it has been closed
            raise WebSocketDisconnect(1006) from None

    async def _close(self, closed: _Closed) -> None:
        with suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                await self._socket.close(closed.code, closed.reason)
