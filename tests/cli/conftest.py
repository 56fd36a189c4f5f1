"""One gateway in a process of its own for all tests of commands, with a log in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.process import Serving, agw, serving


def event(n: int, kind: str, node: str, data: dict, parent: str | None = None) -> bytes:
    """The nth event of a log, at second n."""
    envelope = {
        "v": 1,
        "id": f"01KJPWD6M0ESYXM8847Z{n:06d}",
        "ts": f"2026-03-02T09:{n // 60:02d}:{n % 60:02d}.000Z",
        "type": kind,
        "node": node,
    }
    return json.dumps({**envelope, "parent": parent, "source": {"provider": "claude-code"}, "data": data}).encode()


LOG = b"\n".join(
    [
        event(1, "session.started", "claude-code:s", {"title": "Ship the release", "cwd": "/home/dev"}),
        event(2, "spawn.requested", "claude-code:s", {"call_id": "c1", "purpose": "Read the notes", "agent_type": "Explore"}),
        event(
            3, "agent.spawned", "claude-code:s/a", {"call_id": "c1", "purpose": "Read the notes", "agent_type": "Explore"}, "claude-code:s"
        ),
        event(4, "spawn.requested", "claude-code:s/a", {"call_id": "c2", "purpose": "Look deeper"}),
        event(5, "agent.spawned", "claude-code:s/a/b", {"call_id": "c2", "purpose": "Look deeper"}, "claude-code:s/a"),
        event(6, "tasks.updated", "claude-code:s/a/b", {"items": [{"id": "1", "text": "Look", "status": "completed"}]}),
        event(7, "status", "claude-code:s/a/b", {"state": "input_required", "summary": "May I run make?"}),
        event(8, "agent.finished", "claude-code:s/a/b", {"status": "completed", "summary": "done"}),
    ]
)


@pytest.fixture(scope="session")
def log_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of eight events, shuffled, with a repeated one, a malformed line and an empty one."""
    lines = LOG.split(b"\n")
    file = tmp_path_factory.mktemp("log") / "fleet.jsonl"
    file.write_bytes(b"\n".join([*lines[4:], b"{broken", *lines[:4], lines[2], b""]))
    return file


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A gateway as a user starts it."""
    with serving(tmp_path_factory.mktemp("gateway") / "data") as found:
        yield found


@pytest.fixture(scope="session")
def graph(gateway: Serving, log_file: Path) -> str:
    """The log, imported through the gateway; the graph's id."""
    done = agw(gateway.data_dir, "import", str(log_file), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["accepted"], found["duplicates"], found["skipped"]) == (8, 1, 1)
    return str(found["graph"])
