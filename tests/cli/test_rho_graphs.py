"""`agw rho import`, `export` and `sync`: through a gateway and without one (O13, O14, G90, G91)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.domain.rho.normalize import prepare
from app.domain.rho.profiles import Profile
from app.domain.rho.validate import validate
from app.services.mission_files import NAME
from tests.cli.process import Serving, agw
from tests.domain.rho.envelopes import edge, envelope, node, session

SID = "claude-code.s"


def run(data_dir: Path, *arguments: str, document: Any = None, **more: str) -> tuple[int, Any, str]:
    """Exit code, what was printed, and what was said beside it."""
    stdin = b"" if document is None else document if isinstance(document, bytes) else json.dumps(document).encode()
    done = agw(data_dir, "rho", *arguments, stdin=stdin, **more)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def test_import_and_export_through_a_gateway(gateway: Serving) -> None:
    """O13, G90: kept once; a session that came as a graph is exported as it is; what is refused says what and where, and exits with 1."""
    document = session("from-a-file")
    code, said, _ = run(gateway.data_dir, "import", "-", "--project", "p1", document=document)
    assert (code, said["ok"], said["created"], said["facts"]) == (0, True, True, 1)
    code, again, _ = run(gateway.data_dir, "import", "-", "--project", "p1", document=document)
    assert (code, again) == (0, {**said, "created": False})
    assert run(gateway.data_dir, "export", "from-a-file")[:2] == (0, document)
    for bad, kind, path in (
        (envelope(node("rho/task/a"), edge("e", "contains", "rho/task/a", "rho/task/b")), "dangling_edge_target", "edges[0].to"),
        (b'{"nodes": [], "nodes": []}', "invalid_json", ""),
        (b" " * 1_048_577, "body_too_large", ""),
    ):
        code, said, beside = run(gateway.data_dir, "import", "-", document=bad)
        assert (code, said) == (1, {"ok": False, "error": {"kind": kind, "path": path}})
        assert beside.startswith("Standard input is refused")


def test_export_of_a_session(gateway: Serving, graph: str) -> None:
    """G90, G86: by name or the latest; indented by two spaces; valid; not a word of what agents wrote."""
    assert graph
    done = agw(gateway.data_dir, "rho", "export", SID)
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert done.stdout == json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    validate(document, Profile.PORTABLE, closed=True)
    assert document["scope"] == {"repository_id": "dev"}
    assert "Ship the release" not in done.stdout
    assert {one["id"] for one in document["nodes"]} >= {f"rho/session/{SID}", f"rho/runtime-task/{SID}.a.b"}
    scoped = run(gateway.data_dir, "export", SID, "--repository", "mine")[1]
    assert scoped["scope"] == {"repository_id": "mine"}
    code, said, beside = run(gateway.data_dir, "export", "nobody")
    assert (code, said) == (1, None)
    assert beside == "No such session.\n"


def test_sync_sends_the_same_upload_again(gateway: Serving, graph: str) -> None:
    """G91, G46: accepted the first time, already there the second, under the id that the prepared graph has."""
    assert graph
    target = ("--url", gateway.url, "--project", "p1", "--key", gateway.key)
    code, first, _ = run(gateway.data_dir, "sync", SID, *target)
    assert (code, first["ok"], first["duplicate"]) == (0, True, False)
    code, second, _ = run(gateway.data_dir, "sync", SID, *target)
    assert (code, second) == (0, {**first, "duplicate": True})
    assert first["facts"] > 3


def test_missions(gateway: Serving, tmp_path: Path) -> None:
    """G60, G90, G91: from the mission's file, without a session; a session beside it is wrong usage."""
    document = envelope(node("rho/mission/m", entity_type="mission", status="completed"))
    (tmp_path / NAME).write_text(json.dumps(document))
    folder = ("--mission-dir", str(tmp_path))
    assert run(gateway.data_dir, "export", *folder)[:2] == (0, document)
    code, said, _ = run(gateway.data_dir, "sync", *folder, "--url", gateway.url, "--project", "p2", AGW_KEY=gateway.key)
    assert (code, said["facts"], said["sync_id"]) == (0, 1, prepare(document).sync_id)
    code, said, beside = run(gateway.data_dir, "export", "s", *folder)
    assert (code, said) == (2, None)
    assert "neither a session nor a repository" in beside
    code, said, _ = run(gateway.data_dir, "export", "--mission-dir", str(tmp_path / "none"))
    assert (code, said["error"]["kind"]) == (1, "missing_graph")


def test_what_is_wrong_is_said_in_one_line(gateway: Serving, graph: str) -> None:
    """G91, O14: not connected, refused and unreachable services."""
    assert graph
    wrong = "ag_sk_live_" + "0" * 32
    for arguments, code, words in (
        (("sync", SID), 1, "not connected"),
        (("sync", SID, "--url", gateway.url, "--key", gateway.key), 2, "--project"),
        (("sync", SID, "--url", gateway.url, "--key", wrong, "--project", "p"), 1, "HTTP 401"),
        (("sync", SID, "--url", "http://127.0.0.1:1", "--key", wrong, "--project", "p"), 1, "did not answer"),
        (("sync", SID, "--url", gateway.url, "--key", gateway.key, "--project", "a b"), 1, "invalid_project_id"),
        (("export", "a/b"), 2, "no session's id"),
        (("export", SID, "--repository", "a\nb"), 2, "--repository"),
        (("import", "/nowhere.json"), 1, "/nowhere.json"),
    ):
        found, _, beside = run(gateway.data_dir, *arguments)
        assert (found, words in beside, beside.count("\n")) == (code, True, 1), beside


def test_without_a_gateway(data_dir: Path, log_file: Path) -> None:
    """O14: the store is opened for as long as a command runs."""
    assert agw(data_dir, "import", str(log_file)).returncode == 0
    assert run(data_dir, "import", "-", document=session("x"))[1]["created"]
    assert f"rho/session/{SID}" in [one["id"] for one in run(data_dir, "export")[1]["nodes"]]
    code, said, _ = run(data_dir, "import", "-", document={**session("x"), "y": 1})
    assert (code, said["error"]) == (1, {"kind": "unknown_field", "path": "y"})
