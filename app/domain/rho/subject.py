"""What an envelope is about (M4): the mission or the session that its snapshots are kept under."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias

from app.domain.rho.envelope import Document

SubjectKind: TypeAlias = Literal["session", "mission", "other"]

_NAMED = re.compile(r"[^/]+/(session|mission)/([^/]+)")


class Subject(NamedTuple):
    """`id`: a node's id, or `digest:` and the digest of an envelope about nothing in particular; `name`: the id's last part, if any."""

    kind: SubjectKind
    id: str
    name: str | None


def subject_of(envelope: Document, digest: str) -> Subject:
    """The single mission of a valid envelope; else its single session that no other session references; else its `digest` (M4).

    Where several sessions are left, because agents and not sessions started some of them, those that nothing references count.
    """
    found: dict[str, dict[str, str]] = {"mission": {}, "session": {}}
    """Names by id."""
    for node in envelope["nodes"]:
        named = _NAMED.fullmatch(node["id"])
        if named is not None:
            found[named[1]][node["id"]] = named[2]
    if len(found["mission"]) == 1:
        return Subject("mission", *next(iter(found["mission"].items())))
    sessions = found["session"]
    references = [
        (edge["from"]["id"], edge["to"]["id"])
        for edge in envelope["edges"]
        if edge["kind"] == "references" and edge["from"]["id"] != edge["to"]["id"]
    ]
    by_sessions = {target for source, target in references if source in sessions}
    by_any = {target for _, target in references}
    for referenced in (by_sessions, by_any):
        left = [id for id in sessions if id not in referenced]
        if len(left) == 1:
            return Subject("session", left[0], sessions[left[0]])
    return Subject("other", f"digest:{digest}", None)
