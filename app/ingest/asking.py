"""What the compatible calls say of themselves: who asks, and their numbers."""

from __future__ import annotations

import re

from starlette.exceptions import HTTPException
from starlette.requests import Request

from app.domain.problems import Unauthenticated
from app.services.bundle import Services
from app.services.viewer import Viewer
from app.store.deadline import Deadline


def bearer(request: Request) -> str | None:
    """The token of `Authorization: Bearer`."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def digits(request: Request, name: str) -> int:
    """A parameter of 1 to 15 digits (I5, I19). Raises: HTTPException 400."""
    text = request.query_params.get(name, "")
    if re.fullmatch(r"[0-9]{1,15}", text) is None:
        raise HTTPException(400, f"{name} is 1 to 15 digits.")
    return int(text)


async def login_of(services: Services, request: Request, deadline: Deadline) -> Viewer:
    """Who a login token stands for: a key that may write, or a login that the browser handed over (I3, I23). Raises: Unauthenticated."""
    viewer = await services.access.tool(request.headers.get("authorization"), deadline)
    if viewer is None:
        raise Unauthenticated("This is no login: set AGENT_GRAPH_TOKEN to a key with the scope write, or log in again.")
    request.state.log["key"] = viewer.key_id or viewer.login_id
    if not viewer.may("write"):
        raise Unauthenticated("This login may not write: it needs a key with the scope write.")
    return viewer


def credential(viewer: Viewer) -> str:
    """What a caller came in with: the id of a key or a login."""
    return viewer.key_id or viewer.login_id or ""
