"""The catalogue of errors (R5) and their bodies (R4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from app.domain.key_form import without_keys
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
    """What a code goes with, and `when` it is given, as the reference tells it."""

    status: int
    type: str
    when: str


_INVALID: Final = "invalid_request_error"

CATALOGUE: Final[Mapping[str, Kind]] = {
    "parameter_unknown": Kind(400, _INVALID, "The operation does not take this parameter."),
    "parameter_invalid": Kind(
        400,
        _INVALID,
        "A value of the wrong form or out of bounds, one given twice, a cursor of another list, or parameters that do not go together.",
    ),
    "parameter_missing": Kind(400, _INVALID, "A search without its `query`."),
    "version_invalid": Kind(400, _INVALID, "`Agent-Graph-Version` names a version that never was."),
    "expand_invalid": Kind(400, _INVALID, "A path in `expand` that leads to nothing that can be expanded."),
    "expand_too_deep": Kind(400, _INVALID, "A path in `expand` with too many steps."),
    "expand_not_allowed": Kind(400, _INVALID, "A path in `expand` that this operation does not take."),
    "search_query_invalid": Kind(400, _INVALID, "A search that cannot be read; the message says where."),
    "api_key_missing": Kind(401, "authentication_error", "No API key was sent."),
    "api_key_invalid": Kind(401, "authentication_error", "The key is not on record: it is wrong, was revoked or has expired."),
    "api_key_restricted": Kind(403, "permission_error", "The key was made for other graphs, or has not the scope `read`."),
    "resource_missing": Kind(404, _INVALID, "There is no such graph, node, event or address for this key."),
    "node_not_yet_created": Kind(404, _INVALID, "The node comes later than the moment asked for; `first_event_id` is its first event."),
    "outside_retention_window": Kind(
        410, _INVALID, "The moment, event or cursor lies before what the graph still holds, which is `first_event_id` to `last_event_id`."
    ),
    "rate_limit": Kind(429, "rate_limit_error", "The key has made too many requests; `Retry-After` says for how long to wait."),
    "api_error": Kind(
        500,
        "api_error",
        "Something went wrong in the gateway: its log has more under the `Request-Id`. "
        "With status 503 the graph database did not answer in time: try again after `Retry-After`.",
    ),
}
"""Status and type of each code; there are no others (R5)."""


def quoted(text: str) -> str:
    """A caller's own words in a message, as much of them as is needed: keys in them first, which are not known by a half of them."""
    return without_keys(text)[:100]


class Refused(Exception):  # noqa: N818 - an answer, not a fault of ours
    """An answer that is an error of the catalogue. `status` is the code's own but where the store is gone (O30)."""

    def __init__(self, code: str, message: str, param: str | None = None, status: int | None = None, **extra: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = without_keys(message)
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
