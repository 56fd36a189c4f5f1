"""From an envelope in pieces to property maps: one map is one record of the store (M2, M3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from app.domain.rho.apart import Apart, Fact
from app.domain.rho.mirrors import is_mirror
from app.domain.rho.timestamps import ZERO_NS, read_ns
from app.domain.rho.vocabulary import EDGE_KINDS
from app.store.keys import mirror_key
from app.store.pieces import PIECE, Rows
from app.store.rho.keys import fact_key, fact_keys

Properties: TypeAlias = dict[str, Any]

FACTS = ("nodes", "events", *EDGE_KINDS)
"""Lists of the statement that writes facts."""

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
        "lock": 0,
        **_time("generated", apart.generated_at),
    }


def facts(key: str, apart: Apart) -> Rows:
    """Rows of all facts of a snapshot, nodes first: what joins two of them has the keys of its ends, which must be there."""
    key_of, keys = fact_keys(key), {}
    for fact in apart.nodes:
        row = _node(fact, key_of)
        keys[row["id"]] = row["skey"]
        yield "nodes", row
    for fact in apart.events:
        yield "events", _event(fact, key_of, keys)
    for fact in apart.edges:
        yield fact.value["kind"], _edge(fact, key_of, keys)


def mirrors(key: str, apart: Apart) -> Iterator[list[Properties]]:
    """Keys of the nodes that stand for sessions and agents, each with the key of the name (M12), in pieces."""
    found = [fact.value["id"] for fact in apart.nodes if is_mirror(fact.value)]
    pieces = (found[start : start + PIECE] for start in range(0, len(found), PIECE))
    return ([{"skey": fact_key(key, id), "mirrors": mirror_key(id)} for id in piece] for piece in pieces)


def _node(fact: Fact, key_of: Callable[[str], str]) -> Properties:
    value, scope = fact.value, fact.value.get("scope", {})
    return {
        "skey": key_of(value["id"]),
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


def _edge(fact: Fact, key_of: Callable[[str], str], keys: Mapping[str, str]) -> Properties:
    value = fact.value
    row = {
        "skey": key_of(value["id"]),
        "id": value["id"],
        "body": fact.body,
        "dependency_type": value.get("attributes", {}).get("dependency_type"),
        **_described(value),
    }
    return {"a": keys[value["from"]["id"]], "b": keys[value["to"]["id"]], "row": row}


def _event(fact: Fact, key_of: Callable[[str], str], keys: Mapping[str, str]) -> Properties:
    value = fact.value
    row = {
        "skey": key_of(value["id"]),
        "id": value["id"],
        "type": value["type"],
        "body": fact.body,
        "producer": value["provenance"]["producer"],
        **{name: value.get(name) for name in ("correlation_id", "causation_id", "idempotency_key")},
        **_time("occurred", value["occurred_at"]),
    }
    return {"subject": keys[value["subject"]["id"]], "row": row}


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
