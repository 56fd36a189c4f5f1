"""Envelopes of live sessions and missions, and the journal (sections B, G, I)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.domain.rho.envelope import graph_digest
from app.domain.rho.journal import SCHEMA, entry, entry_id, file_name, line, read_journal
from app.domain.rho.live import (
    Message,
    RuntimeTask,
    Session,
    StructuredTask,
    ToolCall,
    ToolResult,
    export_live,
    snapshot_time,
)
from app.domain.rho.mission import Feature, Join, Mission, export_mission, mission_file, mission_status, read_mission_file
from app.domain.rho.observations import decimal
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.schedule import Dependency
from app.domain.rho.texts import sha256_hex
from app.domain.rho.validate import validate
from tests.conformance.test_rho import CASES
from tests.domain.rho.test_agent_graph import edges, nodes

Fields = dict[str, Any]

NOW = "2026-10-01T09:30:00Z"
BEGUN = "2026-10-01T08:00:00Z"
SESSION = Session(
    "pear-42",
    (
        Message("user", "Mend the gate"),
        Message("assistant", "", (ToolCall("call-a", "Edit", 3), ToolCall("", "Bash", 1), ToolCall("call-c", "Read", 1))),
        Message("user", "a result", results=(ToolResult("call-a", False), ToolResult("call-c", True))),
        Message("user", "  \n"),
        Message("user", "And the fence"),
        Message("assistant", "done", (ToolCall("call-d", "Edit", 2),)),
    ),
    created_at=BEGUN,
    updated_at="2026-10-01T09:20:00Z",
    model="acme-large-2",
    name="Pears",
    cwd="/home/dev/orchard",
)
TASKS = (
    StructuredTask("task_1", "completed", "Gate", created_at=BEGUN, updated_at="2026-10-01T09:05:00.25Z"),
    StructuredTask(
        "task_1.1", "completed", "Hinge", parent="task_1", created_at=BEGUN, dependencies=(Dependency("task_1", "parent-child"),)
    ),
    StructuredTask(
        "task_2",
        "pending",
        "Fence",
        owner="mission",
        dependencies=(Dependency("task_1", "parent-child"), Dependency("task_1", "blocks"), Dependency("task_1.1", "related")),
    ),
)


def built(**more: Any) -> Fields:
    return export_live(
        SESSION, NOW, tasks=TASKS, runtime_tasks=(RuntimeTask("agent-7", "agent", "running", "Look", started_at=BEGUN),), **more
    )


def test_a_live_session() -> None:
    """G17, G20, G21, G24: each entity under what it belongs to, with digests for texts."""
    envelope = built()
    top, first, second = "rho/session/pear-42", "rho/task-request/pear-42/1", "rho/task-request/pear-42/2"
    calls = {id: f"rho/tool-call/pear-42/{id}" for id in ("call-a", "message-1-tool-1", "call-c", "call-d")}
    one, child, two = (f"rho/task/{id}" for id in ("task_1", "task_1.1", "task_2"))
    assert edges(envelope) == {
        (top, "contains", first),
        (top, "contains", second),
        *((first, "contains", calls[id]) for id in ("call-a", "message-1-tool-1", "call-c")),
        (second, "contains", calls["call-d"]),
        (top, "contains", one),
        (one, "contains", child),
        (top, "contains", two),
        (one, "contains", two),
        (two, "depends_on", one),
        (two, "references", child),
        (top, "contains", "rho/runtime-task/agent-7"),
    }
    status = {id: nodes(envelope)[calls[id]]["attributes"]["status"] for id in calls}
    assert status == {"call-a": "completed", "message-1-tool-1": "pending", "call-c": "failed", "call-d": "pending"}
    assert nodes(envelope)[first]["attributes"] == {
        "entity_type": "task_request",
        "data_classification": "metadata_only",
        "content_sha256": sha256_hex("Mend the gate"),
        "message_index": "0",
        "temporal_precision": "projection_time",
    }
    assert validate(envelope, Profile.PORTABLE, closed=True).warnings == ()
    assert envelope == built()
    assert snapshot_time(SESSION) == SESSION.updated_at
    changed = next(each for each in envelope["events"] if each["type"] == "transitioned")
    assert (changed["causation_id"], changed["idempotency_key"]) == (
        "rho/event/task/task_1/created",
        "rho/task/task_1/transitioned/completed",
    )


@pytest.mark.parametrize(
    ("tasks", "generated_at", "kind"),
    [
        ((StructuredTask("t", "pending", parent="gone"),), NOW, "dangling_edge_source"),
        ((StructuredTask("t", "pending", dependencies=(Dependency("gone", "blocks"),)),), NOW, "dangling_edge_target"),
        ((), "", "invalid_timestamp"),
        ((), "0001-01-01T00:00:00Z", "zero_timestamp"),
    ],
)
def test_a_projection_that_fails(tasks: tuple[StructuredTask, ...], generated_at: str, kind: str) -> None:
    """G24.9."""
    with pytest.raises(Refused) as caught:
        export_live(SESSION, generated_at, tasks=tasks)
    assert caught.value.kind == kind


def observations() -> list[Fields]:
    route = {
        "id": "flux/route/r",
        "kind": "operations",
        "created_at": BEGUN,
        "provenance": {"producer": "flux"},
        "attributes": {"entity": "route"},
    }
    report = {"id": "q/1", "kind": "quality", "created_at": BEGUN, "provenance": {"producer": "x"}, "attributes": {"entity": "report"}}
    finding = {"id": "q/2", "kind": "quality", "created_at": BEGUN, "provenance": {"producer": "x"}, "attributes": {"entity": "finding"}}
    made = [
        entry("pear-42", "policy", {"allowed": False, "risk": 3, "confidence": 0.5, "reason_sha256": "raw"}, NOW, tool_call_id="call-a"),
        entry("pear-42", "verification", {"failed": True, "finding_count": 2, "max_severity": "medium"}, NOW, tool_call_id="gone"),
        entry("pear-42", "runtime", {"source": "flux", "nodes": [route], "edges": [], "events": []}, NOW),
        entry("pear-42", "quality", {"source": "x", "nodes": [report, finding], "edges": [], "events": []}, NOW),
    ]
    return [each for each in made if each is not None]


def test_observations_are_merged() -> None:
    """G12, G24.6, G24.7, G24.10: on the call named, else on the session; only reports are linked."""
    found = observations()
    envelope = built(journal=found)
    top, policy = "rho/session/pear-42", f"rho/policy/{found[0]['id']}"
    assert edges(envelope) - edges(built()) == {
        ("rho/tool-call/pear-42/call-a", "governed_by", policy),
        (top, "validated_by", f"rho/verification/{found[1]['id']}"),
        (top, "produced", "flux/route/r"),
        (top, "validated_by", "q/1"),
    }
    attributes = nodes(envelope)[policy]["attributes"]
    assert (attributes["risk"], attributes["confidence"], attributes["reason_sha256"]) == ("blocked", "0.5", sha256_hex("raw"))
    assert nodes(envelope)["flux/route/r"]["attributes"] == {"entity": "route", "data_classification": "metadata_only"}
    assert [decimal(number) for number in (1, 1.0, 0.1, 1e-7, 10)] == ["1", "1", "0.1", "0.0000001", "10"]


def test_journal_reads_what_it_wrote() -> None:
    """G73, G75, G77-G79: append order; others' lines skipped; a torn last line is told."""
    found = observations()
    content = b"".join(map(line, found))
    other = line({**found[0], "session_id": "other"}) + line({"schema_version": "rho.graph-observation/v2", "session_id": "pear-42"})
    assert read_journal(other + content, "pear-42").entries == tuple(json.loads(line(each)) for each in found)
    assert read_journal(content, "pear-42").torn is False
    torn = read_journal(content + b'{"schema_ver', "pear-42")
    assert (len(torn.entries), torn.torn) == (len(found), True)
    assert read_journal(content.removesuffix(b"\n"), "pear-42") == read_journal(content, "pear-42")
    assert read_journal(b"", "pear-42").entries == ()
    with pytest.raises(Refused, match=r"invalid_json: lines\[0\]"):
        read_journal(b"{broken\n" + content, "pear-42")
    assert file_name("pear-42") == f"graph-observations/{sha256_hex('pear-42')}.jsonl"
    assert found[0]["schema_version"] == SCHEMA
    assert found[0]["id"] == entry_id("pear-42", "call-a", "", "policy", NOW)
    assert found[0]["id"] == sha256_hex(f"pear-42\0call-a\0\0policy\0{NOW}")[:20]


