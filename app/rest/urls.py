"""Addresses of lists (R34)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final
from urllib.parse import quote_plus

BASE: Final = "/api/v1"

_LEFT_OUT: Final = frozenset(("starting_after", "ending_before", "page"))


def encoded(path: str, pairs: Iterable[tuple[str, Any]]) -> str:
    """A path and parameters, form-encoded."""
    query = "&".join(f"{_form(name)}={_form(str(value))}" for name, value in pairs)
    return f"{BASE}{path}?{query}" if query else f"{BASE}{path}"


def list_url(path: str, pairs: Sequence[tuple[str, str]]) -> str:
    """The address of a list that was asked for: its own parameters but cursors, in the order and spelling sent."""
    return encoded(path, [(name, value) for name, value in pairs if name not in _LEFT_OUT])


def pinned_url(path: str, pairs: Sequence[tuple[str, str]], as_of: str | None) -> str:
    """The same at one moment: `as_of` is the event that it is just after (None: there is none)."""
    kept = [(name, value) for name, value in pairs if name != "as_of" or as_of is not None]
    if as_of is not None:
        kept = [(name, as_of if name == "as_of" else value) for name, value in kept]
        if all(name != "as_of" for name, _ in kept):
            kept.append(("as_of", as_of))
    return list_url(path, kept)


def _form(text: str) -> str:
    return quote_plus(text, safe="*", errors="replace").replace("~", "%7E")
