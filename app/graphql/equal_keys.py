"""Equal keys in one object (G14): the quick reader of requests keeps the last, and a Rho document would be stored without the others."""

from __future__ import annotations

import asyncio
import re

from app.domain.rho.json_text import read_json
from app.domain.rho.problems import Refused
from app.graphql.requests import BadRequest
from app.graphql.running import Asked

_TAKE_DOCUMENTS = re.compile(r"\brho(?:Import|Sync|Validate)\b")


async def check_keys(asked: Asked, text: bytes | str) -> None:
    """Refuses a request for Rho documents whose JSON has a key twice in one object. `text`: what its variables were read from.

    Raises: BadRequest.
    """
    if asked.variables and _TAKE_DOCUMENTS.search(asked.query):
        try:
            await asyncio.to_thread(read_json, text)
        except Refused:
            raise BadRequest(400, "The JSON is nested too deeply, or has a key twice in one object.") from None
