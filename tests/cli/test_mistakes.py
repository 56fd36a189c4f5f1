"""What goes wrong ends in one line that says what to do, and an exit code (O14, issue: bad input)."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from app.cli.gateway import Served
from tests.cli.conftest import LOG, event
from tests.cli.process import Serving, agw, environment, serving
from tests.timing import TRIES

KEY = "ag_sk_live_" + "0" * 32


@dataclass(frozen=True)
class Mistake:
    """A command line with what its one line must say. `{}` stands for the folder that the test made."""

    arguments: tuple[str, ...]
    said: tuple[str, ...]
    code: int = 1
    variables: tuple[tuple[str, str], ...] = ()


MISTAKES = {
    "no such file": Mistake(("import", "{}/nowhere.jsonl"), ("nowhere.jsonl", "no such file")),
    "no text": Mistake(("import", "{}/binary.jsonl"), ("binary.jsonl", "no text", "JSON Lines")),
    "no event": Mistake(("import", "{}/words.jsonl"), ("words.jsonl", "2 lines skipped", "JSON Lines")),
    "an empty file": Mistake(("import", "{}/empty.jsonl"), ("empty.jsonl", "no events")),
    "a folder without events": Mistake(("import", "{}/folder"), ("folder", "*.jsonl")),
    "nothing on standard input": Mistake(("import", "-"), ("standard input", "no events")),
    "no command": Mistake(("frobnicate",), ("frobnicate", "--help"), 2),
    "no argument": Mistake(("tree",), ("GRAPH", "--help"), 2),
    "no such option": Mistake(("graphs", "--frobnicate"), ("--frobnicate", "--help"), 2),
    "a number that is none": Mistake(("import", "x", "--keep", "many"), ("--keep", "integer"), 2),
    "a negative number": Mistake(("create", "--keep", "-1"), ("--keep",), 2),
    "a moment that nothing takes": Mistake(("query", "{ graphs { totalCount } }", "--as-of", "10m"), ("--as-of", "$asOf: AsOf"), 2),
    "an odd moment": Mistake(("tree", "gph_AAAAAAAAAAAA", "--as-of", "tea time"), ("tea time", "evt_"), 2),
    "an odd variable": Mistake(("query", "{ viewer { account } }", "--var", "id"), ("name=value",), 2),
    "no such operation file": Mistake(("query", "nowhere.graphql"), ("nowhere.graphql", "no such file")),
    "a port in use": Mistake(("serve", "--port", "{port}"), ("{port}", "in use", "--port")),
    "no address of ours": Mistake(("serve", "--host", "203.0.113.7", "--port", "0"), ("203.0.113.7", "--host")),
    "a name that is no address": Mistake(("serve", "--host", "no.such.host.invalid", "--port", "0"), ("no.such.host.invalid", "--host")),
    "too many workers": Mistake(("serve", "--port", "0"), ("AGW_WORKERS", "9", "from 1 to 8"), 2, (("AGW_WORKERS", "9"),)),
    "a wrong setting": Mistake(("graphs",), ("AGW_PORT", "http", "whole number from 0 to 65535"), 2, (("AGW_PORT", "http"),)),
    "a wrong operator's key": Mistake(("serve", "--port", "0"), ("AGW_ADMIN_KEY",), 2, (("AGW_ADMIN_KEY", "hunter2-hunter2"),)),
    "no gateway there": Mistake(("graphs",), ("{free}", "agw serve"), 1, (("AGW_URL", "http://127.0.0.1:{free}"), ("AGW_KEY", KEY))),
    "no key for there": Mistake(("graphs",), ("AGW_KEY",), 1, (("AGW_URL", "http://127.0.0.1:1"),)),
    "no address at all": Mistake(("graphs",), ("AGW_URL", "http://"), 2, (("AGW_URL", "nonsense"), ("AGW_KEY", KEY))),
    "no such port": Mistake(("graphs",), ("AGW_URL", ":70000", "http://"), 2, (("AGW_URL", "http://127.0.0.1:70000"), ("AGW_KEY", KEY))),
    "a port that is no number": Mistake(("graphs",), ("AGW_URL", "http://"), 2, (("AGW_URL", "http://127.0.0.1:x"), ("AGW_KEY", KEY))),
    "a key of no form": Mistake(("graphs",), ("AGW_KEY", "ag_sk_live_"), 2, (("AGW_KEY", "é"),)),
    "an empty operation": Mistake(("query", ""), ("GraphQL operation",), 2),
    "an empty operation on standard input": Mistake(("query", "-"), ("standard input", "GraphQL operation"), 2),
    "a folder of operations": Mistake(("query", "{}/folder"), ("folder", "A file"), 1),
    "an empty name": Mistake(("import", ""), ("empty name",), 2),
    "more events than can be said": Mistake(("create", "--keep", "2147483648"), ("--keep", "2147483647"), 2),
    "more events than can be said of an import": Mistake(("import", "x", "--keep", "2147483648"), ("--keep", "2147483647"), 2),
    "a demo without events": Mistake(("demo", "--events", "0"), ("--events", "100"), 2),
    "a demo of too many events": Mistake(("demo", "--events", "1000001"), ("--events", "1000000"), 2),
    "a demo that keeps": Mistake(("demo", "--keep", "5"), ("--keep", "--help"), 2),
    "a demo at no address of ours": Mistake(("demo", "--host", "203.0.113.7"), ("203.0.113.7", "--host"), 1),
    "another program there": Mistake(("graphs",), ("{other}", "AGW_URL"), 1, (("AGW_URL", "http://127.0.0.1:{other}"), ("AGW_KEY", KEY))),
    "no Neo4j there": Mistake(("graphs",), ("No graph database answers", "NEO4J_URI"), 1, (("NEO4J_URI", "bolt://127.0.0.1:{free}"),)),
    "nobody to open a page of": Mistake(("open",), ("agw serve",), 1, (("NEO4J_URI", "bolt://127.0.0.1:{free}"),)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mistakes")
    (made / "binary.jsonl").write_bytes(b"\x7fELF\x02\x01\x01\x00\x00\x00\n\x00")
    (made / "words.jsonl").write_bytes(b"hello\nworld\n")
    (made / "empty.jsonl").write_bytes(b"")
    (made / "folder").mkdir()
    (made / "folder" / "notes.txt").write_text("no events")
    return made


@pytest.fixture(scope="module")
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture(scope="module")
def other_program() -> Iterator[int]:
    class Hello(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>hello</html>")

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Hello) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def one_line(done: object, *said: str) -> None:
    """Asserts that a command said these things on one line, and nothing else."""
    error = done.stderr  # type: ignore[attr-defined]
    assert len(error.splitlines()) == 1, error
    assert "Traceback" not in error
    assert "should not happen" not in error
    assert error.isprintable() or error[:-1].isprintable()
    for part in said:
        assert part in error


@pytest.mark.parametrize("name", list(MISTAKES))
def test_a_mistake_is_one_line_and_an_exit_code(name: str, folder: Path, taken: int, other_program: int, tmp_path: Path) -> None:
    """O14: what to do, exit 1, or 2 for wrong usage; nothing is left behind."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    places = {"{}": str(folder), "{port}": str(taken), "{free}": str(free), "{other}": str(other_program)}

    def placed(text: str) -> str:
        for sign, value in places.items():
            text = text.replace(sign, value)
        return text

    mistake = MISTAKES[name]
    variables = {key: placed(value) for key, value in mistake.variables}
    done = agw(tmp_path / "data", *map(placed, mistake.arguments), **variables)
    one_line(done, *map(placed, mistake.said))
    assert done.returncode == mistake.code
    assert done.stdout == ""
    assert "hunter2" not in done.stderr
    assert not (tmp_path / "data" / "store").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tree", "gph_AAAAAAAAAAAA"), ("such graph", "agw graphs")),
        (("tree", "nonsense"), ("such graph", "agw graphs")),
        (("import", "{log}", "--graph", "gph_AAAAAAAAAAAA"), ("gph_AAAAAAAAAAAA: ", "agw graphs")),
        (("open", "nonsense"), ("nonsense", "agw graphs")),
        (("query", "{ nonsense }"), ("nonsense",)),
        (("create", "--title", "x" * 201), ("200",)),
    ],
)
def test_what_the_gateway_refuses_is_one_line_too(
    gateway: Serving, log_file: Path, arguments: tuple[str, ...], said: tuple[str, ...]
) -> None:
    """O14: a missing graph and the like."""
    done = agw(gateway.data_dir, *(argument.replace("{log}", str(log_file)) for argument in arguments))
    one_line(done, *said)
    assert done.returncode == 1


