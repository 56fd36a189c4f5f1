"""The conformance cases of the event rules (E1-E137), held against every reader; each case names its rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.readers import READERS, Reader

CASES = sorted((Path(__file__).parent / "data" / "events").glob("*.json"))

FIELDS = (
    *("kind", "provider", "state", "title", "cwd", "summary", "headline", "attention", "purpose", "agent_type", "background"),
    *("link_method", "spawn_call_id", "stale", "background_agent_count", "parent", "requested_by", "children", "created_ms"),
    *("ended_ms", "last_event_ms", "tasks", "task_counts", "spawns", "waits", "messages", "blocked"),
)


def differences(expected: Any, actual: Any, path: str = "") -> list[str]:
    """Where `actual` is not as expected: objects key by key (null is absence), lists by length and order, anything else as it is."""
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return [f"{path}: expected an object, got {actual!r}"]
        return [line for key, value in expected.items() for line in differences(value, actual.get(key), f"{path}.{key}")]
    if isinstance(expected, list):
        if not isinstance(actual, list) or len(actual) != len(expected):
            return [f"{path}: expected {len(expected)} items, got {actual!r}"]
        pairs = enumerate(zip(expected, actual, strict=True))
        return [line for place, (one, other) in pairs for line in differences(one, other, f"{path}[{place}]")]
    same = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
    return [] if same else [f"{path}: expected {expected!r}, got {actual!r}"]


def lines_of(case: dict[str, Any]) -> bytes:
    lines = case["lines"] if "lines" in case else [json.dumps(event, ensure_ascii=False) for event in case["events"]]
    return "\n".join(lines).encode()


def test_all_cases_are_here() -> None:
    """A case that got lost would pass unseen."""
    assert len(CASES) == 249


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
def test_every_field_is_given(reader: Reader) -> None:
    """A field that a reader leaves out would pass wherever a case expects null."""
    event = {"v": 1, "id": "01KWQ000000000000000000001", "ts": "2027-03-04T09:00:00.000Z", "type": "status", "node": "acme:pier"}
    nodes = reader.read(json.dumps({**event, "data": {"state": "working"}}).encode(), None, None).nodes
    assert set(FIELDS) <= nodes["acme:pier"].keys()


@pytest.mark.parametrize("case_path", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
def test_case(reader: Reader, case_path: Path) -> None:
    """The rules that the case names, as it describes."""
    case = json.loads(case_path.read_text())
    expect = case["expect"]
    reading = reader.read(lines_of(case), case.get("now_ms"), case.get("as_of_event_id"))
    found = differences(expect.get("nodes", {}), reading.nodes)
    found += [f"{ref}: is not there" for ref in expect.get("nodes", {}) if ref not in reading.nodes]
    found += [f"{ref}: is there" for ref in expect.get("absent_nodes", []) if ref in reading.nodes]
    if "node_count" in expect:
        found += differences(expect["node_count"], len(reading.nodes), "node_count")
    if "roots" in expect:
        found += differences(expect["roots"], reading.roots, "roots")
    if "skipped_lines" in expect:
        found += differences(expect["skipped_lines"], reading.skipped, "skipped_lines")
    assert not found, "\n".join([f"{case['name']} {case['rules']}: {case['description']}", *found])
