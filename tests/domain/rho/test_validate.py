"""What an envelope is refused for, and where first (G27-G32): what the conformance cases leave out."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from app.domain.rho.normalize import prepare
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.validate import validate
from tests.conformance.test_rho import CASES, many_facts

Fields = dict[str, Any]

GONE = object()
LONG = "x" * 2_049
TIME = "2026-10-01T08:00:00Z"


def changed(*changes: tuple[str, Any]) -> Fields:
    """A valid envelope with values at paths such as `nodes.0.id` replaced or, for `GONE`, taken out."""
    document: Fields = copy.deepcopy(many_facts(2, 1, 1))
    for path, value in changes:
        holder: Any = document
        *parents, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
        for part in parents:
            holder = holder[part]
        if value is GONE:
            del holder[last]
        else:
            holder[last] = value
    return document


@pytest.mark.parametrize(
    ("changes", "kind", "path"),
    [
        ([("schema_version", GONE)], "missing_field", "schema_version"),
        ([("schema_version", 1), ("nodes", None)], "wrong_type", "schema_version"),
        ([("generated_at", 5), ("nodes", GONE)], "wrong_type", "generated_at"),
        ([("generated_at", "0001-01-01T00:00:00.000Z")], "zero_timestamp", "generated_at"),
        ([("events", {}), ("query_sha256", 1)], "wrong_type", "events"),
        ([("query_sha256", "A" * 64), ("scope", 1)], "invalid_query_digest", "query_sha256"),
        ([("query_sha256", None)], "wrong_type", "query_sha256"),
        ([("scope", None), ("nodes.0", 1)], "wrong_type", "scope"),
        ([("scope.repository_id", 1)], "wrong_type", "scope.repository_id"),
        ([("nodes.0.id", GONE), ("nodes.0.kind", GONE)], "missing_field", "nodes[0].id"),
        ([("nodes.0.kind", GONE), ("nodes.0.created_at", GONE)], "missing_field", "nodes[0].kind"),
        ([("nodes.0.created_at", GONE), ("nodes.0.provenance", GONE)], "missing_field", "nodes[0].created_at"),
        ([("nodes.0.effective_at", ""), ("nodes.0.scope", 1)], "invalid_timestamp", "nodes[0].effective_at"),
        ([("nodes.0.scope", {"tenant_id": None})], "wrong_type", "nodes[0].scope.tenant_id"),
        ([("nodes.0.provenance", []), ("nodes.0.attributes", 1)], "wrong_type", "nodes[0].provenance"),
        ([("nodes.0.provenance", {})], "missing_field", "nodes[0].provenance.producer"),
        ([("nodes.0.provenance", {"producer": "r", "version": 1})], "wrong_type", "nodes[0].provenance.version"),
        ([("nodes.0.provenance", {"producer": "r", "evidence": {}})], "wrong_type", "nodes[0].provenance.evidence"),
        ([("nodes.0.provenance", {"producer": "r", "evidence": [{}]})], "missing_field", "nodes[0].provenance.evidence[0].uri"),
        ([("nodes.0.attributes.b", 1), ("nodes.0.attributes.a", {})], "attribute_not_string", "nodes[0].attributes.a"),
        ([("edges.0.from", "x"), ("edges.0.to", GONE)], "wrong_type", "edges[0].from"),
        ([("edges.0.to", GONE)], "missing_field", "edges[0].to"),
        ([("edges.0.from.kind", "Execution")], "unknown_node_kind", "edges[0].from.kind"),
        ([("edges.0.from.id", "gone"), ("edges.0.to.id", "gone too")], "dangling_edge_source", "edges[0].from"),
        ([("events.0.subject.kind", "policy")], "ref_kind_mismatch", "events[0].subject"),
        ([("events.0.correlation_id", 1), ("events.0.subject.id", "gone")], "wrong_type", "events[0].correlation_id"),
        ([("events.0.occurred_at", GONE)], "missing_field", "events[0].occurred_at"),
    ],
)
def test_first_failure(changes: list[tuple[str, Any]], kind: str, path: str) -> None:
    """G32: the order within a document and within a fact; the same by both profiles."""
    for profile in Profile:
        with pytest.raises(Refused) as caught:
            validate(changed(*changes), profile)
        assert (caught.value.kind, caught.value.path) == (kind, path)


@pytest.mark.parametrize(
    ("changes", "kind", "path"),
    [
        ([("extra", 1), ("query_sha256", "x")], "unknown_field", "extra"),
        ([("scope.b", 1), ("scope.a", 1)], "unknown_field", "scope.a"),
        ([("nodes.0.extra", 1), ("nodes.0.id", "")], "unknown_field", "nodes[0].extra"),
        ([("edges.0.from.name", "x")], "unknown_field", "edges[0].from.name"),
        ([("nodes.0.provenance.by", "x")], "unknown_field", "nodes[0].provenance.by"),
        (
            [("nodes.0.provenance", {"producer": "r", "evidence": [{"uri": "u", "body": "x"}]})],
            "unknown_field",
            "nodes[0].provenance.evidence[0].body",
        ),
    ],
)
def test_closed_objects(changes: list[tuple[str, Any]], kind: str, path: str) -> None:
    """G27: the cloud profile is closed, storing too; otherwise extras are ignored."""
    for profile, closed in ((Profile.CLOUD, False), (Profile.PORTABLE, True)):
        with pytest.raises(Refused) as caught:
            validate(changed(*changes), profile, closed=closed)
        assert (caught.value.kind, caught.value.path) == (kind, path)
    if not {"query_sha256", "nodes.0.id"} & dict(changes).keys():
        assert validate(changed(*changes), Profile.PORTABLE).facts == 4


@pytest.mark.parametrize(
    ("changes", "kind", "path"),
    [
        ([("scope.project_id", "p" * 129)], "string_too_long", "scope.project_id"),
        ([("scope.repository_id", "🍐" * 129)], "string_too_long", "scope.repository_id"),
        ([("edges.0.from.id", "x" * 257)], "string_too_long", "edges[0].from.id"),
        ([("events.0.idempotency_key", "x" * 257)], "string_too_long", "events[0].idempotency_key"),
        ([("nodes.0.provenance.producer", "x" * 101)], "string_too_long", "nodes[0].provenance.producer"),
        ([("nodes.0.provenance.evidence", [{"uri": LONG}])], "string_too_long", "nodes[0].provenance.evidence[0].uri"),
        ([("nodes.0.attributes.", "x")], "attribute_key_length", "nodes[0].attributes."),
        ([("nodes.0.attributes." + "k" * 65, "x")], "attribute_key_length", "nodes[0].attributes." + "k" * 65),
        ([("nodes.0.attributes.note", "x" * 513)], "attribute_value_length", "nodes[0].attributes.note"),
        ([("events.0.scope", {"tenant_id": "t"}), ("edges.0.attributes", {"url": "x"})], "tenant_scope", "events[0].scope.tenant_id"),
        ([("edges.0.attributes", {"url": "x"})], "sensitive_attribute", "edges[0].attributes.url"),
    ],
)
def test_cloud_only(changes: list[tuple[str, Any]], kind: str, path: str) -> None:
    """G30, G31, G39: bounds and content that only the cloud profile knows."""
    with pytest.raises(Refused) as caught:
        validate(changed(*changes), Profile.CLOUD)
    assert (caught.value.kind, caught.value.path) == (kind, path)
    try:
        assert validate(changed(*changes), Profile.PORTABLE).facts == 4
    except Refused as refused:
        assert refused.kind == "dangling_edge_source"


def test_project_is_looked_at_before_tenants() -> None:
    """G31, G32: any scope; an empty project names none, and without a request's project all pass."""
    document = changed(("scope.project_id", "other"), ("nodes.0.scope", {"tenant_id": "t"}))
    with pytest.raises(Refused, match=r"project_scope_mismatch: scope\.project_id"):
        validate(document, Profile.CLOUD, project_id="mine")
    with pytest.raises(Refused, match="tenant_scope"):
        validate(document, Profile.CLOUD)
    assert validate(changed(("scope.project_id", "")), Profile.CLOUD, project_id="mine").facts == 4


