"""Each command through a running gateway (O3, O5, O8, O9, O11, O12, O14, O35)."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import time
from pathlib import Path

import httpx
import psutil
import pytest

from app.cli.announcing import exposure
from app.domain.key_form import is_key
from tests.cli.conftest import LOG
from tests.cli.process import AGW, Serving, agw, environment, serving
from tests.services.test_appending import FIRST, THIRD
from tests.services.test_bases import base_of

GRAPH_ID = re.compile(r"gph_[A-Za-z0-9]{12}")
TREE_AS_TEXT = """\
○ Ship the release  claude-code  blocked on 2  waits for Read the notes
└─ ● Read the notes  Explore  blocked on 1  waits for Look deeper
   └─ ? Look deeper  agent  asks: May I run make?
"""


def test_serve_says_where_it_is_and_how_to_get_in(gateway: Serving) -> None:
    """O3, O18, O19: address, one-time link, and the key this once; files for its owner alone."""
    text = "".join(gateway.output)
    assert gateway.key in text
    assert is_key(gateway.key)
    assert gateway.link.startswith(gateway.url + "/login?code=")
    assert not gateway.url.endswith(":0")
    for name in ("admin-key", "gateway.json"):
        assert stat.S_IMODE((gateway.data_dir / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(gateway.data_dir.stat().st_mode) == 0o700
    assert httpx.get(f"{gateway.url}/readyz").status_code == 200
    assert "set-cookie" in httpx.get(gateway.link).headers


def test_import_tells_what_became_of_each_line(gateway: Serving, graph: str, log_file: Path) -> None:
    """O5: again into the same graph, everything is a duplicate; from standard input too."""
    again = agw(gateway.data_dir, "import", "-", "--graph", graph, stdin=log_file.read_bytes())
    assert again.stdout == f"{graph}\n0 accepted, 9 duplicates, 1 skipped\n"
    assert again.returncode == 0


def test_import_makes_a_graph_that_keeps_everything(gateway: Serving, graph: str) -> None:
    """O5: source `watch`, its title the file's name, and K = 0."""
    found = json.loads(agw(gateway.data_dir, "graphs", "--json").stdout)
    mine = next(one for one in found if one["id"] == graph)
    assert (mine["title"], mine["source"], mine["retention"]["eventCount"]) == ("fleet", "WATCH", 8)


def test_graphs_lists_them_for_people(gateway: Serving, graph: str) -> None:
    """O8."""
    done = agw(gateway.data_dir, "graphs")
    assert re.search(rf"^{graph} +8  .* ago.* fleet *$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    "moment", ["evt_01KJPWD6M0ESYXM8847Z000007", "01KJPWD6M0ESYXM8847Z000007", "2026-03-02T09:00:07.500Z", "1772442007999"]
)
def test_tree_shows_a_past_moment(gateway: Serving, graph: str, moment: str) -> None:
    """O8, O14: states marked, blocked and waiting ones shown, as of an event or a time."""
    done = agw(gateway.data_dir, "tree", graph, "--as-of", moment)
    assert done.returncode == 0, done.stderr
    lines = [re.sub(r"  (\d/\d tasks|\d+ s)(?=  |$)", "", line) for line in done.stdout.splitlines()]
    shown = "\n".join(re.sub(r"  (?:Read the notes|Look)$", "", line) for line in lines[1:4]) + "\n"
    assert shown == TREE_AS_TEXT
    assert "evt_01KJPWD6M0ESYXM8847Z000007" in lines[0]


def test_tree_as_json_has_every_node(gateway: Serving, graph: str) -> None:
    """O14: `--json` on every command that prints facts."""
    found = json.loads(agw(gateway.data_dir, "tree", graph, "--json").stdout)
    assert [(node["providerRef"], node["depth"]) for node in found["nodes"]] == [
        ("claude-code:s", 0),
        ("claude-code:s/a", 1),
        ("claude-code:s/a/b", 2),
    ]


def test_query_runs_an_operation(gateway: Serving, graph: str, tmp_path: Path) -> None:
    """O9: text, a file or standard input; variables; `--as-of` is `$asOf`."""
    text = "query Q($id: ID!, $asOf: AsOf) { graph(id: $id, asOf: $asOf) { asOfEventId counts { nodes } } }"
    file = tmp_path / "q.graphql"
    file.write_text(text)
    late, early = (
        json.loads(agw(gateway.data_dir, "query", given, "--var", f"id={graph}", *more, stdin=text.encode()).stdout)["data"]["graph"]
        for given, more in ((text, ()), (str(file), ("--as-of", "evt_01KJPWD6M0ESYXM8847Z000002")))
    )
    assert (late["asOfEventId"], late["counts"]["nodes"]) == ("evt_01KJPWD6M0ESYXM8847Z000008", 3)
    assert (early["asOfEventId"], early["counts"]["nodes"]) == ("evt_01KJPWD6M0ESYXM8847Z000002", 1)
    typed = agw(gateway.data_dir, "query", "-", "--var", f'id="{graph}"', "--var", 'asOf={"time": 1772442001000}', stdin=text.encode())
    assert json.loads(typed.stdout)["data"]["graph"]["counts"]["nodes"] == 1


