"""The main job, as a user does it: start the gateway, import logs, ask for nested trees of past and present over HTTP, stop it.

Every answer is compared with a fold of the log from scratch that shares no code with the product. `python -m tests.e2e.main_job` prints one
line of what it checked, and fails loudly on any difference.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from app.demo.fleet import fleet
from tests.cli.process import Serving, agw, serving
from tests.e2e.nested import expected, operation
from tests.oracle import Log, log_of, state_after

EVENTS = 1_000
FILES = 4


class WrongError(AssertionError):
    """An answer is not what the naive fold says."""


def main_job(folder: Path, **variables: str) -> str:
    """All of it, with a data directory and log files in `folder`; `variables` are the gateway's. Gives the line. Raises: WrongError."""
    one, several = list(fleet(EVENTS)), list(fleet(EVENTS, seed=11))
    file, files = folder / "fleet.jsonl", folder / "logs"
    file.write_text("".join(_line(event) for event in one))
    for number in range(FILES):
        part = files / f"session-{number}" / "events.jsonl"
        part.parent.mkdir(parents=True)
        part.write_text("".join(_line(event) for event in several[number::FILES]))
    nodes = 0
    with serving(folder / "data", **variables) as gateway:
        logs = [(_imported(gateway, file, one), one), (_imported(gateway, files, several), several)]
        with httpx.Client(base_url=gateway.url, headers={"Authorization": f"Bearer {gateway.key}"}, trust_env=False, timeout=60) as client:
            for graph_id, events in logs:
                nodes += sum(_checked(client, graph_id, log_of(events)))
        code = gateway.stop()
        if code != 0:
            raise WrongError(f"the gateway ended with exit code {code}: {''.join(gateway.errors)}")
        if any("Traceback" in text for text in (*gateway.output, *gateway.errors)):
            raise WrongError(f"the gateway wrote a traceback: {''.join(gateway.errors)}")
    return (
        f"main job: 2 logs of {EVENTS:,} lines imported (a file, a folder of {FILES}), 4 levels at 3 moments each over HTTP, "
        f"{nodes:,} nodes as the naive fold has them, stopped with exit code {code}"
    )


def _line(event: dict[str, Any]) -> str:
    return json.dumps(event, ensure_ascii=False) + "\n"


def _imported(gateway: Serving, path: Path, events: list[dict[str, Any]]) -> str:
    done = agw(gateway.data_dir, "import", str(path), "--json", **({} if gateway.admin_key is None else {"AGW_KEY": gateway.admin_key}))
    if done.returncode != 0:
        raise WrongError(f"agw import {path.name}: {done.stderr}")
    found = json.loads(done.stdout)
    wanted = len(log_of(events).events)
    if (found["accepted"], found["duplicates"], found["skipped"]) != (wanted, 0, 0):
        raise WrongError(f"agw import {path.name}: {found}, but the log has {wanted} events")
    return str(found["graph"])


def _checked(client: httpx.Client, graph_id: str, log: Log) -> Iterator[int]:
    """Compares an early, a middle and the present moment; gives how many nodes each had."""
    total = len(log.events)
    for n in (total // 50, total // 2, None):
        own_id = log.events[(total if n is None else n) - 1]["id"]
        as_of = None if n is None else {"event": f"evt_{own_id}"}
        answer = client.post("/graphql", json={"query": operation(), "variables": {"id": graph_id, "asOf": as_of}})
        body = answer.json()
        if answer.status_code != 200 or "errors" in body:
            raise WrongError(f"event {n or 'now'}: HTTP {answer.status_code}, {json.dumps(body)[:1000]}")
        time_ms = body["data"]["graph"]["asOfTime"]
        state = state_after(log, total if n is None else n, time_ms * 1_000_000 if n is None else None)
        moment_ms = time_ms if n is None else log.moment(n) // 1_000_000
        wrong = difference(body["data"], expected(state, own_id, moment_ms))
        if wrong:
            raise WrongError(f"event {n or 'now'} of {graph_id}: {wrong}")
        if not any(node["depth"] == 3 for node in state.values()) and n is None:
            raise WrongError("the log is too flat to show four levels")
        yield len(state)


def difference(found: Any, wanted: Any, path: str = "data") -> str | None:
    """The first place where two answers differ, members' names included."""
    if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
        inside: Iterator[str | None] = (difference(found[name], wanted[name], f"{path}.{name}") for name in wanted)
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        inside = (difference(one, other, f"{path}[{place}]") for place, (one, other) in enumerate(zip(found, wanted, strict=True)))
    else:
        same = type(found) is type(wanted) and found == wanted
        return None if same else f"{path} is {json.dumps(found)[:300]}, not {json.dumps(wanted)[:300]}"
    return next((wrong for wrong in inside if wrong), None)


def main() -> None:
    """For the command line and the last step of continuous integration."""
    with tempfile.TemporaryDirectory(prefix="agw-main-job-") as folder:
        try:
            sys.stdout.write(main_job(Path(folder)) + "\n")
        except WrongError as wrong:
            sys.exit(f"main job: {wrong}")


if __name__ == "__main__":
    main()
