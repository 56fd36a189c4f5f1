"""Cross-site use of a cookie (Q34)."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit


def same_origin(headers: Mapping[str, str], public_url: str | None) -> bool:
    """Whether a request that relies on the cookie came from one of our own pages (Q34). `headers` by lower-case name.

    It needs `Sec-Fetch-Site: same-origin`, which no page can forge, or, from browsers that do not send that, an `Origin` of ours: that of
    `public_url`, or the host that the request was sent to.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    if not origin or origin == "null":
        return False
    if public_url is not None and origin.lower() == origin_of(public_url):
        return True
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == headers.get("host", "").lower() != ""


def origin_of(url: str) -> str:
    """Scheme and host of an address, as browsers write an `Origin` (without the scheme's own port)."""
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" if parts.port in (None, default) else f"{parts.scheme}://{host}:{parts.port}"