@pytest.mark.parametrize("moment", ["2026-03-02T09:00:00Z", "0", "evt_01KJPWD6M0ESYXM8847Z000000"])
def test_a_moment_before_the_first_event_is_told_with_its_time(gateway: Serving, graph: str, moment: str) -> None:
    """O14, R25, R26: what there is instead, as `--as-of` takes it."""
    document = "query($id: ID!, $asOf: AsOf) { graph(id: $id, asOf: $asOf) { id } }"
    for command in (("tree", graph), ("query", document, "--var", f"id={graph}")):
        done = agw(gateway.data_dir, *command, "--as-of", moment)
        one_line(done, "no event that early", "evt_01KJPWD6M0ESYXM8847Z000001 of 2026-03-02T09:00:01.000Z", "2026-03-02T09:00:08.000Z")
        assert done.returncode == 1


def test_a_wrong_key_is_told(gateway: Serving, tmp_path: Path) -> None:
    """O14: and is not printed whole."""
    done = agw(tmp_path / "data", "graphs", AGW_URL=gateway.url, AGW_KEY=KEY)
    one_line(done, "AGW_KEY", gateway.url)
    assert done.returncode == 1
    assert KEY not in done.stderr


def test_an_argument_that_is_refused_is_named(gateway: Serving) -> None:
    """O14: the server's own words, and what they are about."""
    done = agw(gateway.data_dir, "query", "mutation { createGraph(input: {retentionEvents: -1}) { graph { id } } }")
    one_line(done, "retentionEvents")


