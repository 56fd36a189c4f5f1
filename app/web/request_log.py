"""What every HTTP answer of every door has: a Request-Id, and one log line without content (O28)."""

from __future__ import annotations

import secrets
from time import perf_counter
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.store.tally import tallied

_log = structlog.get_logger("request")

_FAILED = b'{"error":"Something went wrong here. The log has more under this Request-Id."}'


class RequestLog:
    """Innermost knows most: doors find `request.state.request_id`, and add what the line should tell to the dict `request.state.log`.

    Its members: `door`, `operation` (a name of ours, never a caller's text) and `key` (a record id). Status, time, and what was asked of
    the store (`statements`, `rows`) are added here. Paths and queries are left out: they may hold a login code or what an agent wrote.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._logger: tuple[Any, ...] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        request_id = new_request_id()
        told: dict[str, Any] = {"id": request_id}
        state = scope.setdefault("state", {})
        state["request_id"] = request_id
        state["log"] = told
        status = 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"request-id", request_id.encode())]
            await send(message)

        try:
            with tallied() as tally:
                await self._app(scope, receive, sending)
        except Exception:
            _log.exception("failed", **told)
            if scope["type"] == "websocket" or status:
                raise
            await sending({"type": "http.response.start", "status": 500, "headers": [(b"content-type", b"application/json")]})
            await send({"type": "http.response.body", "body": _FAILED})
        finally:
            told["status"] = status
            told["ms"] = round((perf_counter() - started) * 1000, 1)
            told["statements"], told["rows"] = tally.statements, tally.rows
            log = self._bound()
            if told.get("door") == "health":
                log.debug("request", **told)
            else:
                log.info("request", **told)

    def _bound(self) -> Any:
        """The logger, made anew only where logging was set up in another way: making one takes longer than leaving a line out."""
        config = structlog.get_config()
        set_up = config["processors"], config["wrapper_class"], config["logger_factory"]
        if not self._logger or any(ours is not theirs for ours, theirs in zip(self._logger, set_up, strict=False)):
            self._logger = (*set_up, _log.bind())
        return self._logger[-1]


def new_request_id() -> str:
    """`req_` and 12 random bytes as base64url (R3)."""
    return "req_" + secrets.token_urlsafe(12)
