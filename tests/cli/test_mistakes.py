"""What goes wrong ends in one line that says what to do, and an exit code (O14, issue: bad input)."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.cli.process import Serving, agw

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
    "several workers": Mistake(("serve", "--workers", "2", "--port", "0"), ("worker",)),
    "a wrong setting": Mistake(("graphs",), ("AGW_PORT", "http"), 1, (("AGW_PORT", "http"),)),
    "a wrong operator's key": Mistake(("serve", "--port", "0"), ("AGW_ADMIN_KEY",), 1, (("AGW_ADMIN_KEY", "hunter2-hunter2"),)),
    "no gateway there": Mistake(("graphs",), ("{free}", "agw serve"), 1, (("AGW_URL", "http://127.0.0.1:{free}"), ("AGW_KEY", KEY))),
    "no key for there": Mistake(("graphs",), ("AGW_KEY",), 1, (("AGW_URL", "http://127.0.0.1:1"),)),
    "no address at all": Mistake(("graphs",), ("AGW_URL",), 1, (("AGW_URL", "nonsense"), ("AGW_KEY", KEY))),
    "another program there": Mistake(("graphs",), ("{other}", "AGW_URL"), 1, (("AGW_URL", "http://127.0.0.1:{other}"), ("AGW_KEY", KEY))),
    "no Neo4j there": Mistake(("graphs",), ("NEO4J_URI",), 1, (("NEO4J_URI", "bolt://127.0.0.1:{free}"),)),
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


def test_a_stale_note_of_a_gateway_is_not_believed(tmp_path: Path, log_file: Path) -> None:
    """O14: after a kill -9 `gateway.json` is left; its process number may be somebody else's by now."""
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    (data_dir / "gateway.json").write_text(f'{{"url": "http://127.0.0.1:9", "pid": {os.getpid()}, "created": 1.0}}')
    done = agw(data_dir, "create", "--title", "mine")
    assert done.returncode == 0, done.stderr
    (data_dir / "gateway.json").write_text("{")
    assert agw(data_dir, "graphs").returncode == 0