def test_an_event_that_is_too_large_for_the_gateway_is_told_before_anything_is_written(gateway: Serving, tmp_path: Path) -> None:
    """O14, Q33: file, line, size and limit; no graph is made, and what fits beside it is not taken either."""
    file = tmp_path / "too-large.jsonl"
    file.write_bytes(LOG.split(b"\n")[0] + b"\n\n" + event(2, "activity", "claude-code:s", {"tool": "x" * 8_500_000}))
    done = agw(gateway.data_dir, "import", str(file))
    one_line(done, f"{file}:3: ", "8,500,", "8,386,608", "AGW_WRITE_BODY_BYTES", "Nothing was imported")
    assert done.returncode == 1
    assert "too-large" not in agw(gateway.data_dir, "graphs", "--json").stdout


@pytest.fixture
def small_door() -> Iterator[tuple[int, list[str]]]:
    """Something between a command and a gateway that takes 20,000 bytes: its port, and how it answers a larger body."""
    how: list[str] = []

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            if length > 20_000 and how == ["hangs up"]:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                self.connection.close()
                return
            body = self.rfile.read(length)
            self.send_response(413 if length > 20_000 else 200)
            self.end_headers()
            graph = b'"graph":{"id":"gph_AAAAAAAAAAAA"}'
            taken = b'"appendEvents":{"accepted":1,"duplicates":0,"invalid":[]}'
            limits = b'"server":{"limits":{"bodyBytes":8388608}}'
            answer = limits if b"bodyBytes" in body else taken if b"Append" in body else b'"createGraph":{' + graph + b"}"
            self.wfile.write(b'{"data":{' + answer + b"}}" if length <= 20_000 else b"<h1>413</h1>")

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Door) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign]  # we hung up ourselves
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, how
        server.shutdown()


@pytest.mark.parametrize("answer", ["hangs up", "refuses"])
def test_a_body_that_is_refused_on_the_way_is_told_with_what_was_taken(
    small_door: tuple[int, list[str]], tmp_path: Path, answer: str
) -> None:
    """O14: neither "try again" nor "check AGW_URL": the size, and how many events earlier batches brought."""
    port, how = small_door
    how.append(answer)
    file = tmp_path / "log.jsonl"
    file.write_bytes(LOG.split(b"\n")[0] + b"\n" + event(2, "activity", "claude-code:s", {"tool": "x" * 4_000_000}))
    done = agw(tmp_path / "data", "import", str(file), AGW_URL=f"http://127.0.0.1:{port}", AGW_KEY=KEY)
    one_line(done, "gph_AAAAAAAAAAAA: ", "4,000,", "AGW_WRITE_BODY_BYTES", "1 of 2 events are in", "--graph gph_AAAAAAAAAAAA")
    assert done.returncode == 1


def test_skipped_lines_are_told(gateway: Serving, tmp_path: Path) -> None:
    """E2: where they are and why, the first five, on standard error; the counts stay as they are."""
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"{broken\n" * 7 + LOG)
    done = agw(gateway.data_dir, "import", str(file))
    assert done.stdout.splitlines()[1] == "8 accepted, 0 duplicates, 7 skipped"
    assert done.stderr.splitlines() == [
        *(f"{file}:{number}: not JSON" for number in range(1, 6)),
        "… and 2 more lines that are no event.",
    ]


