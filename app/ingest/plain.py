"""Answers of the compatible door: plain text with a status, as the public tool reads them (I2, I21)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from app.domain.problems import (
    BadUserInput,
    ChunkRefused,
    Forbidden,
    NotFound,
    Problem,
    ShareGone,
    TooFar,
    Unauthenticated,
    WriteTokenWrong,
)

UNSTORED: Final = {"Cache-Control": "no-store"}

_STATUS: Final[dict[type[Problem], int]] = {
    BadUserInput: 400,
    Unauthenticated: 401,
    WriteTokenWrong: 401,
    Forbidden: 401,
    NotFound: 404,
    ChunkRefused: 409,
    ShareGone: 410,
    TooFar: 413,
}
"""All others are 503: a producer takes any other 4xx as the end of its share, and after a 5xx repeats the same bytes (I21, I30)."""

Handler = Callable[[Request], Awaitable[Response]]


def plain(handler: Handler) -> Handler:
    """`handler` with its problems told as text."""

    async def answered(request: Request) -> Response:
        request.state.log.update(door="ingest", operation=handler.__name__)
        try:
            return await handler(request)
        except HTTPException as error:
            return PlainTextResponse(f"{error.detail}\n", error.status_code, {**UNSTORED, **(error.headers or {})})
        except Problem as problem:
            status = next((found for kind, found in _STATUS.items() if isinstance(problem, kind)), 503)
            more = {"Retry-After": "1"} if status == 503 else {}
            return PlainTextResponse(f"{problem.message}\n", status, {**UNSTORED, **more})

    return answered
