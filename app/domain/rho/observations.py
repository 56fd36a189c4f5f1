"""What a journal saw, put into a session's graph (G12, G17, G20, G24.6, G24.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from app.domain.rho.building import Building, Reference, outside_digest, pair_digest, yes_no
from app.domain.rho.envelope import Document
from app.domain.rho.journal import RISKS, SUBGRAPHS
from app.domain.rho.problems import Refused
from app.domain.rho.vocabulary import CLASSIFICATION, METADATA_ONLY

_RUNTIME_EDGES = {"operations": "produced", "policy": "governed_by", "quality": "validated_by"}
_SELECTED = {"context": "context_selection", "quality": "quality_observation", "runtime": "runtime_observation"}


def merge(building: Building, session_name: str, entries: Sequence[Document]) -> None:
    """Adds the facts of a session's entries; each hangs on the tool call that it names if that is in the graph, else on the session.

    Raises: Refused: a node of a kind that its entry may not hold.
    """
    for entry in entries:
        call = Reference("execution", f"rho/tool-call/{session_name}/{entry.get('tool_call_id', '')}")
        subject = call if building.has(call.id) else Reference("execution", f"rho/session/{session_name}")
        _MERGED[entry["kind"]](building, subject, entry)


def decimal(number: float) -> str:
    """A number in its shortest form, without an exponent (G17)."""
    text = format(Decimal(repr(number)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _policy(building: Building, subject: Reference, entry: Document) -> None:
    verdict = entry["policy"]
    node = building.node(
        Reference("policy", f"rho/policy/{entry['id']}"),
        entry["id"],
        f"rho://policy/{entry['id']}",
        {
            "entity_type": "policy_verdict",
            "allowed": yes_no(verdict["allowed"]),
            "risk": RISKS[verdict["risk"]],
            "confidence": decimal(verdict["confidence"]),
            "rule": verdict.get("rule"),
            "source": verdict.get("source"),
            "reason_sha256": outside_digest(verdict.get("reason_sha256")),
        },
        created_at=entry["occurred_at"],
    )
    building.edge(f"rho/edge/{subject.id}/governed-by/{node.id}", "governed_by", subject, node, created_at=entry["occurred_at"])
    building.observed(f"policy/{entry['id']}", node, entry["occurred_at"])


def _verification(building: Building, subject: Reference, entry: Document) -> None:
    result = entry["verification"]
    node = building.node(
        Reference("quality", f"rho/verification/{entry['id']}"),
        entry["id"],
        f"rho://verification/{entry['id']}",
        {
            "entity_type": "verification",
            "failed": yes_no(result["failed"]),
            "finding_count": str(result["finding_count"]),
            "max_severity": result["max_severity"],
            "target_sha256": outside_digest(result.get("target_sha256")),
        },
        created_at=entry["occurred_at"],
    )
    building.edge(f"rho/edge/{subject.id}/validated-by/{node.id}", "validated_by", subject, node, created_at=entry["occurred_at"])
    building.observed(f"verification/{entry['id']}", node, entry["occurred_at"])


def _subgraph(building: Building, subject: Reference, entry: Document) -> None:
    kind = entry["kind"]
    content = entry[kind]
    for node in content.get("nodes", []):
        if node["kind"] not in SUBGRAPHS[kind]:
            raise Refused("unknown_node_kind", f"nodes.{node['id']}")
        attributes: dict[str, str] = node.get("attributes", {})
        building.foreign_node({**node, "attributes": {CLASSIFICATION: METADATA_ONLY, **attributes}})
        if kind == "quality" and attributes.get("entity") != "report":
            continue
        building.edge(
            f"rho/edge/{kind}/{entry['id']}/{pair_digest(subject.id, node['id'])}",
            {"context": "references", "quality": "validated_by"}.get(kind) or _RUNTIME_EDGES[node["kind"]],
            subject,
            Reference(node["kind"], node["id"]),
            {"entity_type": _SELECTED[kind], CLASSIFICATION: METADATA_ONLY},
            created_at=entry["occurred_at"],
        )
    for edge in content.get("edges", []):
        building.foreign_edge(edge)
    for event in content.get("events", []):
        building.foreign_event(event)


_MERGED: dict[str, Callable[[Building, Reference, Document], None]] = {
    "policy": _policy,
    "verification": _verification,
    **dict.fromkeys(SUBGRAPHS, _subgraph),
}
