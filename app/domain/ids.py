"""Public ids: graphs, nodes and events (R15-R17)."""

from __future__ import annotations

import re
import secrets
import string
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache

GRAPH_PREFIX = "gph_"
NODE_PREFIX = "node_"
EVENT_PREFIX = "evt_"

_LOG_ID = re.compile(r"[A-Za-z0-9]{12}", re.ASCII)
_EVENT_ID = re.compile(r"evt_[A-Za-z0-9]{1,64}", re.ASCII)
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def new_graph_id() -> str:
    """A new graph id: `gph_` and twelve random letters or digits (R15)."""
    return GRAPH_PREFIX + "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(12))


def graph_id(text: str) -> str | None:
    """The prefixed form of a graph id or a bare log id (R15); None if it is neither."""
    log_id = text.removeprefix(GRAPH_PREFIX)
    return GRAPH_PREFIX + log_id if _LOG_ID.fullmatch(log_id) else None


@lru_cache(maxsize=65_536)
def node_id(ref: str) -> str:
    """The public id of a ref (R16)."""
    return NODE_PREFIX + urlsafe_b64encode(ref.encode("utf-8", "surrogatepass")).rstrip(b"=").decode("ascii")


def node_ref(text: str) -> str | None:
    """The ref behind a node id; None if it is no exact node id (R16)."""
    encoded = text.removeprefix(NODE_PREFIX)
    if encoded == text or not _BASE64URL.fullmatch(encoded) or len(encoded) % 4 == 1:
        return None
    try:
        ref = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except ValueError:
        return None
    return ref if ref and node_id(ref) == text else None


def event_id(own_id: str) -> str:
    """The public id of an event's own id (R17)."""
    return EVENT_PREFIX + own_id


def event_own_id(text: str) -> str | None:
    """The event's own id behind a public one; None if it has not the accepted form (R17)."""
    return text.removeprefix(EVENT_PREFIX) if _EVENT_ID.fullmatch(text) else None
