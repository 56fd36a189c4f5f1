"""An import of many events, cut off and gone on with (O5, issue: a long import)."""

from __future__ import annotations

import json
import subprocess
import time
from itertools import count
from pathlib import Path

from app.demo.fleet import fleet
from tests.cli.process import AGW, Serving, agw, environment
from tests.cli.test_follow import COUNT, ask

EVENTS = 8_000
LONG_EVENTS = 20_000


def test_an_import_that_was_killed_goes_on_where_it_stopped(gateway: Serving, tmp_path: Path, long: bool) -> None:
    """O5, Q19: what is there counts as repeated; in the end it is the whole log, in its order."""
    size = LONG_EVENTS if long else EVENTS
    file = tmp_path / "fleet.jsonl"
    log = list(fleet(size, keyframe=False))
    file.write_text("".join(json.dumps(event) + "\n" for event in reversed(log)))
    graph = agw(gateway.data_dir, "create", "--keep", "0").stdout.strip()
    command = [*AGW, "import", str(file), "--graph", graph]
    with subprocess.Popen(command, env=environment(gateway.data_dir), cwd=tmp_path, stdout=subprocess.DEVNULL) as importing:
        for _ in count():
            there = ask(gateway, COUNT, id=graph)["graph"]["retention"]["eventCount"]
            if there >= 2_000:
                break
            assert importing.poll() is None
            time.sleep(0.1)
        importing.kill()
    done = [json.loads(agw(gateway.data_dir, *command[len(AGW) :], "--json", seconds=500).stdout) for _ in range(2)]
    assert done[0]["duplicates"] >= there
    assert [each["accepted"] + each["duplicates"] for each in done] == [size, size]
    assert (done[1]["accepted"], done[1]["skipped"]) == (0, 0)
    held = ask(gateway, COUNT, id=graph)["graph"]["retention"]
    assert held == {"eventCount": size, "lastEventId": f"evt_{log[-1]['id']}"}
    exported = agw(gateway.data_dir, "export", graph).stdout.splitlines()
    assert [json.loads(line)["id"] for line in exported] == [event["id"] for event in log]
