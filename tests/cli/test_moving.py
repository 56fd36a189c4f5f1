"""Moving graphs with commands (O5, O7, O14, O37): out of one store and into another, cut off and repeated, and what may be wrong."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import httpx
import msgspec
import pytest

from app.cli.backup import Index
from app.domain.card import Card
from app.settings import StoreAddress
from tests.application import KEY
from tests.cli.conftest import LOG, event
from tests.cli.process import AGW, Serving, agw, environment, serving
from tests.cli.test_mistakes import one_line
from tests.services.test_bases import base_of
from tests.strategies.logs import random_log

TITLE = "Ünü\u2028 🎉 \\"


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of an embedded store that no gateway runs on: a log with late events, one that starts from a keyframe, an empty graph."""
    folder = tmp_path_factory.mktemp("saved")
    data_dir = folder / "data"
    log = random_log(2, 300)
    _, said = base_of(log[:60])
    with serving(data_dir):
        for name, lines in (("late", log[40:]), ("based", [*said, *log[60:]])):
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
            assert agw(data_dir, "import", str(folder / f"{name}.jsonl"), "--keep", "7000").returncode == 0
        late = next(each["id"] for each in json.loads(agw(data_dir, "graphs", "--json").stdout) if each["title"] == "late")
        text = "".join(json.dumps(line) + "\n" for line in log[:40]).encode()
        assert agw(data_dir, "import", "-", "--graph", late, stdin=text).stdout.endswith("40 accepted, 0 duplicates, 0 skipped\n")
        assert agw(data_dir, "create", "--title", TITLE).returncode == 0
    done = agw(data_dir, "export", "--all", str(folder / "out"))
    assert (done.returncode, done.stdout) == (0, f"3 graphs, {300 + len(said) + 240} lines\n"), done.stderr
    return folder / "out"


def index_of(folder: Path) -> Index:
    return msgspec.json.decode((folder / "index.json").read_bytes(), type=Index)


def cards(folder: Path) -> list[tuple[object, ...]]:
    """What must be the same in every export of the same graphs."""
    return [tuple(getattr(entry, name) for name in (*Card.__struct_fields__, "lines", "sha256")) for entry in index_of(folder).graphs]


@pytest.fixture
def copy(saved: Path, tmp_path: Path) -> Path:
    """A copy of the export, to be spoilt; its graphs have other ids, as `saved`'s are in the shared gateway already."""
    folder = tmp_path / "copy"
    folder.mkdir()
    for file in saved.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    text = (folder / "index.json").read_text()
    for number, entry in enumerate(index_of(saved).graphs):
        text = text.replace(f'"id": "{entry.id}"', f'"id": "gph_{abs(hash(str(tmp_path))) % 10**10:011d}{number}"')
    (folder / "index.json").write_text(text)
    return folder


def test_everything_goes_from_store_to_store_and_back(saved: Path, tmp_path: Path) -> None:
    """O37: ids, titles, sources and events; it can be repeated; what is exported there is what was imported."""
    for there in (False, True):
        done = agw(tmp_path / "data", "import", "--all", str(saved))
        assert (done.returncode, done.stderr) == (0, "")
        assert re.fullmatch(r"3 graphs, \d+ lines( \(\d+ were there\))?\n", done.stdout)
        assert ("were there" in done.stdout) == there
    done = agw(tmp_path / "data", "export", "--all", str(tmp_path / "again"), "--json")
    assert json.loads(done.stdout)["graphs"] == 3
    assert cards(tmp_path / "again") == cards(saved)
    found = {each["title"]: each for each in json.loads(agw(tmp_path / "data", "graphs", "--json").stdout)}
    assert {title: each["retention"]["eventCount"] for title, each in found.items()} == {"late": 300, "based": 240, TITLE: 0}
    assert {each["source"] for each in found.values()} == {"WATCH"}


def test_from_the_embedded_store_to_the_one_under_test(saved: Path, copy: Path, store_address: StoreAddress, tmp_path: Path) -> None:
    """O37: the way from the embedded store to Neo4j, and out of it again."""
    variables = {
        "NEO4J_URI": store_address.uri, "NEO4J_USERNAME": store_address.username, "NEO4J_PASSWORD": store_address.password,
        "AGW_ADMIN_KEY": KEY, **({"NEO4J_DATABASE": store_address.database} if store_address.database else {}),
    }  # fmt: skip
    done = agw(tmp_path / "data", "import", "--all", str(copy), **variables)
    assert done.returncode == 0, done.stderr
    for entry in index_of(copy).graphs:
        out = agw(tmp_path / "data", "export", entry.id, **variables)
        assert out.returncode == 0, out.stderr
        assert out.stdout.encode() == (saved / entry.file).read_bytes()


