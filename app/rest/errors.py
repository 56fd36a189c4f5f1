"""The catalogue of errors (R5) and their bodies (R4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from app.domain.problems import (
    DeadlineExceeded,
    Forbidden,
    NodeNotYetCreated,
    NoSuchEvent,
    NoSuchNode,
    NotFound,
    OutsideRetentionWindow,
    Problem,
    SearchQueryInvalid,
    StoreUnavailable,
)
from app.services.slices import CursorOutside, WrongCursor


class Kind(NamedTuple):
    """What a code goes with."""

    status: int
    type: str


_INVALID: Final = "invalid_request_error"

CATALOGUE: Final[Mapping[str, Kind]] = {
    "parameter_unknown": Kind(400, _INVALID),
    "parameter_invalid": Kind(400, _INVALID),
    "parameter_missing": Kind(400, _INVALID),
    "version_invalid": Kind(400, _INVALID),
    "expand_invalid": Kind(400, _INVALID),
    "expand_too_deep": Kind(400, _INVALID),
    "expand_not_allowed": Kind(400, _INVALID),
    "search_query_invalid": Kind(400, _INVALID),
    "api_key_missing": Kind(401, "authentication_error"),
    "api_key_invalid": Kind(401, "authentication_error"),
    "api_key_restricted": Kind(403, "permission_error"),
    "resource_missing": Kind(404, _INVALID),
    "node_not_yet_created": Kind(404, _INVALID),
    "outside_retention_window": Kind(410, _INVALID),
    "rate_limit": Kind(429, "rate_limit_error"),
    "api_error": Kind(500, "api_error"),
}
"""Status and type of each code; there are no others (R5)."""


class Refused(Exception):  # noqa: N818 - an answer, not a fault of ours
    """An answer that is an error of the catalogue. `status` is the code's own but where the store is gone (O30)."""

    def __init__(self, code: str, message: str, param: str | None = None, status: int | None = None, **extra: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.param = param
        self.status = CATALOGUE[code].status if status is None else status
        self.extra = extra

    def body(self, doc_url: str) -> dict[str, Any]:
        """The answer's body (R4)."""
        told = {"type": CATALOGUE[self.code].type, "code": self.code, "message": self.message, "param": self.param, "doc_url": doc_url}
        return {"error": told | self.extra}


def refusal(problem: Problem, named: str = "as_of") -> Refused:
    """The answer for a problem. `named` is the parameter that named an event or a moment."""
    message = problem.message
    match problem:
        case WrongCursor() | CursorOutside():
            named = "starting_after" if problem.after else "ending_before"
            if isinstance(problem, WrongCursor):
                return Refused("parameter_invalid", message, named)
            return Refused("outside_retention_window", message, named, **_ends(problem))
        case OutsideRetentionWindow():
            return Refused("outside_retention_window", message, named, **_ends(problem))
        case NodeNotYetCreated():
            return Refused("node_not_yet_created", message, "as_of", **_ends(problem))
        case SearchQueryInvalid():
            return Refused("search_query_invalid", message, "query")
        case NoSuchEvent():
            return Refused("resource_missing", message, named)
        case NoSuchNode():
            return Refused("resource_missing", message, "node_id")
        case NotFound():
            return Refused("resource_missing", message, "graph_id")
        case Forbidden():
            return Refused("api_key_restricted", message)
        case StoreUnavailable() | DeadlineExceeded():
            return Refused("api_error", message, status=503)
        case _:
            return surprise()


def surprise() -> Refused:
    """The answer to what nobody foresaw (R6)."""
    return Refused("api_error", "Something went wrong here. The log has more under this Request-Id.")


@contextmanager
def naming(param: str) -> Iterator[None]:
    """Problems with an event inside are told of as of this parameter's."""
    try:
        yield
    except (NoSuchEvent, OutsideRetentionWindow) as problem:
        raise refusal(problem, param) from problem


def _ends(problem: Problem) -> dict[str, Any]:
    names = {"firstEventId": "first_event_id", "lastEventId": "last_event_id"}
    return {names[name]: value for name, value in problem.extra.items() if name in names}