@pytest.mark.parametrize(
    ("changes", "kind", "path"),
    [
        ([("scope.tenant_id", "t"), ("nodes.0.attributes", {"url": "x", "url_sha256": "y"})], "tenant_scope", "scope.tenant_id"),
        ([("nodes.1.attributes", {"url": "x", "url_sha256": "y"})], "attribute_collision", "nodes[1].attributes.url_sha256"),
        ([("extra", 1)], "unknown_field", "extra"),
        ([("schema_version", "flux.graph/v1")], "unsupported_schema_version", "schema_version"),
    ],
)
def test_what_cannot_be_prepared(changes: list[tuple[str, Any]], kind: str, path: str) -> None:
    """G26, G38, G45: portable, then tenant, normalization, cloud."""
    with pytest.raises(Refused) as caught:
        prepare(changed(*changes))
    assert (caught.value.kind, caught.value.path) == (kind, path)


def test_every_document_of_the_cases_keeps_its_digest_when_closed() -> None:
    """G27: closing objects refuses no valid case."""
    for case in CASES.values():
        if case["kind"] == "validate" and case["expect"].get("ok") and "generator" not in case["input"]["envelope"]:
            assert validate(case["input"]["envelope"], Profile(case["input"]["profile"]), closed=True).facts == case["expect"]["facts"]