def test_through_a_gateway_too(gateway: Serving, copy: Path, tmp_path: Path) -> None:
    """O14, O37: import, single exports and whole ones by HTTP."""
    done = agw(gateway.data_dir, "import", "--all", str(copy), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["there"] == 0
    for entry in index_of(copy).graphs:
        assert agw(gateway.data_dir, "export", entry.id).stdout.encode() == (copy / entry.file).read_bytes()
    assert agw(gateway.data_dir, "export", "--all", str(tmp_path / "whole")).returncode == 0
    assert set(cards(copy)) <= set(cards(tmp_path / "whole"))


def test_an_export_can_be_imported_as_any_log(gateway: Serving, graph: str) -> None:
    """O7: oldest first, whatever their order was; its import has the same tree."""
    lines = agw(gateway.data_dir, "export", graph).stdout
    assert [json.loads(line) for line in lines.splitlines()] == [json.loads(line) for line in LOG.split(b"\n")]
    made = agw(gateway.data_dir, "import", "-", stdin=lines.encode()).stdout.splitlines()
    assert made[1] == "8 accepted, 0 duplicates, 0 skipped"
    one, two = (json.loads(agw(gateway.data_dir, "tree", each, "--json").stdout)["nodes"] for each in (graph, made[0]))
    assert one == two


def test_a_restore_that_was_cut_off_goes_on(gateway: Serving, copy: Path) -> None:
    """O37: what is there already is looked at and left; the rest follows."""
    entry = max(index_of(copy).graphs, key=lambda entry: entry.lines)
    card = Card(**{name: getattr(entry, name) for name in Card.__struct_fields__})
    some = b"\n".join((copy / entry.file).read_bytes().split(b"\n")[:100])
    with httpx.Client(base_url=gateway.url, headers={"Authorization": f"Bearer {gateway.key}"}) as client:
        assert client.put(f"/api/import/{entry.id}", content=msgspec.json.encode(card)).status_code == 200
        assert client.post(f"/api/import/{entry.id}", content=some).json()["accepted"] == 100
    assert json.loads(agw(gateway.data_dir, "import", "--all", str(copy), "--json").stdout)["there"] == 100
    assert agw(gateway.data_dir, "export", entry.id).stdout.encode() == (copy / entry.file).read_bytes()


def test_a_graph_that_is_there_with_other_events_is_refused(gateway: Serving, copy: Path) -> None:
    """O37: one line, and nothing is added to it."""
    entry = max(index_of(copy).graphs, key=lambda entry: entry.lines)
    card = Card(**{name: getattr(entry, name) for name in Card.__struct_fields__})
    other = event(1, "session.started", "claude-code:s", {}) + b"\n"
    with httpx.Client(base_url=gateway.url, headers={"Authorization": f"Bearer {gateway.key}"}) as client:
        client.put(f"/api/import/{entry.id}", content=msgspec.json.encode(card))
        client.post(f"/api/import/{entry.id}", content=other)
    done = agw(gateway.data_dir, "import", "--all", str(copy))
    one_line(done, entry.id, "other events", "are complete")
    assert done.returncode == 1
    assert agw(gateway.data_dir, "export", entry.id).stdout.encode() == other


def test_an_import_that_is_killed_is_repeated_with_its_graph(gateway: Serving, tmp_path: Path) -> None:
    """O5: the same graph in the end; ids that are held already count as duplicates."""
    file = tmp_path / "log.jsonl"
    lines = [event(number, "activity", f"claude-code:s{number % 9}", {"tool": "x"}) for number in range(1, 3_600)]
    file.write_bytes(b"\n".join(lines * 2))
    graph = agw(gateway.data_dir, "create", "--keep", "0").stdout.strip()
    importing = subprocess.Popen([*AGW, "import", str(file), "--graph", graph], env=environment(gateway.data_dir), cwd=tmp_path)
    until = time.monotonic() + 60
    with httpx.Client(base_url=gateway.url, headers={"Authorization": f"Bearer {gateway.key}"}) as client:
        query = f'{{ graph(id: "{graph}") {{ retention {{ eventCount }} }} }}'
        while not client.post("/graphql", json={"query": query}).json()["data"]["graph"]["retention"]["eventCount"]:
            assert time.monotonic() < until
            time.sleep(0.01)
    importing.kill()
    importing.wait(10)
    again = agw(gateway.data_dir, "import", str(file), "--graph", graph).stdout
    accepted, duplicates = map(int, re.findall(r"(\d+) (?:accepted|duplicates)", again))
    assert accepted + duplicates == 2 * 3_599
    assert duplicates >= 3_599 + 1_000
    held = agw(gateway.data_dir, "export", graph).stdout.splitlines()
    assert [json.loads(line) for line in held] == [json.loads(line) for line in lines]


def cut_short(folder: Path) -> None:
    file = max(folder.glob("*.jsonl"), key=lambda file: file.stat().st_size)
    file.write_bytes(file.read_bytes()[:-100])


def one_letter(folder: Path) -> None:
    file = max(folder.glob("*.jsonl"), key=lambda file: file.stat().st_size)
    file.write_bytes(file.read_bytes().replace(b"session", b"sessiom", 1))


def missing(folder: Path) -> None:
    max(folder.glob("*.jsonl")).unlink()


def no_index(folder: Path) -> None:
    (folder / "index.json").unlink()


def half_an_index(folder: Path) -> None:
    (folder / "index.json").write_bytes((folder / "index.json").read_bytes()[:-50])


def of_another_version(folder: Path) -> None:
    text = (folder / "index.json").read_text()
    (folder / "index.json").write_text(text.replace('"version": 1', '"version": 2'))


def leading_elsewhere(folder: Path) -> None:
    text = (folder / "index.json").read_text()
    (folder / "index.json").write_text(re.sub(r'"file": "[^"]+"', '"file": "../../etc/x.jsonl"', text, count=1))


def twice(folder: Path) -> None:
    found = json.loads((folder / "index.json").read_bytes())
    found["graphs"].append(found["graphs"][0])
    (folder / "index.json").write_text(json.dumps(found))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (cut_short, ("damaged", "Nothing was imported")),
        (one_letter, ("damaged", "Nothing was imported")),
        (missing, ("No such file", "Nothing was imported")),
        (no_index, ("no index.json", "cut off")),
        (half_an_index, ("index.json is damaged",)),
        (of_another_version, ("index.json", "another version")),
        (leading_elsewhere, ("index.json is damaged",)),
        (twice, ("index.json is damaged", "twice")),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_a_spoilt_export_is_refused_before_anything_is_written(
    copy: Path, tmp_path: Path, spoil: Callable[[Path], None], said: tuple[str, ...]
) -> None:
    """O14, O37: one line; the store is not even opened."""
    spoil(copy)
    done = agw(tmp_path / "data", "import", "--all", str(copy))
    one_line(done, *said)
    assert done.returncode == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (("export",), ("name a graph", "--all"), 2),
        (("export", "gph_AAAAAAAAAAAA", "--all", "{}/new"), ("name a graph", "--all"), 2),
        (("export", "nonsense"), ("nonsense", "agw graphs"), 1),
        (("export", "gph_AAAAAAAAAAAA"), ("such graph", "agw graphs"), 1),
        (("export", "--all", "{}/full"), ("full", "not empty"), 1),
        (("export", "--all", "{}/half"), ("half", "cut off", "delete"), 1),
        (("export", "--all", "{}/file"), ("file", "folder"), 1),
        (("export", "--all", "{}/file/below"), ("file/below",), 1),
        (("export", "--all", ""), ("empty name",), 2),
        (("import",), ("files", "--all"), 2),
        (("import", "--all", "{}/nowhere"), ("nowhere", "no such folder"), 1),
        (("import", "--all", "{}/full"), ("full", "no index.json"), 1),
        (("import", "x", "--all", "{}/full"), ("--all", "alone"), 2),
        (("import", "--all", "{}/full", "--title", "x"), ("--all", "alone"), 2),
    ],
)
def test_mistakes_are_one_line(gateway: Serving, tmp_path: Path, arguments: tuple[str, ...], said: tuple[str, ...], code: int) -> None:
    """O14: what to do, and exit 1, or 2 for wrong usage; nothing on standard output, no file is left."""
    for name, inside in (("full", "notes.txt"), ("half", "000001-gph_AAAAAAAAAAAA.jsonl")):
        (tmp_path / name).mkdir()
        (tmp_path / name / inside).write_text("x")
    (tmp_path / "file").write_text("x")
    done = agw(gateway.data_dir, *(argument.replace("{}", str(tmp_path)) for argument in arguments))
    one_line(done, *said)
    assert (done.returncode, done.stdout) == (code, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "full", "half"]


@pytest.fixture
def failing_door() -> Iterator[int]:
    """Something that answers as a gateway does, and ends every export early."""

    class Door(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            card = Card(id="gph_AAAAAAAAAAAA", account="local", title=None, source="watch", created=1, retention_events=0)
            self.send_response(200)
            self.send_header("Export-Lines", "3")
            self.end_headers()
            self.wfile.write(b'{"graphs": [' + msgspec.json.encode(card) + b"]}" if self.path == "/api/export" else b"{}\n{}\n")

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Door) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.parametrize("arguments", [("--all", "{}"), ("gph_AAAAAAAAAAAA",)])
def test_an_export_that_breaks_off_leaves_nothing(failing_door: int, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """O7, O37: what came too short is not printed, and no file is left that could be taken for a part of an export."""
    folder = tmp_path / "out"
    given = (argument.replace("{}", str(folder)) for argument in arguments)
    done = agw(tmp_path / "data", "export", *given, AGW_URL=f"http://127.0.0.1:{failing_door}", AGW_KEY=KEY)
    one_line(done, "gph_AAAAAAAAAAAA", "broke off", "again")
    assert (done.returncode, done.stdout) == (1, "")
    assert not folder.exists() or list(folder.iterdir()) == []
