"""Tags of answers (R29, R30, Q31)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256


def etag(body: bytes) -> str:
    """The weak tag of a body, made of its bytes (R29)."""
    return f'W/"{urlsafe_b64encode(sha256(body).digest()).decode("ascii")[:27]}"'


def is_known(tag: str, if_none_match: str | None) -> bool:
    """Whether a request's `If-None-Match` names this very tag (R30). `*` and strong forms do not."""
    return if_none_match is not None and tag in (each.strip() for each in if_none_match.split(","))
