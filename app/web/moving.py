"""HTTP for whoever moves graphs, beside the public doors, with the scope `admin` (O14): what `agw export` and `agw import --all` speak."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from app.domain.card import Card
from app.domain.problems import BadUserInput, Unauthenticated
from app.services.bundle import Services
from app.services.moving import Export
from app.services.viewer import Viewer
from app.store.deadline import Deadline

LINES = "application/x-ndjson"
COUNT = "Export-Lines"
"""Header of an export: how many lines it has. A stream with fewer was cut off."""

_UNSTORED = {"Cache-Control": "no-store"}


class Moving:
    """`/api/export` (the graphs there are), `/api/export/{graph}` (one graph's lines), `/api/import/{graph}` (making it, adding to it)."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def routes(self) -> list[Route]:
        """The routes, each for its method alone."""
        return [
            Route("/api/export", self.cards, methods=["GET"]),
            Route("/api/export/{graph}", self.export, methods=["GET"]),
            Route("/api/import/{graph}", self.restore, methods=["PUT"]),
            Route("/api/import/{graph}", self.take_in, methods=["POST"]),
        ]

    async def cards(self, request: Request) -> Response:
        """Every graph that the key may take away."""
        viewer, deadline = await self._asked(request, "cards")
        found = await self._services.moving.cards(viewer, deadline)
        return _json({"graphs": found})

    async def export(self, request: Request) -> Response:
        """A graph as JSON Lines: the keyframe of its base, if it has one, and its held events, oldest first (O7)."""
        viewer, deadline = await self._asked(request, "export")
        export = await self._services.moving.export(viewer, request.path_params["graph"], deadline)
        return StreamingResponse(_streamed(export), media_type=LINES, headers={COUNT: str(export.lines), **_UNSTORED})

    async def restore(self, request: Request) -> Response:
        """Makes the graph of a card, if it is not there."""
        viewer, deadline = await self._asked(request, "restore")
        viewer.require("admin")
        try:
            card = msgspec.json.decode(await self._body(request), type=Card)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadUserInput("graph", f"This is no graph's card: {error}.") from None
        if card.id != request.path_params["graph"]:
            raise BadUserInput("id", "The card is of another graph than the address.")
        await self._services.moving.restore(viewer, card, deadline)
        return _json(card)

    async def take_in(self, request: Request) -> Response:
        """Lines of an export, whole or not at all; ids that are held already count as duplicates."""
        viewer, deadline = await self._asked(request, "take in")
        viewer.require("admin")
        lines = (await self._body(request)).split(b"\n")
        taken = await self._services.moving.take_in(viewer, request.path_params["graph"], lines, deadline)
        return _json({"accepted": taken.accepted, "duplicates": taken.duplicates, "invalid": len(taken.invalid)})

    async def _asked(self, request: Request, operation: str) -> tuple[Viewer, Deadline]:
        """Who asks, by a key alone: a page's login takes nothing away. Raises: Unauthenticated."""
        log = request.state.log
        log.update(door="moving", operation=operation)
        viewer = await self._services.access.viewer(request.headers.get("authorization"))
        if viewer is None:
            raise Unauthenticated
        log["key"] = viewer.key_id
        return viewer, Deadline.after(self._services.settings.write_deadline)

    async def _body(self, request: Request) -> bytes:
        most = self._services.settings.write_body_bytes
        pieces: list[bytes] = []
        size = 0
        try:
            async for piece in request.stream():
                size += len(piece)
                if size > most:
                    raise HTTPException(413, f"The body has more than {most:,} bytes.")  # the server reads on
                pieces.append(piece)
        except ClientDisconnect:
            raise HTTPException(400, "The body ended early.") from None
        return b"".join(pieces)


async def _streamed(export: Export) -> AsyncIterator[bytes]:
    """An export that is overtaken ends with a broken connection: nobody takes it for a whole one."""
    async for page in export.pages:
        yield b"".join(line + b"\n" for line in page)


def _json(value: Any) -> Response:
    return JSONResponse(msgspec.to_builtins(value), headers=_UNSTORED)