@pytest.mark.parametrize(
    ("kind", "content", "path"),
    [
        ("policy", {"allowed": 1, "risk": 0, "confidence": 1}, "policy.allowed"),
        ("policy", {"allowed": True, "risk": True, "confidence": 1}, "policy.risk"),
        ("policy", {"allowed": True, "risk": 4, "confidence": 1}, "policy.risk"),
        ("verification", {"failed": True, "finding_count": -1, "max_severity": "low"}, "verification.finding_count"),
        ("verification", {"failed": True, "finding_count": 1, "max_severity": "worst"}, "verification.max_severity"),
        ("verification", {"failed": True, "max_severity": "low"}, "verification.finding_count"),
        (
            "context",
            {"nodes": [{"id": "a", "kind": "quality", "created_at": BEGUN, "provenance": {"producer": "x"}}]},
            "context.nodes[0].kind",
        ),
        ("runtime", {"nodes": [{"id": "a", "kind": "quality", "provenance": {"producer": "x"}}]}, "runtime.nodes[0].created_at"),
    ],
)
def test_entries_that_are_refused(kind: str, content: Fields, path: str) -> None:
    """G76."""
    with pytest.raises(Refused) as caught:
        entry("pear-42", kind, content, NOW)
    assert caught.value.path == path


def test_nothing_to_write_is_no_error() -> None:
    """G78."""
    assert entry("  ", "policy", {}, NOW) is None
    assert entry("pear-42", "runtime", {"nodes": []}, NOW) is None


