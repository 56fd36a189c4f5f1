"""`agw rho`: results as JSON, exit 1 where something is refused; no gateway, no store (O13, O14)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import agw

CASES = Path(__file__).parents[1] / "conformance/data/rho"


def case(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    found = json.loads((CASES / f"{name}.json").read_text())
    return found["input"], found["expect"]


def run(data_dir: Path, *arguments: str, document: object) -> tuple[int, str, str]:
    done = agw(data_dir, "rho", *arguments, "-", stdin=json.dumps(document).encode())
    assert not data_dir.exists()  # nothing was opened
    return done.returncode, done.stdout, done.stderr


def test_validate_and_digest(data_dir: Path) -> None:
    """G32, G52: what is said of a valid envelope."""
    given, expected = case("validate-canonical-order-offsets-and-escapes")
    code, said, _ = run(data_dir, "validate", document=given["envelope"])
    assert (code, json.loads(said)) == (0, {name: value for name, value in expected.items() if name != "canonical"})
    code, said, _ = run(data_dir, "digest", document=given["envelope"])
    assert (code, json.loads(said)) == (0, {name: expected[name] for name in ("canonical_sha256", "graph_digest")} | {"ok": True})


def test_canonicalize_is_exact(data_dir: Path) -> None:
    """G14: the canonical text and nothing else, so that its hash is the document's."""
    given, expected = case("validate-canonical-order-offsets-and-escapes")
    code, said, _ = run(data_dir, "canonicalize", document=given["envelope"])
    assert (code, said) == (0, expected["canonical"])
    assert hashlib.sha256(said.encode()).hexdigest() == expected["canonical_sha256"]


def test_prepare(data_dir: Path) -> None:
    """G45: the prepared text, its hash and its id."""
    given, expected = case("normalize-whole-envelope")
    code, said, _ = run(data_dir, "prepare", document=given["envelope"])
    found = json.loads(said)
    assert code == 0
    for name in ("prepared_json", "prepared_bytes", "query_sha256", "sync_id", "facts"):
        assert found[name] == expected[name]


def test_schedule_takes_lists_objects_and_envelopes(data_dir: Path) -> None:
    """G67, G69, M17."""
    given, expected = case("schedule-diamond")
    for document in (given["tasks"], given):
        code, said, _ = run(data_dir, "schedule", document=document)
        assert (code, json.loads(said)) == (0, expected)
    envelope = case("validate-session-graph")[0]["envelope"]
    code, said, _ = run(data_dir, "schedule", document=envelope)
    assert code == 0
    assert json.loads(said)["waves"] == [["task_1", "task_1.1"], ["task_2"]]
    assert json.loads(said)["ready"] == ["task_2"]


@pytest.mark.parametrize(
    ("arguments", "document", "error"),
    [
        (("validate",), [], {"kind": "not_object", "path": ""}),
        (("validate", "--profile", "cloud"), {}, {"kind": "missing_field", "path": "schema_version"}),
        (("canonicalize",), {"schema_version": "x"}, {"kind": "unsupported_schema_version", "path": "schema_version"}),
        (("digest",), {"schema_version": 1}, {"kind": "wrong_type", "path": "schema_version"}),
        (("prepare",), {"schema_version": None}, {"kind": "wrong_type", "path": "schema_version"}),
        (("schedule",), {"tasks": [{"id": "a"}]}, {"kind": "missing_field", "path": "tasks[0].status"}),
        (("schedule",), [{"id": "a", "status": "x"}], {"kind": "invalid_status", "task": "a"}),
        (
            ("schedule",),
            [
                {"id": "b", "status": "pending", "dependencies": [{"targetId": "a", "type": "blocks"}]},
                {"id": "a", "status": "pending", "dependencies": [{"targetId": "b", "type": "blocks"}]},
            ],
            {"kind": "cycle", "cycle": ["a", "b"]},
        ),
    ],
)
def test_refusals_are_results_too(data_dir: Path, arguments: tuple[str, ...], document: object, error: dict[str, object]) -> None:
    """O13, O14: the failure as JSON, one line on standard error, exit code 1."""
    code, said, told = run(data_dir, *arguments, document=document)
    assert (code, json.loads(said)) == (1, {"ok": False, "error": error})
    assert told.count("\n") == 1
    assert str(error["kind"]) in told


def test_a_file_that_is_not_there_or_not_json(data_dir: Path, tmp_path: Path) -> None:
    """O14."""
    gone = agw(data_dir, "rho", "validate", str(tmp_path / "gone.json"))
    assert (gone.returncode, gone.stdout) == (1, "")
    assert "No such file" in gone.stderr
    file = tmp_path / "twice.json"
    file.write_text('{"a": 1, "a": 2}')
    twice = agw(data_dir, "rho", "validate", str(file))
    assert (twice.returncode, json.loads(twice.stdout)["error"]["kind"]) == (1, "invalid_json")
    assert agw(data_dir, "rho", "validate", str(file), "--profile", "lax").returncode == 2
