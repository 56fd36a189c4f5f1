"""Failures and their bodies: `error` for people, `code` for programs (G53, G87)."""

from __future__ import annotations

from typing import Any, Final

import orjson
from starlette.responses import Response

from app.domain.problems import DeadlineExceeded, Forbidden, NotFound, Problem, StoreUnavailable
from app.domain.rho.problems import Refused
from app.services.rho.importing import SyncIdConflict
from app.services.rho.reading import IntegrityError

JSON: Final = "application/json"
UNSTORED: Final = {"Cache-Control": "no-store"}

_CONFLICTS = ("project_scope_mismatch", "sync_id_conflict")
_TOO_LARGE = "body_too_large"
_RETRY = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "2"}, 503: {"Retry-After": "1"}}


class Failure(Exception):  # noqa: N818 - an answer, not a fault of ours
    """An answer that is an error. `details`: where in a document, if that can be said."""

    def __init__(self, status: int, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = {name: value for name, value in details.items() if value is not None}

    def answer(self) -> Response:
        """As HTTP (G53, G87)."""
        body: dict[str, Any] = {"error": self.message, "code": self.code}
        if self.details:
            body["details"] = self.details
        return json_answer(body, self.status, _RETRY.get(self.status, {}))


def failure(problem: Problem) -> Failure:
    """The answer for a problem."""
    match problem:
        case Refused() | SyncIdConflict():
            kind = str(problem.extra["kind"])
            status = 409 if kind in _CONFLICTS else 413 if kind == _TOO_LARGE else 400
            return Failure(status, kind, problem.message, path=problem.extra.get("path"))
        case NotFound():
            return Failure(404, "not_found", problem.message)
        case Forbidden():
            return Failure(403, "forbidden", problem.message)
        case StoreUnavailable() | DeadlineExceeded():
            return Failure(503, "graph_unavailable", problem.message)
        case IntegrityError():
            return Failure(500, "integrity_error", problem.message)
        case _:
            return surprise()


def surprise() -> Failure:
    """The answer to what nobody foresaw."""
    return Failure(500, "internal", "Something went wrong here. The log has more under this Request-Id.")


def json_answer(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer that nobody keeps."""
    return Response(orjson.dumps(body), status, {**UNSTORED, **(headers or {})}, JSON)
