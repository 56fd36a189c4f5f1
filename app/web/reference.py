"""`/docs/reference`: the REST API's operations and its catalogue of errors, where every error points to (O39, R4, R5)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.web.html import page

PATH = "/docs/reference"


class Error(NamedTuple):
    """One code of the catalogue."""

    code: str
    status: int
    type: str
    when: str


class Operation(NamedTuple):
    """One operation: its whole path, and of each parameter that it takes beside what the path names, what it asks for."""

    path: str
    summary: str
    parameters: Mapping[str, str]


def reference_routes(operations: Sequence[Operation], errors: Sequence[Error]) -> list[Route]:
    """The page's route. It says the same to everybody, and nothing of what the gateway holds: no key is needed."""
    body = _body(operations, errors)

    async def reference(request: Request) -> Response:
        request.state.log.update(door="pages", operation="reference")
        return page("API reference", body)

    return [Route(PATH, reference)]


def _body(operations: Sequence[Operation], errors: Sequence[Error]) -> str:
    calls = "".join(
        f"<dt>{_code(f'GET {each.path}')}</dt><dd>{escape(each.summary)}. "
        f"<dl>{''.join(f'<dt>{_code(name)}</dt><dd>{_marked(told)}</dd>' for name, told in each.parameters.items())}</dl></dd>"
        for each in operations
    )
    rows = "".join(
        f'<tr id="{escape(each.code)}"><td>{each.status}</td><td>{_code(each.code)}</td><td>{_code(each.type)}</td>'
        f"<td>{_marked(each.when)}</td></tr>"
        for each in errors
    )
    return (
        "<h1>API reference</h1><p>Every request needs a key: <code>Authorization: Bearer ag_sk_live_…</code>. Answers are JSON; every one "
        'has a <code>Request-Id</code>. For a whole tree in one request there is <a href="/graphql">GraphQL</a>.</p>'
        f'<h2 id="operations">Operations</h2><dl>{calls}</dl>'
        '<h2 id="errors">Errors</h2><p>The body is one object, <code>error</code>, with <code>type</code>, <code>code</code>, '
        "<code>message</code>, <code>param</code> (the parameter that is wrong, or null) and <code>doc_url</code> (this page).</p>"
        f"<table><tr><th>Status</th><th>Code</th><th>Type</th><th>When</th></tr>{rows}</table>"
    )


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _marked(text: str) -> str:
    """Text in which what stands between backticks is code."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(text))
