"""What the door sends: a status, headers as the wire has them, a body."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Receive, Scope, Send

Headers: TypeAlias = list[tuple[bytes, bytes]]
"""Names in lower case, and values."""

JSON: Final = (b"content-type", b"application/json; charset=utf-8")
NO_STORE: Final = (b"cache-control", b"no-store")
VARY: Final = (b"vary", b"Authorization")

_COMPRESSED_FROM: Final = 1_000
_NO_GZIP: Final = re.compile(rb"gzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)", re.IGNORECASE)
_LEVEL: Final = 4


class Reply:
    """An answer, an ASGI application of its own. `body` None: there is none, and no length of one (304)."""

    __slots__ = ("_body", "_headers", "_status")

    def __init__(self, status: int, headers: Sequence[tuple[bytes, bytes]] = (), body: bytes | None = b"") -> None:
        self._status = status
        self._headers = [*headers] if body is None else [*headers, (b"content-length", b"%d" % len(body))]
        self._body = body or b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends it, compressed where that is wanted and worth it."""
        if len(self._body) < _COMPRESSED_FROM:
            await self._send(scope, receive, send)
        else:
            if any(name == b"accept-encoding" and _NO_GZIP.search(value) for name, value in scope["headers"]):
                scope = {**scope, "headers": ()}  # the middleware looks for the word alone
            await GZipMiddleware(self._send, _COMPRESSED_FROM, _LEVEL)(scope, receive, send)

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self._status, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._body})


def encoded(headers: dict[str, str]) -> Headers:
    """Headers as the wire has them."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
