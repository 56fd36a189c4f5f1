"""The canonical form of an envelope and its digests (G14, G52). What is given here has passed a profile."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from app.domain.rho.json_text import write_json
from app.domain.rho.texts import sha256_hex
from app.domain.rho.timestamps import canonical
from app.domain.rho.vocabulary import ARRAYS, TIMES

Document = dict[str, Any]


def canonical_document(envelope: Document) -> Document:
    """The envelope with times in canonical spelling and its three arrays by id; everything else stays as it is."""
    arrays = {name: [canonical_fact(name, fact) for fact in sorted(envelope[name], key=itemgetter("id"))] for name in ARRAYS}
    return {**envelope, "generated_at": canonical(envelope["generated_at"]), **arrays}


def canonical_fact(array: str, fact: Document) -> Document:
    """One fact of `nodes`, `edges` or `events` with its times in canonical spelling."""
    return {**fact, **{name: canonical(fact[name]) for name in TIMES[array] if name in fact}}


def canonical_json(envelope: Document) -> str:
    """`C(E)`: what is stored and exported."""
    return write_json(canonical_document(envelope))


def canonical_sha256(envelope: Document) -> str:
    """SHA-256 of `C(E)`: names the document, `query_sha256` included."""
    return sha256_hex(canonical_json(envelope))


def graph_digest(envelope: Document) -> str:
    """SHA-256 of `C(E)` without `query_sha256`: equal for documents that say the same in another order or spelling (G52)."""
    return canonical_sha256(without_query(envelope))


def without_query(envelope: Document) -> Document:
    """The envelope without `query_sha256`."""
    return {name: value for name, value in envelope.items() if name != "query_sha256"}


def facts(envelope: Document) -> int:
    """How many nodes, edges and events there are (G1)."""
    return sum(len(envelope[name]) for name in ARRAYS)
