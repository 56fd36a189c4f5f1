"""`POST /v1/graph/sync`: uploads (G47-G53)."""

from __future__ import annotations

import asyncio

from starlette.responses import Response
from starlette.routing import BaseRoute

from app.rho.asking import Call, route
from app.rho.problems import json_answer
from app.services.bundle import Services
from app.services.rho.access import require_write
from app.services.rho.upload_request import read_upload


class Uploads:
    """Takes uploads in."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def route(self) -> BaseRoute:
        """Its address."""
        return route(self._services, "POST", "/v1/graph/sync", "sync", self.sync)

    async def sync(self, call: Call) -> Response:
        """Takes an upload in: 202 the first time, 200 when it was accepted before (G50)."""
        require_write(call.viewer)
        upload = await asyncio.to_thread(read_upload, await call.body())
        done = await self._services.rho.imports.sync(call.viewer, upload, call.deadline)
        facts = {"facts": done.facts} if done.facts else {}
        return json_answer({"accepted": True, "duplicate": done.duplicate, "graphDigest": done.digest, **facts}, done.status)
