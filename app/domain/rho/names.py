"""What Agent Graph's sessions, agents, tasks and calls are called in a Rho graph (M21, M22, M26, M27)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from app.domain.rho.texts import sha256_hex

_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")


def is_name(text: str) -> bool:
    """Whether it may be a session's id (G83)."""
    return _NAME.fullmatch(text) is not None and text not in (".", "..")


def is_repository(text: str) -> bool:
    """Whether it may name a repository (G84)."""
    return len(text.encode()) <= 256 and not any(unicodedata.category(letter) == "Cc" for letter in text)


def hashed_name(ref: str) -> str:
    """The form that any ref has: `h.` and 40 hex digits of its SHA-256."""
    return f"h.{sha256_hex(ref)[:40]}"


def session_name(ref: str) -> str:
    """A session's name, its sid, from its provider's reference (M21)."""
    return _own_name(ref) or _provider_name(ref) or hashed_name(ref)


def find_session(wanted: str, refs: Iterable[str]) -> str | None:
    """The session that a request means: by `rest` of `rho:rest`, else by `provider.rest`, else by the hashed form (M21)."""
    known = list(refs)
    forms: tuple[Callable[[str], str | None], ...] = (_own_name, _provider_name, hashed_name)
    return next((ref for form in forms for ref in known if form(ref) == wanted), None)


def _own_name(ref: str) -> str | None:
    rest = ref.removeprefix("rho:")
    return rest if rest != ref and is_name(rest) else None


def _provider_name(ref: str) -> str | None:
    provider, colon, rest = ref.partition(":")
    name = f"{provider}.{rest}"
    return name if colon and is_name(name) else None


def session_names(refs_by_node_id: list[str]) -> dict[str, str]:
    """The names of several sessions, given in the order of their node ids: of two that share one, the later is hashed (M21)."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for ref in refs_by_node_id:
        name = session_name(ref)
        found[ref] = hashed_name(ref) if name in taken else name
        taken.add(found[ref])
    return found


def agent_name(ref: str, sid: str) -> str:
    """An agent's name: the sid and the parts of its reference after its session's, joined by dots (M22)."""
    parts = ref.split("/")[1:]
    name = ".".join([sid, *parts])
    return hashed_name(ref) if any(not part or "." in part for part in parts) or not is_name(name) else name


def part_name(id: str) -> str:
    """The name of a task or a call from its own id (M27)."""
    return id if is_name(id) else hashed_name(id)


def base_name(path: str | None) -> str | None:
    """The last part of a directory's path, by either separator; the path itself never leaves (M26)."""
    return None if path is None else re.split(r"[/\\]", path.rstrip("/\\"))[-1] or None
