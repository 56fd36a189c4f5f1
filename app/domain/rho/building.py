"""Putting an envelope together: facts added one by one, each with the envelope's scope (G5, G13, G16-G21, G24)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from operator import itemgetter

from app.domain.rho.envelope import Document, canonical_fact
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.texts import is_blank, is_digest, sha256_hex
from app.domain.rho.timestamps import ZERO_NS, canonical, read_ns, written
from app.domain.rho.validate import validate
from app.domain.rho.vocabulary import CLASSIFICATION, METADATA_ONLY, SCHEMA_VERSION

ZERO = written(ZERO_NS)
PRODUCER = "rho"


@dataclass(frozen=True)
class Reference:
    """A node's kind and id (G6)."""

    kind: str
    id: str

    def told(self) -> dict[str, str]:
        """As an envelope writes it."""
        return {"kind": self.kind, "id": self.id}


class Building:
    """An envelope that grows. A fact whose id is there already is ignored, but a node of another kind fails (G24.8)."""

    def __init__(self, generated_at: str, repository_id: str | None, producer_version: str | None = None) -> None:
        """Raises: Refused: no time of making (G24.9)."""
        self.generated_at = moment(generated_at)
        self._scope = {"repository_id": repository_id} if repository_id else {}
        self._version = producer_version
        self._nodes: dict[str, Document] = {}
        self._edges: dict[str, Document] = {}
        self._events: dict[str, Document] = {}

    def node(
        self,
        reference: Reference,
        source_id: str,
        evidence: str,
        attributes: Mapping[str, str | None],
        *,
        created_at: str | None = None,
        effective_at: str | None = None,
    ) -> Reference:
        """A node of our own; what is None is left out, the classification is put in (G12). Without a creation time it is ours."""
        kept = {CLASSIFICATION: METADATA_ONLY, **_present(attributes)}
        self.foreign_node(
            {
                "id": reference.id,
                "kind": reference.kind,
                "created_at": self._known(created_at),
                "effective_at": effective_at or ZERO,
                "provenance": self._provenance(source_id, evidence),
                "attributes": kept,
            }
        )
        return reference

    def foreign_node(self, node: Document) -> None:
        """A node as another producer made it, with our scope (G5). Raises: Refused: the id is there with another kind."""
        node = {**canonical_fact("nodes", node), "scope": self._scope}
        held = self._nodes.setdefault(node["id"], node)
        if held["kind"] != node["kind"]:
            raise Refused("duplicate_node", f"nodes.{node['id']}")

    def has(self, id: str) -> bool:
        """Whether there is a node of that id."""
        return id in self._nodes

    def edge(
        self,
        id: str,
        kind: str,
        source: Reference,
        target: Reference,
        attributes: Mapping[str, str | None] | None = None,
        *,
        created_at: str | None = None,
        effective_at: str | None = None,
    ) -> None:
        """An edge of our own."""
        kept = _present(attributes or {})
        self.foreign_edge(
            {
                "id": id,
                "kind": kind,
                "from": source.told(),
                "to": target.told(),
                "created_at": self._known(created_at),
                "effective_at": effective_at or ZERO,
                "provenance": self._provenance(id),
                **({"attributes": kept} if kept else {}),
            }
        )

    def contains(self, source: Reference, target: Reference, created_at: str | None = None) -> None:
        """The edge of a hierarchy, with its usual id (G20)."""
        self.edge(f"rho/edge/{source.id}/contains/{target.id}", "contains", source, target, created_at=created_at)

    def foreign_edge(self, edge: Document) -> None:
        """An edge as another producer made it."""
        self._edges.setdefault(edge["id"], {**canonical_fact("edges", edge), "scope": self._scope})

    def event(
        self,
        id: str,
        type: str,
        subject: Reference,
        occurred_at: str | None,
        *,
        correlation_id: str | None = None,
        causation_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """An event of our own."""
        named = {"correlation_id": correlation_id, "causation_id": causation_id, "idempotency_key": idempotency_key}
        self.foreign_event(
            {
                "id": id,
                "type": type,
                "subject": subject.told(),
                "occurred_at": self._known(occurred_at),
                "provenance": self._provenance(id),
                **_present(named),
            }
        )

    def foreign_event(self, event: Document) -> None:
        """An event as another producer made it."""
        self._events.setdefault(event["id"], {**canonical_fact("events", event), "scope": self._scope})

    def life(self, name: str, subject: Reference, correlation_id: str, created_at: str | None) -> str:
        """A `created` event for `name`, such as `task/task_1`; its id, for what it causes (G21)."""
        id = f"rho/event/{name}/created"
        self.event(id, "created", subject, created_at, correlation_id=correlation_id, idempotency_key=f"rho/{name}/created")
        return id

    def changed(self, name: str, subject: Reference, correlation_id: str, status: str, occurred_at: str | None) -> None:
        """A `transitioned` event for `name`, caused by its `created` (G21)."""
        self.event(
            f"rho/event/{name}/transitioned",
            "transitioned",
            subject,
            occurred_at,
            correlation_id=correlation_id,
            causation_id=f"rho/event/{name}/created",
            idempotency_key=f"rho/{name}/transitioned/{status}",
        )

    def observed(self, name: str, subject: Reference, occurred_at: str | None, correlation_id: str | None = None, key: str = "") -> None:
        """An `observed` event for `name` (G21, G57)."""
        self.event(
            f"rho/event/{name}/observed",
            "observed",
            subject,
            occurred_at,
            correlation_id=correlation_id or subject.id,
            idempotency_key=f"rho/{name}/observed{key}",
        )

    def envelope(self) -> Document:
        """The document, its facts in order.

        Raises: Refused: it is not portable, as where an edge or an event leads to a node that is not there (G24.9).
        """
        arrays = {"nodes": self._nodes, "edges": self._edges, "events": self._events}
        found: Document = {
            "schema_version": SCHEMA_VERSION,
            "generated_at": self.generated_at,
            "scope": self._scope,
            **{name: sorted(facts.values(), key=itemgetter("id")) for name, facts in arrays.items()},
        }
        validate(found, Profile.PORTABLE)
        return found

    def _known(self, time: str | None) -> str:
        """A time that must be set: ours where there is none (G17)."""
        found = canonical(time or ZERO)
        return self.generated_at if found == ZERO else found

    def _provenance(self, source_id: str, evidence: str | None = None) -> Document:
        found: Document = {"producer": PRODUCER, **_present({"version": self._version}), "source_id": source_id}
        return found if evidence is None else {**found, "evidence": [{"uri": evidence}]}


def moment(text: str) -> str:
    """A time that must be set, in canonical spelling. Raises: Refused."""
    ns = read_ns(text)
    if ns is None or ns == ZERO_NS:
        raise Refused("zero_timestamp" if ns == ZERO_NS else "invalid_timestamp", "generated_at")
    return written(ns)


def digest_of(text: str | None) -> str | None:
    """The digest that stands in for a text; None for a blank one, whose attribute is left out (G24.10, G24.11)."""
    return None if text is None or is_blank(text) else sha256_hex(text)


def outside_digest(text: str | None) -> str | None:
    """A digest that came from outside, kept if it is one, otherwise hashed itself (G24.10)."""
    return text if text is not None and is_digest(text) else digest_of(text)


def pair_digest(first: str, second: str) -> str:
    """SHA-256 over two texts with a zero byte between them (G20, M28)."""
    return sha256(first.encode() + b"\0" + second.encode()).hexdigest()


def yes_no(value: bool) -> str:
    """A boolean as attributes write it (G11)."""
    return "true" if value else "false"


def _present(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
