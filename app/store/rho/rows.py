"""From an envelope in pieces to property maps: one map is one record of the store (M2, M3)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, TypeAlias

from app.domain.rho.apart import Apart, Fact
from app.domain.rho.mirrors import is_mirror
from app.domain.rho.timestamps import ZERO_NS, read_ns
from app.store.keys import mirror_key
from app.store.rho.keys import fact_key

Properties: TypeAlias = dict[str, Any]

PIECE = 500
"""Rows of one statement."""

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_SEPARATOR = "\x1f"


def snapshot(key: str, account: str, apart: Apart, now: int) -> Properties:
    """The row of a snapshot that is being written. `now`: Unix ms."""
    return {
        "key": key,
        "account": account,
        "body_sha256": apart.sha256,
        "digest": apart.digest,
        "schema_version": apart.schema_version,
        "frame": apart.frame,
        "node_count": len(apart.nodes),
        "edge_count": len(apart.edges),
        "event_count": len(apart.events),
        "imported_at": now,
        "state": 0,
        **_time("generated", apart.generated_at),
    }


def nodes(key: str, apart: Apart) -> Iterator[list[Properties]]:
    """Rows of nodes, in pieces."""
    return _pieces([_node(key, fact) for fact in apart.nodes])


def edges(key: str, apart: Apart) -> Iterator[tuple[str, list[Properties]]]:
    """Rows of edges, with their kinds, in pieces."""
    ends = _node_keys(key, apart)
    for kind, facts in groupby(sorted(apart.edges, key=_kind), _kind):
        for piece in _pieces([_edge(key, fact, ends) for fact in facts]):
            yield kind, piece


def events(key: str, apart: Apart) -> Iterator[list[Properties]]:
    """Rows of events, in pieces."""
    subjects = _node_keys(key, apart)
    return _pieces([_event(key, fact, subjects) for fact in apart.events])


def mirrors(key: str, apart: Apart) -> Iterator[list[Properties]]:
    """Keys of the nodes that stand for sessions and agents, each with the key of the name (M12), in pieces."""
    found = [fact.value["id"] for fact in apart.nodes if is_mirror(fact.value)]
    return _pieces([{"skey": fact_key(key, id), "mirrors": mirror_key(id)} for id in found])


def _node_keys(key: str, apart: Apart) -> dict[str, str]:
    """Keys of the nodes by their ids: most are the end of several facts."""
    return {fact.value["id"]: fact_key(key, fact.value["id"]) for fact in apart.nodes}


def _node(key: str, fact: Fact) -> Properties:
    value, scope = fact.value, fact.value.get("scope", {})
    return {
        "skey": fact_key(key, value["id"]),
        "id": value["id"],
        "kind": value["kind"],
        "body": fact.body,
        "producer": value["provenance"]["producer"],
        "status": value.get("attributes", {}).get("status"),
        "project_id": scope.get("project_id") or None,
        "repository_id": scope.get("repository_id") or None,
        "mirrors": mirror_key(value["id"]) if is_mirror(value) else None,
        **_described(value),
    }


def _edge(key: str, fact: Fact, ends: dict[str, str]) -> Properties:
    value = fact.value
    row = {
        "skey": fact_key(key, value["id"]),
        "id": value["id"],
        "body": fact.body,
        "dependency_type": value.get("attributes", {}).get("dependency_type"),
        **_described(value),
    }
    return {"a": ends[value["from"]["id"]], "b": ends[value["to"]["id"]], "row": row}


def _event(key: str, fact: Fact, subjects: dict[str, str]) -> Properties:
    value = fact.value
    row = {
        "skey": fact_key(key, value["id"]),
        "id": value["id"],
        "type": value["type"],
        "body": fact.body,
        "producer": value["provenance"]["producer"],
        **{name: value.get(name) for name in ("correlation_id", "causation_id", "idempotency_key")},
        **_time("occurred", value["occurred_at"]),
    }
    return {"subject": subjects[value["subject"]["id"]], "row": row}


def _described(value: Properties) -> Properties:
    attributes: dict[str, str] = value.get("attributes", {})
    effective = value.get("effective_at")
    return {
        "entity": attributes.get("entity_type", attributes.get("entity")),
        "attr_pairs": [f"{name}{_SEPARATOR}{text}" for name, text in sorted(attributes.items())],
        "effective_at": None if effective is None or read_ns(effective) == ZERO_NS else effective,
        **_time("created", value["created_at"]),
    }


def _time(name: str, text: str) -> Properties:
    """A time as text and as Unix nanoseconds, where 64 bits are enough for these."""
    ns = read_ns(text)
    return {f"{name}_at": text, f"{name}_ns": ns if ns is not None and _SMALLEST <= ns <= _LARGEST else None}


def _kind(fact: Fact) -> str:
    kind: str = fact.value["kind"]
    return kind


def _pieces(rows: list[Properties]) -> Iterator[list[Properties]]:
    return (rows[start : start + PIECE] for start in range(0, len(rows), PIECE))
