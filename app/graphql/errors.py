"""From problems to GraphQL's errors: one table, and nothing else tells a caller what went wrong (Q40-Q42)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import structlog
from graphql import GraphQLError

from app.domain.problems import Problem

_log = structlog.get_logger("graphql")


def error_body(code: str, message: str, **extra: Any) -> dict[str, Any]:
    """An error without a place in the document."""
    return {"message": message, "extensions": {"code": code, **extra}}


def problem_body(problem: Problem) -> dict[str, Any]:
    """An error that concerns the whole request."""
    return error_body(problem.code, problem.message, **problem.extra)


def request_errors(errors: Iterable[GraphQLError], code: str) -> list[dict[str, Any]]:
    """Errors found before anything ran: the document or the variables do not fit."""
    return [{**_placed(error), "extensions": {"code": code}} for error in errors]


def field_errors(errors: Iterable[GraphQLError], request_id: str) -> list[dict[str, Any]]:
    """Errors of fields while the operation ran.

    What is no known problem is logged, once for the operation, and told by the request id alone.
    """
    found, unforeseen = [], 0
    for error in errors:
        original = error.original_error
        if isinstance(original, Problem):
            found.append({**_placed(error), "message": original.message, "extensions": {"code": original.code, **original.extra}})
        elif original is None and error.message.startswith("Argument "):
            found.append({**_placed(error), "extensions": {"code": "BAD_USER_INPUT"}})
        else:
            if not unforeseen:
                _log.error("field failed", id=request_id, path=_path(error), exc_info=original or error)
            unforeseen += 1
            found.append({**_placed(error), **internal_body(request_id)})
    if unforeseen > 1:
        _log.error("more fields failed", id=request_id, count=unforeseen - 1)
    return found


def internal_body(request_id: str) -> dict[str, Any]:
    """What is said of a fault of ours: the request id and nothing else (Q40)."""
    return error_body("INTERNAL", "Something went wrong here.", requestId=request_id)


def _placed(error: GraphQLError) -> dict[str, Any]:
    body: dict[str, Any] = {"message": error.message}
    if error.locations:
        body["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    if error.path:
        body["path"] = list(error.path)
    return body


def _path(error: GraphQLError) -> str:
    return ".".join(str(part) for part in (error.path or ()) if isinstance(part, int) or part.isidentifier())[:200]
