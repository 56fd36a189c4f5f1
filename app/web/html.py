"""Pages as text: every value goes through `escape`, and a strict policy lets nothing from elsewhere in (O21)."""

from __future__ import annotations

from html import escape
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse

STATUS: Final = {
    "UNAUTHENTICATED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "OUTSIDE_RETENTION_WINDOW": 410,
    "BAD_USER_INPUT": 400,
    "QUERY_TOO_COMPLEX": 400,
    "STORE_UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 503,
}
"""The HTTP status of a problem by its code, for pages and for what is neither GraphQL nor REST; 500 for others."""

_APIS = ("/api/", "/graphql")

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def page(
    title: str, body: str, *, status: int = 200, refresh: str | None = None, signed_in: bool = False, script: str | None = None
) -> HTMLResponse:
    """A page. `body` is HTML, `title` is text; `refresh` an address to go to at once: a path of ours, or one on the reader's own computer.

    `script`: the path of a module of ours.
    """
    leave = '<form method="post" action="/logout"><button>Sign out</button></form>' if signed_in else ""
    go_on = f'<meta http-equiv="refresh" content="0; url={escape(refresh)}">' if refresh else ""
    run = f'<script type="module" src="{escape(script)}"></script>' if script else ""
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">{go_on}'
        f'<title>{escape(title)}</title><link rel="stylesheet" href="/static/style.css">{run}</head><body>'
        f'<header><a href="/">Agent Graph Gateway</a>{leave}</header><main>{body}</main></body></html>',
        status_code=status,
        headers=HEADERS,
    )


def problem_page(message: str, status: int, *, signed_in: bool = False) -> HTMLResponse:
    """A page that says what went wrong."""
    answer = page("Agent Graph Gateway", f'<p class="problem">{escape(message)}</p>', status=status, signed_in=signed_in)
    if status == 503:
        answer.headers["Retry-After"] = "1"
    return answer


def wants_page(request: Request) -> bool:
    """Whether an error is to be read by a person: a browser asks, and not for an API."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith(_APIS)
