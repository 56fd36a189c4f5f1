"""Whether a document is a valid envelope, by one of two profiles (G25-G32)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from app.domain.rho.envelope import facts
from app.domain.rho.parts import Fields, Strictness, joined, text_of, timestamp, word_of
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.sensitive import is_sensitive
from app.domain.rho.texts import is_digest
from app.domain.rho.vocabulary import (
    ANY_PRODUCER,
    ARRAYS,
    CAPS,
    CLASSIFICATION,
    EDGE_FIELDS,
    EDGE_KINDS,
    ENVELOPE_FIELDS,
    EVENT_BOUNDS,
    EVENT_FIELDS,
    EVENT_TYPES,
    METADATA_ONLY,
    MOST_FACTS,
    NODE_FIELDS,
    NODE_KINDS,
    SCHEMA_VERSION,
    USUAL_ENDS,
)


@dataclass(frozen=True)
class Warned:
    """Something unusual that fails nothing (G32)."""

    kind: str
    path: str

    def told(self) -> dict[str, object]:
        """As commands and doors show it."""
        return {"kind": self.kind, "path": self.path}


@dataclass(frozen=True)
class Valid:
    """A document that passed, with its number of facts and its warnings in document order."""

    facts: int
    warnings: tuple[Warned, ...]


def validate(document: Any, profile: Profile, *, project_id: str | None = None, closed: bool = False) -> Valid:
    """What can be said of a valid document.

    `project_id`: the project that an upload names (G31); `closed`: refuse unknown fields by the portable profile too, as storing (G27).

    Raises: Refused, with the first failure in the order of G32.
    """
    cloud = profile is Profile.CLOUD
    if not isinstance(document, dict):
        raise Refused("not_object", "")
    _check_frame(document, cloud)
    if cloud:
        check_caps(document)
    strict = Strictness(closed=closed or cloud, bounded=cloud)
    if strict.closed:
        strict.no_more(document, ENVELOPE_FIELDS, "")
    if "query_sha256" in document and not is_digest(text_of(document, "query_sha256", "")):
        raise Refused("invalid_query_digest", "query_sha256")
    strict.scope(document, "")
    warnings = _Facts(strict).checked(document)
    if cloud:
        _check_project(document, project_id)
        check_tenant(document)
        _check_sensitive(document)
    return Valid(facts(document), warnings)


def check_caps(document: Fields) -> None:
    """Refuses a graph beyond a cap, whole (G41, G42)."""
    for name, most in CAPS.items():
        if len(document[name]) > most:
            raise Refused(f"too_many_{name}", name)
    if facts(document) > MOST_FACTS:
        raise Refused("too_many_facts", "")


def check_tenant(document: Fields) -> None:
    """Refuses a scope that names a tenant (G31)."""
    for scope, path in _scopes(document):
        if scope.get("tenant_id"):
            raise Refused("tenant_scope", joined(path, "tenant_id"))


def _check_frame(document: Fields, cloud: bool) -> None:
    version = text_of(document, "schema_version", "")
    if not (ANY_PRODUCER.fullmatch(version) if cloud else version == SCHEMA_VERSION):
        raise Refused("unsupported_schema_version", "schema_version")
    timestamp(document, "generated_at", "")
    for name in ARRAYS:
        if name not in document:
            raise Refused("missing_field", name)
        if not isinstance(document[name], list):
            raise Refused("wrong_type", name)


def _check_project(document: Fields, project_id: str | None) -> None:
    for scope, path in _scopes(document):
        if project_id and scope.get("project_id") not in (None, "", project_id):
            raise Refused("project_scope_mismatch", joined(path, "project_id"))


def _check_sensitive(document: Fields) -> None:
    for name in ("nodes", "edges"):
        for place, fact in enumerate(document[name]):
            for key in sorted(fact.get("attributes", ())):
                if is_sensitive(key):
                    raise Refused("sensitive_attribute", f"{name}[{place}].attributes.{key}")


def _scopes(document: Fields) -> Iterator[tuple[Fields, str]]:
    """Every scope with its path, the envelope's first."""
    if "scope" in document:
        yield document["scope"], "scope"
    for name in ARRAYS:
        for place, fact in enumerate(document[name]):
            if "scope" in fact:
                yield fact["scope"], f"{name}[{place}].scope"


