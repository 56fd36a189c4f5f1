"""Automatic persisted queries (Q30): a document is sent once, and then named by its hash."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from cachetools import LRUCache

from app.graphql.documents import LONGEST_KEPT, Refused
from app.graphql.errors import error_body

_CHARACTERS = 4_000_000
"""Of all documents that are kept together. They are those of this process alone."""

_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)


class PersistedQueries:
    """Documents by their hash; the ones not asked for longest make way."""

    def __init__(self) -> None:
        self._texts: LRUCache[str, str] = LRUCache(_CHARACTERS, getsizeof=len)

    def text(self, name: str) -> str:
        """The document with this hash. Raises: Refused."""
        text = self._texts.get(name)
        if text is None:
            raise Refused([error_body("PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound")])  # clients look for this very message
        return text

    def keep(self, name: str, text: str) -> None:
        """Keeps a document that was found right."""
        if len(text) <= LONGEST_KEPT:
            self._texts[name] = text


def hash_of(extension: Any) -> str:
    """The hash that `extensions.persistedQuery` names. Raises: ValueError, with what is wrong."""
    if not isinstance(extension, dict) or extension.get("version") != 1:
        raise ValueError("extensions.persistedQuery is of version 1.")
    name = extension.get("sha256Hash")
    if not isinstance(name, str) or _HASH.fullmatch(name) is None:
        raise ValueError("extensions.persistedQuery.sha256Hash is a SHA-256 in lower-case hex.")
    return name


def is_hash_of(name: str, text: str) -> bool:
    """Whether a document has this hash."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest() == name
