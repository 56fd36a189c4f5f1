"""What an upload asks for (G47, G48)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from app.domain.rho.json_text import read_json
from app.domain.rho.problems import Refused
from app.domain.rho.texts import trimmed
from app.domain.rho.vocabulary import MOST_BYTES

_FIELDS = frozenset({"syncId", "projectId", "sessionId", "graph"})
_LETTERS = re.compile(r"[A-Za-z0-9._:-]+")
_MOST_SYNC_ID = 256
_MOST_NAME = 128


@dataclass(frozen=True)
class UploadRequest:
    """An upload whose own fields are right. `graph` has not been looked at."""

    sync_id: str
    project_id: str
    session_id: str | None
    graph: Any


def read_upload(body: bytes) -> UploadRequest:
    """The upload in a request's body.

    Raises: Refused: too large (G44), not JSON, not an object, a field is wrong (G48). The graph is not validated yet.
    """
    if len(body) > MOST_BYTES:
        raise Refused("body_too_large")
    document = read_json(body)
    if not isinstance(document, dict):
        raise Refused("not_object", "")
    extra = document.keys() - _FIELDS
    if extra:
        raise Refused("unknown_field", min(extra))
    return upload_of(document.get("syncId"), document.get("projectId"), document.get("sessionId"), document.get("graph"))


def upload_of(sync_id: Any, project_id: Any, session_id: Any, graph: Any) -> UploadRequest:
    """The upload with these fields, as they were sent. Raises: Refused."""
    return UploadRequest(
        _named(trimmed(sync_id) if isinstance(sync_id, str) else None, _MOST_SYNC_ID, "invalid_sync_id", "syncId"),
        named_project(project_id),
        named_session(session_id),
        _graph(graph),
    )


def project_of(project_id: str | None) -> str | None:
    """A project that an import names; empty is none. Raises: Refused."""
    return named_project(project_id) if project_id else None


def named_project(project_id: Any) -> str:
    """A project's id, as it was sent (G48). Raises: Refused."""
    return _named(project_id, _MOST_NAME, "invalid_project_id", "projectId")


def named_session(session_id: Any) -> str | None:
    """The id of the session that an upload is about; empty is none (G48). Raises: Refused."""
    return None if session_id in (None, "") else _named(session_id, _MOST_NAME, "invalid_session_id", "sessionId")


def _named(value: Any, most: int, otherwise: str, field: str) -> str:
    if not isinstance(value, str) or len(value) > most or _LETTERS.fullmatch(value) is None:
        raise Refused(otherwise, field)
    return value


def _graph(value: Any) -> Any:
    if value is None:
        raise Refused("missing_graph", "graph")
    return value
