"""GraphiQL from local files (Q32): one page without inline code, under a strict content policy."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import Response

import app

_PAGE = Path(app.__file__).parent / "web" / "static" / "graphiql" / "index.html"
"""Its scripts and styles lie beside it; the pages serve them under /static."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def graphiql_page() -> Response:
    """The page. It holds no data: what it shows it asks for with the login's cookie or a key that is typed in."""
    return Response(
        _PAGE.read_bytes(),
        200,
        _HEADERS,
        "text/html; charset=utf-8",
    )