def test_a_data_directory_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """Bad input: not writable. A file stands in its way, which stops root as well."""
    (tmp_path / "file").write_text("x")
    for command in (("graphs",), ("serve", "--port", "0"), ("doctor",)):
        done = agw(tmp_path / "file" / "data", *command)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr + done.stdout
        assert "AGW_DATA_DIR" in done.stderr + done.stdout
    if os.geteuid() != 0:
        locked = tmp_path / "locked"
        locked.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
        one_line(agw(locked / "data", "graphs"), "AGW_DATA_DIR")


def test_a_broken_embedded_install_is_told(tmp_path: Path) -> None:
    """Bad input: the package without its files, and no package at all (a platform without one): set NEO4J_URI."""
    package = tmp_path / "shadow" / "arcadedb_embedded"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    root = Path(__file__).parents[2]
    done = agw(tmp_path / "data", "graphs", PYTHONPATH=f"{package.parent}{os.pathsep}{root}")
    one_line(done, "NEO4J_URI", "reinstall")
    assert done.returncode == 1
    doctor = agw(tmp_path / "data", "doctor", PYTHONPATH=f"{package.parent}{os.pathsep}{root}")
    assert doctor.returncode == 1
    assert "FAIL  embedded store" in doctor.stdout


def test_who_looks_for_a_demo_in_the_usual_place_is_led_to_it(tmp_path: Path) -> None:
    """O4, O14: a demo has a folder of its own in the data directory, in which commands look only if told to."""
    demo = tmp_path / "data of mine" / "demo"
    demo.mkdir(parents=True)
    Served.here("http://127.0.0.1:9").note(demo)
    done = agw(demo.parent, "open")
    one_line(done, "No gateway runs", f"A demo runs on {demo}: add --data-dir '{demo}'.")
    assert done.returncode == 1
    (demo / "gateway.json").unlink()
    one_line(agw(demo.parent, "open"), "agw serve")


HOLDER = """
import os, pathlib, sys
import psutil
from app.embedded.folder import Running, StoreFolder
folder = StoreFolder(pathlib.Path(sys.argv[1]))
folder.own()
me = psutil.Process()
folder.note(Running(pid=me.pid, created=me.create_time(), port=1, owner=me.pid, version=""))
print("mine", flush=True)
sys.stdin.read()
folder.forget()
"""


@contextmanager
def held_by_a_command(data_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """A data directory whose store a process has that looks like `agw import`, until its standard input ends."""
    command = [sys.executable, "-c", HOLDER, str(data_dir), "agw", "import", "events"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(data_dir)) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "mine\n"
        yield holder


@pytest.mark.alone
def test_who_has_the_store_for_long_is_named(tmp_path: Path) -> None:
    """O22: a gateway waits for a command some seconds, says so at once, and then names the command and its process."""
    with held_by_a_command(tmp_path / "data") as holder:
        took: list[float] = []
        while len(took) < TRIES and min(took, default=20) >= 20:
            started = time.monotonic()
            done = agw(tmp_path / "data", "serve", "--port", "0")
            took.append(time.monotonic() - started)
        assert 5 <= min(took) < 20
    waiting, refused = done.stderr.splitlines()
    assert waiting == f"Waiting up to 5 s. {refused}"
    assert refused.startswith(f"agw import (process {holder.pid}) uses {tmp_path / 'data'}: ")
    assert "--data-dir" in refused
    assert done.returncode == 1


@pytest.mark.alone
def test_a_gateway_starts_when_the_command_before_it_has_ended(tmp_path: Path) -> None:
    """O14, O22: one after the other, without anybody's doing."""
    with (
        held_by_a_command(tmp_path / "data") as holder,
        serving(tmp_path / "data", wait=False) as gateway,
    ):
        until = time.monotonic() + 30
        while not gateway.errors and time.monotonic() < until:
            time.sleep(0.05)
        assert gateway.errors[0].startswith("Waiting up to 5 s. agw import")
        assert holder.stdin is not None
        holder.stdin.close()
        while not gateway.output and time.monotonic() < until + 60:
            time.sleep(0.05)
        assert gateway.process.poll() is None
        assert gateway.output


def test_a_stale_note_of_a_gateway_is_not_believed(tmp_path: Path, log_file: Path) -> None:
    """O14: after a kill -9 `gateway.json` is left; its process number may be somebody else's by now."""
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    (data_dir / "gateway.json").write_text(f'{{"url": "http://127.0.0.1:9", "pid": {os.getpid()}, "created": 1.0}}')
    done = agw(data_dir, "create", "--title", "mine")
    assert done.returncode == 0, done.stderr
    (data_dir / "gateway.json").write_text("{")
    assert agw(data_dir, "graphs").returncode == 0
