"""The observation journal: one JSON line for each thing seen (section I). What is written to files is somebody else's business."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from app.domain.rho.envelope import Document
from app.domain.rho.json_text import read_json, write_json
from app.domain.rho.parts import field_of, joined, text_of, timestamp, word_of
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.texts import is_blank, sha256_hex
from app.domain.rho.timestamps import canonical
from app.domain.rho.validate import validate
from app.domain.rho.vocabulary import ARRAYS, SCHEMA_VERSION

SCHEMA = "rho.graph-observation/v1"
LONGEST_LINE = 16 * 1_048_576
"""Bytes (G75)."""
RISKS = ("low", "medium", "high", "blocked")
SEVERITIES = frozenset({"info", "low", "medium", "high", "critical"})
SUBGRAPHS = {
    "context": frozenset({"knowledge"}),
    "quality": frozenset({"quality"}),
    "runtime": frozenset({"operations", "policy", "quality"}),
}
"""Kinds of entries that hold facts, and the kinds of nodes that may be among them (G76)."""
KINDS = frozenset({"policy", "verification", *SUBGRAPHS})

_ID = re.compile("[0-9a-f]{20}")


@dataclass(frozen=True)
class Journal:
    """A session's entries in the order in which they were written; `torn`: the last line was cut off while it was written (G79)."""

    entries: tuple[Document, ...]
    torn: bool


def file_name(session_id: str) -> str:
    """Where a session's entries are, below the state directory (G73)."""
    return f"graph-observations/{sha256_hex(session_id)}.jsonl"


def entry_id(session_id: str, tool_call_id: str, stage: str, kind: str, occurred_at: str) -> str:
    """The id that an entry has by what it is about (G77)."""
    return sha256("\0".join([session_id, tool_call_id, stage, kind, canonical(occurred_at)]).encode()).hexdigest()[:20]


def entry(
    session_id: str,
    kind: str,
    content: Mapping[str, Any],
    now: str,
    *,
    occurred_at: str | None = None,
    tool_call_id: str = "",
    stage: str = "",
) -> Document | None:
    """An entry to be written; None if there is nothing to write: no session, or no node in a subgraph (G78). Without a time it is `now`.

    Raises: Refused: the content is not what its kind holds (G76).
    """
    if is_blank(session_id) or (kind in SUBGRAPHS and not content.get("nodes")):
        return None
    time = canonical(occurred_at or now)
    found: Document = {
        "schema_version": SCHEMA,
        "id": entry_id(session_id, tool_call_id, stage, kind, time),
        "kind": kind,
        "session_id": session_id,
        "occurred_at": time,
        kind: dict(content),
    }
    found |= {name: text for name, text in (("tool_call_id", tool_call_id), ("stage", stage)) if text}
    check_entry(found, "")
    return found


def line(made: Document) -> bytes:
    """An entry as one line of the file (G75)."""
    return write_json(made).encode() + b"\n"


def read_journal(content: bytes, session_id: str) -> Journal:
    """A session's entries from its file (G79); lines of another version or session are left out.

    Raises: Refused: a whole line is no JSON, too long, or no entry.
    """
    entries: list[Document] = []
    *lines, rest = content.split(b"\n")
    for number, text in enumerate(lines):
        _take(_read(text, number), session_id, entries, number)
    if not rest:
        return Journal(tuple(entries), torn=False)
    try:
        last = _read(rest, len(lines))
    except Refused as refused:
        if refused.kind != "invalid_json":
            raise
        return Journal(tuple(entries), torn=True)
    _take(last, session_id, entries, len(lines))
    return Journal(tuple(entries), torn=False)


def check_entry(value: Any, path: str) -> None:
    """Raises: Refused: not an entry of its kind (G76)."""
    if not isinstance(value, dict):
        raise Refused("wrong_type", path)
    if not _ID.fullmatch(text_of(value, "id", path)):
        raise Refused("invalid_entry_id", joined(path, "id"))
    kind = word_of(value, "kind", KINDS, "unknown_entry_kind", path)
    text_of(value, "session_id", path)
    for name in ("tool_call_id", "stage"):
        if name in value:
            text_of(value, name, path)
    timestamp(value, "occurred_at", path)
    content, where = field_of(value, kind, path), joined(path, kind)
    if not isinstance(content, dict):
        raise Refused("wrong_type", where)
    if kind in SUBGRAPHS:
        check_subgraph(kind, content, value["occurred_at"], where)
    else:
        _check_verdict(kind, content, where)


def check_subgraph(kind: str, content: Mapping[str, Any], generated_at: str, path: str) -> None:
    """Raises: Refused: facts that are not valid, or nodes of a kind that does not belong there."""
    arrays = {name: content.get(name, []) for name in ARRAYS}
    try:
        validate({"schema_version": SCHEMA_VERSION, "generated_at": generated_at, **arrays}, Profile.PORTABLE)
    except Refused as refused:
        raise Refused(refused.kind, f"{path}.{refused.path}") from refused
    for place, node in enumerate(arrays["nodes"]):
        if node["kind"] not in SUBGRAPHS[kind]:
            raise Refused("unknown_node_kind", f"{path}.nodes[{place}].kind")


def _check_verdict(kind: str, content: Mapping[str, Any], path: str) -> None:
    if kind == "policy":
        wanted: dict[str, tuple[type, ...]] = {"allowed": (bool,), "risk": (int,), "confidence": (int, float)}
        optional: tuple[str, ...] = ("rule", "source", "reason_sha256")
    else:
        wanted = {"failed": (bool,), "finding_count": (int,), "max_severity": (str,)}
        optional = ("target_sha256",)
    for name, types in wanted.items():
        found = field_of(dict(content), name, path)
        if not isinstance(found, types) or (isinstance(found, bool) and bool not in types):
            raise Refused("wrong_type", f"{path}.{name}")
    for name in optional:
        if name in content:
            text_of(dict(content), name, path)
    if kind == "policy" and not 0 <= content["risk"] < len(RISKS):
        raise Refused("unknown_risk", f"{path}.risk")
    if kind == "verification" and content["finding_count"] < 0:
        raise Refused("negative_count", f"{path}.finding_count")
    if kind == "verification" and content["max_severity"] not in SEVERITIES:
        raise Refused("unknown_severity", f"{path}.max_severity")


def _read(text: bytes, number: int) -> Any:
    if len(text) > LONGEST_LINE:
        raise Refused("body_too_large", f"lines[{number}]")
    try:
        return read_json(text)
    except Refused as refused:
        raise Refused(refused.kind, f"lines[{number}]") from refused


def _take(value: Any, session_id: str, entries: list[Document], number: int) -> None:
    if isinstance(value, dict) and (value.get("schema_version") != SCHEMA or value.get("session_id") != session_id):
        return
    check_entry(value, f"lines[{number}]")
    entries.append(value)
