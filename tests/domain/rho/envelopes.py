"""Envelopes for tests: small ones to build on, and every one that the conformance cases accept."""

from __future__ import annotations

import json
from typing import Any

from app.domain.rho.profiles import Profile
from tests.conformance.test_rho import CASES, expanded, sent

Fields = dict[str, Any]

AT = "2026-10-01T08:00:00Z"


def node(id: str, kind: str = "execution", at: str = AT, **attributes: str) -> Fields:
    """A node."""
    given = {"data_classification": "metadata_only", **attributes}
    return {"id": id, "kind": kind, "created_at": at, "provenance": {"producer": "rho"}, "attributes": given}


def edge(id: str, kind: str, source: str, target: str, **attributes: str) -> Fields:
    """An edge between execution nodes."""
    ends = {name: {"kind": "execution", "id": end} for name, end in (("from", source), ("to", target))}
    return {"id": id, "kind": kind, "created_at": AT, "provenance": {"producer": "rho"}, **ends, "attributes": attributes}


def event(id: str, subject: str, type: str = "observed") -> Fields:
    """An event about an execution node."""
    reference = {"kind": "execution", "id": subject}
    return {"id": id, "type": type, "subject": reference, "occurred_at": AT, "provenance": {"producer": "rho"}}


def envelope(*facts: Fields, at: str = AT, **more: Any) -> Fields:
    """An envelope of these facts."""
    arrays: Fields = {"nodes": [], "edges": [], "events": []}
    for fact in facts:
        arrays["edges" if "from" in fact else "events" if "subject" in fact else "nodes"].append(fact)
    return {"schema_version": "rho.graph/v1", "generated_at": at, **arrays, **more}


def session(name: str, at: str = AT, **attributes: str) -> Fields:
    """An envelope about one session."""
    return envelope(node(f"rho/session/{name}", entity_type="rho_session", **attributes), at=at)


def accepted() -> dict[str, tuple[Fields, Profile, str]]:
    """Every envelope that a conformance case calls valid: with its profile and the hash of its canonical text, by name."""
    found = {}
    for name, case in CASES.items():
        if case["kind"] != "validate":
            continue
        given, expected = case["input"], case["expect"]
        pairs = zip(given["items"], expected["items"], strict=True) if "items" in given else [(given, expected)]
        for place, (item, result) in enumerate(pairs):
            if "canonical_sha256" in result:
                found[f"{name}[{place}]"] = expanded(item["envelope"]), Profile(item["profile"]), result["canonical_sha256"]
    return found


def uploaded() -> dict[str, tuple[Fields, str]]:
    """Every envelope that a step of an upload case is accepted with, as it is sent, and the digest that it should have; by name."""
    found = {}
    for name, case in CASES.items():
        steps = zip(case["input"]["steps"], case["expect"]["steps"], strict=True) if case["kind"] == "sync" else ()
        for place, (step, expected) in enumerate(steps):
            if "graphDigest" in expected:
                document = json.loads(sent(step)[0])["graph"]
                found[f"{name}[{place}]"] = document, expected["graphDigest"]
    return found