def test_query_prints_errors_too_and_ends_with_1(gateway: Serving) -> None:
    """O9, O14."""
    done = agw(gateway.data_dir, "query", '{ graph(id: "gph_AAAAAAAAAAAA") { id } }')
    assert json.loads(done.stdout)["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def test_create_makes_an_empty_graph(gateway: Serving) -> None:
    """O35."""
    done = agw(gateway.data_dir, "create", "--title", "By hand", "--keep", "5")
    assert GRAPH_ID.fullmatch(done.stdout.strip())
    tree = agw(gateway.data_dir, "tree", done.stdout.strip())
    assert tree.returncode == 0, tree.stderr
    assert "By hand" in tree.stdout
    assert "no event" in tree.stdout


def test_open_prints_a_link_that_signs_in(gateway: Serving, graph: str) -> None:
    """O19, O35."""
    link = agw(gateway.data_dir, "open", graph, "--no-browser").stdout.strip()
    with httpx.Client() as browser:
        assert f'url=/l/{graph.removeprefix("gph_")}"' in browser.get(link).text
        page = browser.get(f"{gateway.url}/l/{graph.removeprefix('gph_')}")
        assert page.status_code == 200
        assert "Look deeper" in page.text


def test_schema_is_printed_without_a_gateway(tmp_path: Path) -> None:
    """O12."""
    done = agw(tmp_path / "nowhere", "schema")
    assert "type Query" in done.stdout
    assert not (tmp_path / "nowhere").exists()


def test_doctor_and_migrate_see_the_running_gateway(gateway: Serving) -> None:
    """O11, O14."""
    doctor = agw(gateway.data_dir, "doctor", "--json")
    assert doctor.returncode == 0, doctor.stdout
    assert any(finding["name"] == "gateway" and gateway.url in finding["said"] for finding in json.loads(doctor.stdout))
    check = agw(gateway.data_dir, "migrate", "--check", "--json")
    assert (check.returncode, json.loads(check.stdout)["missing"]) == (0, [])


def test_commands_go_where_agw_url_points(gateway: Serving, graph: str, tmp_path: Path) -> None:
    """O14: AGW_URL and AGW_KEY point elsewhere, and nothing is made here."""
    done = agw(tmp_path / "unused", "graphs", "--json", AGW_URL=gateway.url, AGW_KEY=gateway.key)
    assert graph in done.stdout
    assert not (tmp_path / "unused").exists()


def test_every_command_works_without_a_gateway_too_and_a_second_start_is_quick(tmp_path: Path, log_file: Path) -> None:
    """O2, O14: it opens the store for as long as it runs; a gateway started later has what was imported; SIGTERM ends it cleanly."""
    data_dir = tmp_path / "data"
    made = agw(data_dir, "import", str(log_file), "--title", "Offline")
    assert made.returncode == 0, made.stderr
    graph, counts = made.stdout.splitlines()
    assert counts == "8 accepted, 1 duplicates, 1 skipped"
    tree = agw(data_dir, "tree", graph, "--as-of", "evt_01KJPWD6M0ESYXM8847Z000007")
    assert "? Look deeper" in tree.stdout
    assert not (data_dir / "gateway.json").exists()
    with serving(data_dir) as gateway:
        assert gateway.key not in "".join(gateway.output)  # shown once, by the first command
        assert graph in agw(data_dir, "graphs", "--json").stdout
        refused = agw(data_dir, "serve", "--port", "0")
        assert refused.returncode == 1
        assert gateway.url in refused.stderr
        assert gateway.stop() == 0
        assert not (data_dir / "gateway.json").exists()


def test_a_request_in_progress_is_answered_before_the_end(tmp_path: Path) -> None:
    """O3: SIGTERM drains."""
    with (
        serving(tmp_path / "data") as gateway,
        httpx.Client(base_url=gateway.url, headers={"Authorization": f"Bearer {gateway.key}"}) as client,
    ):
        lines = [json.loads(line) for line in LOG.split(b"\n")]
        made = client.post("/graphql", json={"query": 'mutation { createGraph(input: {title: "x"}) { graph { id } } }'}).json()
        graph = made["data"]["createGraph"]["graph"]["id"]
        append = "mutation($g: ID!, $e: [JSON!]!) { appendEvents(graphId: $g, events: $e) { accepted } }"
        body = json.dumps({"query": append, "variables": {"g": graph, "e": lines}}).encode()
        slow = subprocess.Popen(
            [AGW[0], "-c", SLOW_CLIENT, gateway.url, gateway.key], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(tmp_path)
        )
        assert slow.stdin is not None
        slow.stdin.write(body)
        slow.stdin.close()
        assert slow.stdout is not None
        assert slow.stdout.readline() == b"half\n"
        gateway.process.terminate()
        answer = slow.stdout.read()
        assert b'"accepted":8' in answer.replace(b" ", b"")
        assert gateway.process.wait(15) == 0
        assert slow.wait(5) == 0


SLOW_CLIENT = """
import http.client, sys, time
url, key = sys.argv[1:]
body = sys.stdin.buffer.read()
connection = http.client.HTTPConnection(url.partition("//")[2])
connection.putrequest("POST", "/graphql")
for name, value in (("Authorization", "Bearer " + key), ("Content-Type", "application/json"), ("Content-Length", str(len(body)))):
    connection.putheader(name, value)
connection.endheaders()
connection.send(body[:100])
time.sleep(0.3)
print("half", flush=True)
time.sleep(1.0)
connection.send(body[100:])
print(connection.getresponse().read().decode(), flush=True)
"""


@pytest.mark.alone
def test_commands_wait_for_a_gateway_that_is_starting_and_for_each_other(tmp_path: Path) -> None:
    """O14: a data directory that somebody has just opened is no error."""
    made = [subprocess.Popen([*AGW, "create", "--title", f"t{n}"], env=environment(tmp_path / "data"), cwd=tmp_path) for n in range(2)]
    assert [one.wait(90) for one in made] == [0, 0]
    with serving(tmp_path / "data", wait=False) as gateway:
        while not (tmp_path / "data" / "store" / "store.json").exists():
            time.sleep(0.02)
        listed = agw(tmp_path / "data", "graphs", "--json")
        assert listed.returncode == 0, listed.stderr
        assert sorted(one["title"] for one in json.loads(listed.stdout)) == ["t0", "t1"]
        assert gateway.process.poll() is None


def test_told_to_stop_while_starting_it_ends_and_leaves_nothing_running(tmp_path: Path) -> None:
    """O3, O22: no store of a gateway that never served stays behind."""
    data_dir = tmp_path / "data"
    process = subprocess.Popen([*AGW, "serve", "--port", "0"], env=environment(data_dir), cwd=tmp_path, stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while not (data_dir / "store" / "store.json").exists() and time.monotonic() < until:
        time.sleep(0.02)
    store = json.loads((data_dir / "store" / "store.json").read_bytes())["pid"]
    process.terminate()
    _, error = process.communicate(timeout=30)
    assert b"Traceback" not in error
    until = time.monotonic() + 10
    while psutil.pid_exists(store) and time.monotonic() < until:
        time.sleep(0.1)
    assert not psutil.pid_exists(store)
    assert not (data_dir / "gateway.json").exists()


@pytest.mark.parametrize(
    ("host", "public_url", "warned"),
    [
        ("127.0.0.1", None, False),
        ("::1", None, False),
        ("0.0.0.0", None, True),
        ("::", "http://graphs.example", True),
        ("192.168.1.5", "https://graphs.example", False),
    ],
)
def test_who_can_listen_in_is_told(host: str, public_url: str | None, warned: bool) -> None:
    """O20: anything but loopback without https:// names what is exposed."""
    said = exposure(host, 8080, public_url)
    assert (said is not None) == warned
    assert said is None or all(part in said for part in (f"{host}:8080", "keys", "graphs", "AGW_PUBLIC_URL"))


def test_demo_moves(tmp_path: Path) -> None:
    """O4: a fleet of its own with something of everything, that goes on working."""
    with serving(tmp_path / "data", "--port", "0", "--events", "1000", command="demo") as gateway:
        page = gateway.link.partition("next=")[2]
        assert page.startswith("/l/")
        graph = page.removeprefix("/l/")
        demo_dir = json.loads(agw(tmp_path / "data" / "demo", "graphs", "--json").stdout)
        assert [one["title"] for one in demo_dir] == ["Demo fleet"]
        before = demo_dir[0]["retention"]["eventCount"]
        assert before >= 800
        tree = agw(tmp_path / "data" / "demo", "tree", graph).stdout
        for mark in "●?✓✗":
            assert mark in tree
        assert "in a loop" in tree
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if json.loads(agw(tmp_path / "data" / "demo", "graphs", "--json").stdout)[0]["retention"]["eventCount"] > before:
                return
            time.sleep(1)
        pytest.fail("nothing moved")


def test_what_became_of_a_log_s_keyframe_is_told(data_dir: Path, tmp_path: Path) -> None:
    """O5, E130: whether the graph starts from it, or why not."""
    _, said = base_of(FIRST)
    for lines, told in (
        (said, "The graph starts from the log's keyframe: 2 nodes before the first event."),
        ([{**said[0], "data": {**said[0]["data"], "text": "?"}}, *THIRD], "is of no use (the text is not base64 of a DEFLATE stream)"),
    ):
        file = tmp_path / "log.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = agw(data_dir, "import", str(file))
        assert done.returncode == 0, done.stderr
        assert told in done.stderr