class _Facts:
    """One pass over the facts, in document order: nodes, edges, events."""

    def __init__(self, strict: Strictness) -> None:
        self._strict = strict
        self._kinds: dict[str, str] = {}
        """Kind by node id."""
        self._warnings: list[Warned] = []

    def checked(self, document: Fields) -> tuple[Warned, ...]:
        for place, node in enumerate(document["nodes"]):
            self._node(node, f"nodes[{place}]")
        seen: set[str] = set()
        for place, edge in enumerate(document["edges"]):
            self._edge(edge, f"edges[{place}]", seen)
        seen = set()
        for place, event in enumerate(document["events"]):
            self._event(event, f"events[{place}]", seen)
        return tuple(self._warnings)

    def _node(self, value: Any, path: str) -> None:
        strict = self._strict
        node = strict.object(value, NODE_FIELDS, path)
        id = strict.id(node, path)
        kind = word_of(node, "kind", NODE_KINDS, "unknown_node_kind", path)
        attributes = self._described(node, path)
        if CLASSIFICATION not in attributes:
            self._warnings.append(Warned("missing_data_classification", path))
        elif attributes[CLASSIFICATION] != METADATA_ONLY:
            raise Refused("invalid_data_classification", f"{path}.attributes.{CLASSIFICATION}")
        if id in self._kinds:
            raise Refused("duplicate_node", joined(path, "id"))
        self._kinds[id] = kind

    def _edge(self, value: Any, path: str, seen: set[str]) -> None:
        strict = self._strict
        edge = strict.object(value, EDGE_FIELDS, path)
        id = strict.id(edge, path)
        kind = word_of(edge, "kind", EDGE_KINDS, "unknown_edge_kind", path)
        source, target = self._reference(edge, "from", path), self._reference(edge, "to", path)
        self._described(edge, path)
        self._first(id, seen, "duplicate_edge", path)
        self._resolved(source, "dangling_edge_source", path, "from")
        self._resolved(target, "dangling_edge_target", path, "to")
        if (kind, source[0], target[0]) not in USUAL_ENDS:
            self._warnings.append(Warned("unexpected_edge_endpoints", path))

    def _event(self, value: Any, path: str, seen: set[str]) -> None:
        strict = self._strict
        event = strict.object(value, EVENT_FIELDS, path)
        id = strict.id(event, path)
        word_of(event, "type", EVENT_TYPES, "unknown_event_type", path)
        subject = self._reference(event, "subject", path)
        timestamp(event, "occurred_at", path)
        strict.scope(event, path)
        strict.provenance(event, path)
        strict.optional_texts(event, EVENT_BOUNDS, path)
        self._first(id, seen, "duplicate_event", path)
        self._resolved(subject, "dangling_event_subject", path, "subject")

    def _described(self, fact: Fields, path: str) -> dict[str, str]:
        """Checks what nodes and edges have in common after their kinds; their attributes."""
        timestamp(fact, "created_at", path)
        timestamp(fact, "effective_at", path, required=False)
        self._strict.scope(fact, path)
        self._strict.provenance(fact, path)
        return self._strict.attributes(fact, path)

    def _first(self, id: str, seen: set[str], otherwise: str, path: str) -> None:
        if id in seen:
            raise Refused(otherwise, joined(path, "id"))
        seen.add(id)

    def _reference(self, fact: Fields, name: str, path: str) -> tuple[str, str]:
        """What a fact points at; one that has the very kind and id of a node needs no further look."""
        found = fact.get(name)
        if type(found) is dict and len(found) == 2 and type(id := found.get("id")) is str:
            kind = self._kinds.get(id)
            if kind is not None and found.get("kind") == kind:
                return kind, id
        return self._strict.reference(fact, name, path)

    def _resolved(self, reference: tuple[str, str], otherwise: str, path: str, name: str) -> None:
        kind = self._kinds.get(reference[1])
        if kind is None:
            raise Refused(otherwise, joined(path, name))
        if kind != reference[0]:
            raise Refused("ref_kind_mismatch", joined(path, name))
