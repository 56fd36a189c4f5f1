"""`agw attention`: what needs a person, and its exit code (O36, O14)."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import AGW, Serving, agw, environment
from tests.cli.test_mistakes import one_line

MINUTE = 60_000


def event(ms: int, number: int, kind: str, node: str, **data: Any) -> dict[str, Any]:
    ts = datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    return {"v": 1, "id": f"{ms:016d}{number:04d}", "ts": ts, "type": kind, "node": node, "data": data}


def states(now: int, *steps: tuple[float, str, str, dict[str, Any]]) -> bytes:
    """Events so many minutes ago."""
    made = [event(now - int(ago * MINUTE), n, kind, node, **data) for n, (ago, kind, node, data) in enumerate(steps)]
    return b"".join(json.dumps(each).encode() + b"\n" for each in made)


def made(gateway: Serving, text: bytes, *arguments: str) -> str:
    done = agw(gateway.data_dir, "import", "-", "--json", *arguments, stdin=text)
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["graph"])


def test_it_tells_what_asks_is_silent_stands_in_a_loop_or_failed_lately(gateway: Serving) -> None:
    """O36: since when and for what; a question that is put again stands since it was first put; what failed two hours ago is old."""
    now = time.time_ns() // 1_000_000
    asks = {"state": "input_required", "summary": "May I?"}
    graph = made(
        gateway,
        states(
            now,
            (130, "session.started", "p:old", {"title": "Old"}),
            (125, "status", "p:old", {"state": "failed", "summary": "Gone"}),
            (120, "session.started", "p:silent", {"title": "Silent"}),
            (119, "status", "p:silent", {"state": "working"}),
            (50, "session.started", "p:asks", {"title": "Asks"}),
            (45, "status", "p:asks", asks),
            (40, "status", "p:asks", {"state": "working"}),
            (30, "status", "p:asks", asks),
            (20, "status", "p:asks", {"state": "input_required", "summary": "May I now?"}),
            (10, "session.started", "p:failed", {"title": "Failed"}),
            (9, "status", "p:failed", {"state": "failed", "summary": "The disk is full"}),
            (8, "session.started", "p:a", {"title": "A"}),
            (8, "session.started", "p:b", {"title": "B"}),
            (7, "wait.started", "p:a", {"wait_id": "1", "on": "p:b"}),
            (7, "wait.started", "p:b", {"wait_id": "1", "on": "p:a"}),
            (6, "session.started", "p:well", {"title": "Well"}),
        ),
        "--title",
        "Crew",
    )
    done = agw(gateway.data_dir, "attention", graph, "--json")
    assert done.returncode == 3, done.stderr
    found = [(each["kind"], each["names"], each["since"], each["what"]) for each in json.loads(done.stdout)]
    assert found == [
        ("asks", ["Asks"], now - 30 * MINUTE, "May I now?"),
        ("failed", ["Failed"], now - 9 * MINUTE, "The disk is full"),
        ("stale", ["Silent"], now - 119 * MINUTE, None),
        ("loop", ["A", "B"], None, None),
    ]
    told = agw(gateway.data_dir, "attention")  # in all graphs
    assert told.returncode == 3
    mine = [line for line in told.stdout.splitlines() if line.startswith(graph)]
    assert mine[0] == f"{graph}  Crew  Asks asks for 30 min: May I now?"
    assert len(mine) == 4


def test_where_nothing_needs_anybody_it_ends_with_0(gateway: Serving) -> None:
    """O36."""
    now = time.time_ns() // 1_000_000
    graph = made(gateway, states(now, (2, "session.started", "p:s", {}), (1, "session.ended", "p:s", {})))
    done = agw(gateway.data_dir, "attention", graph)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "Nothing needs you.\n")
    one_line(agw(gateway.data_dir, "attention", "gph_AAAAAAAAAAAA"), "such graph", "agw graphs")


def test_watching_tells_each_as_it_comes_up(gateway: Serving, tmp_path: Path) -> None:
    """O36: once each, and again when it comes back."""
    now = time.time_ns() // 1_000_000
    graph = made(gateway, states(now, (9, "session.started", "p:s", {"title": "S"}), (8, "status", "p:s", {"state": "input_required"})))
    out = tmp_path / "out"

    def until(lines: int) -> list[dict[str, Any]]:
        end = time.monotonic() + 60
        while len(found := out.read_text().splitlines()) < lines:
            assert time.monotonic() < end, found
            time.sleep(0.1)
        return [json.loads(line) for line in found]

    command = [*AGW, "attention", graph, "--watch", "--json"]
    with out.open("wb") as stream, subprocess.Popen(command, stdout=stream, env=environment(gateway.data_dir), cwd=tmp_path) as watching:
        try:
            assert until(1)[0]["since"] == now - 8 * MINUTE
            made(
                gateway,
                states(now, (7, "status", "p:s", {"state": "working"}), (6, "status", "p:s", {"state": "failed"})),
                "--graph",
                graph,
            )
            assert [each["kind"] for each in until(2)] == ["asks", "failed"]
            assert len(until(2)) == 2
        finally:
            watching.terminate()


def test_a_tree_is_shown_again_when_it_changes(gateway: Serving, tmp_path: Path) -> None:
    """O8: `--watch`, each new state once."""
    now = time.time_ns() // 1_000_000
    graph = made(gateway, states(now, (9, "session.started", "p:s", {"title": "S"})))
    out = tmp_path / "out"

    def until(text: str) -> str:
        end = time.monotonic() + 60
        while text not in out.read_text():
            assert time.monotonic() < end, out.read_text()
            time.sleep(0.1)
        return out.read_text()

    command = [*AGW, "tree", graph, "--watch"]
    with out.open("wb") as stream, subprocess.Popen(command, stdout=stream, env=environment(gateway.data_dir), cwd=tmp_path) as watching:
        try:
            until("○ S")
            made(gateway, states(now, (8, "status", "p:s", {"state": "failed"})), "--graph", graph)
            assert until("✗ S").count("○ S") == 1
        finally:
            watching.terminate()


def test_graphs_are_deleted_all_or_none(gateway: Serving) -> None:
    """O35: every one must be there; where nobody can be asked, only with --yes."""
    one, two = (agw(gateway.data_dir, "create", "--title", title).stdout.strip() for title in ("one", "two"))
    refused = agw(gateway.data_dir, "delete", one)
    one_line(refused, "--yes")
    assert refused.returncode == 2
    one_line(agw(gateway.data_dir, "delete", one, "gph_AAAAAAAAAAAA", "--yes"), "gph_AAAAAAAAAAAA", "Nothing was deleted")
    done = agw(gateway.data_dir, "delete", one, two, one, "--yes", "--json")
    assert json.loads(done.stdout) == {"deleted": [one, two]}
    assert not {one, two} & {each["id"] for each in json.loads(agw(gateway.data_dir, "graphs", "--json").stdout)}
    one_line(agw(gateway.data_dir, "delete", one, "--yes"), "such graph")


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("", 1)])
def test_a_person_is_asked_before_a_graph_is_deleted(gateway: Serving, tmp_path: Path, answer: str, code: int) -> None:
    """O35: on a terminal, with what it is about."""
    graph = agw(gateway.data_dir, "create", "--title", "Mine").stdout.strip()
    leader, follower = pty.openpty()
    command = [*AGW, "delete", graph]
    with subprocess.Popen(
        command, stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(gateway.data_dir), cwd=tmp_path
    ) as asking:
        os.write(leader, f"{answer}\n".encode())
        out, err = asking.communicate(timeout=60)
    assert asking.returncode == code
    assert f"{graph}  0 events  Mine" in err.decode()
    assert (out.decode() == f"{graph}\n") == (code == 0)
