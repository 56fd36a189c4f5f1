"""What a form of ours sends."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs

from starlette.requests import Request

FORM: Final = "application/x-www-form-urlencoded"
MOST_BYTES: Final = 4_096


async def fields(request: Request) -> dict[str, str] | None:
    """The fields of a form, the first of each name; None if it is none, or too large."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            return None
    return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True).items()}
