"""Which attributes could tell what nobody outside should read (G33, G36, G37)."""

from __future__ import annotations

import re

from app.domain.rho.texts import ascii_lower

_TELLING = re.compile(
    "apikey|api_key|api-key|branch|command|commit|content|credential|element|evidence|file|fix|message|model|password|path|prompt"
    "|provider|query|reason|repository|secret|source|target|url"
)
_SAFE_ENDINGS = ("_sha256", "_digest", "_count", "_token", "_tokens", "token_count")
_EXEMPT = "sast_source"


def is_sensitive(key: str) -> bool:
    """Whether an attribute's value must be replaced by its hash: a telling word anywhere in the key, and no safe ending."""
    if key == _EXEMPT:
        return False
    lower = ascii_lower(key)
    return _TELLING.search(lower) is not None and not lower.endswith(_SAFE_ENDINGS)
