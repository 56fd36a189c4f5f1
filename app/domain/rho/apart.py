"""An envelope taken apart into what is stored, and put together again to the byte (M2, M10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from app.domain.rho.envelope import Document, canonical_document, without_query
from app.domain.rho.json_text import read_json, write_fact, write_json
from app.domain.rho.subject import Subject, subject_of
from app.domain.rho.texts import sha256_hex
from app.domain.rho.vocabulary import ARRAYS


@dataclass(frozen=True)
class Fact:
    """A node, an edge or an event in canonical form, and `body`, its canonical text: the truth for export."""

    value: Document
    body: str


@dataclass(frozen=True)
class Apart:
    """A valid envelope in pieces.

    `sha256` is that of its whole canonical text and names it, `digest` that of G52; `frame`: the canonical text of what is left without the
    three arrays.
    """

    sha256: str
    digest: str
    schema_version: str
    generated_at: str
    project_id: str | None
    repository_id: str | None
    frame: str
    subject: Subject
    nodes: tuple[Fact, ...]
    edges: tuple[Fact, ...]
    events: tuple[Fact, ...]


def take_apart(envelope: Document) -> Apart:
    """A valid envelope in pieces, its facts in the order of their ids."""
    whole = canonical_document(envelope)
    facts = {name: tuple(Fact(fact, write_fact(fact)) for fact in whole[name]) for name in ARRAYS}
    frame = {name: value for name, value in whole.items() if name not in ARRAYS}
    arrays = {name: _array(fact.body for fact in facts[name]) for name in ARRAYS}
    sha256 = sha256_hex(_joined(frame, arrays))
    digest = sha256_hex(_joined(without_query(frame), arrays)) if "query_sha256" in frame else sha256
    scope = whole.get("scope", {})
    return Apart(
        sha256=sha256,
        digest=digest,
        schema_version=whole["schema_version"],
        generated_at=whole["generated_at"],
        project_id=scope.get("project_id") or None,
        repository_id=scope.get("repository_id") or None,
        frame=write_json(frame),
        subject=subject_of(envelope, digest),
        **facts,
    )


def put_together(frame: str, nodes: Iterable[tuple[str, str]], edges: Iterable[tuple[str, str]], events: Iterable[tuple[str, str]]) -> str:
    """The canonical text of the envelope with this frame and these facts, given by id and body in any order."""
    arrays = {name: _array(body for _, body in sorted(facts)) for name, facts in zip(ARRAYS, (nodes, edges, events), strict=True)}
    return _joined(read_json(frame), arrays)


def _array(bodies: Iterable[str]) -> str:
    return f"[{','.join(bodies)}]"


def _joined(frame: Document, arrays: dict[str, str]) -> str:
    """`C(E)`, of the members that are no facts and the texts of the three arrays."""
    parts = {**{name: write_json(value) for name, value in frame.items()}, **arrays}
    return f"{{{','.join(f'{write_json(name)}:{parts[name]}' for name in sorted(parts))}}}"