MISSION = Mission(
    "5be1c0aa",
    "Mend it all",
    (
        Feature("task_1", "completed", "Gate", "It shuts", "mission/task_1", True, BEGUN, "2026-10-01T08:40:00Z"),
        Feature("task_2", "failed", "Fence", completed_at="2026-10-01T09:10:00Z"),
        Feature("task_3", "pending"),
    ),
    (
        Join(1, ("task_1",), ("task_1",), (), (), BEGUN, "2026-10-01T08:40:00Z", "fine"),
        Join(2, ("task_2",), (), ("task_2",), ("task_3",), "2026-10-01T08:40:00Z", "2026-10-01T09:10:00Z", "not so"),
    ),
    "partial",
    BEGUN,
    "2026-10-01T09:10:00Z",
)


def test_a_mission_has_the_facts_of_the_conformance_case() -> None:
    """G55-G57: the same nodes, edges and events as the published example, and the statuses of waves; a file reads back (G59, G60)."""
    envelope = export_mission(MISSION, NOW, "orchard")
    example = CASES["validate-mission-graph"]["input"]["envelope"]
    features = {f"rho/event/mission-feature/5be1c0aa/task_{n}/observed" for n in (1, 2, 3)}
    for name in ("nodes", "edges"):
        assert {fact["id"] for fact in envelope[name]} == {fact["id"] for fact in example[name]}
    assert {fact["id"] for fact in envelope["events"]} == {fact["id"] for fact in example["events"]} | features
    assert edges(envelope) == edges(example)
    statuses = {id: node["attributes"].get("status") for id, node in nodes(envelope).items()}
    assert statuses == {id: node["attributes"].get("status") for id, node in nodes(example).items()}
    assert {id: set(node["attributes"]) for id, node in nodes(envelope).items()} == {
        id: set(node["attributes"]) for id, node in nodes(example).items()
    }
    assert nodes(envelope)["rho/mission-feature/5be1c0aa/task_3"]["attributes"]["description_sha256"] == sha256_hex("")  # G24.10
    assert graph_digest(read_mission_file(mission_file(envelope))) == graph_digest(envelope)
    assert mission_file(envelope).startswith(b'{\n  "edges": [')


def test_mission_files_that_are_refused() -> None:
    """G60."""
    for content, kind in ((b"{", "invalid_json"), (b"{}", "missing_field"), (b" " * 1_048_577, "body_too_large")):
        with pytest.raises(Refused) as caught:
            read_mission_file(content)
        assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        (("completed", "completed"), "completed"),
        (("completed", "failed"), "partial"),
        (("completed", "pending"), "partial"),
        (("failed", "pending"), "failed"),
    ],
)
def test_mission_status(statuses: tuple[str, ...], status: str) -> None:
    """G72.5."""
    assert mission_status(statuses) == status
