"""docs/producers.md: what it says is done as it is written, against a gateway as a user starts it; the public tool has a stand-in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pytest

from tests.cli.process import AGW, ROOT, Serving, agw, environment, serving

TEXT = (ROOT / "docs" / "producers.md").read_text(encoding="utf-8")
FILES = re.findall(r"<!-- file: (\S+) -->\n```json\n(.*?)```", TEXT, re.DOTALL)
WRITTEN = "http://127.0.0.1:8080"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Started as in README.md, with the two commands and the documentation's files beside it."""
    folder = tmp_path_factory.mktemp("producers")
    for name, command in (("agw", AGW), ("agent-graph", [sys.executable, "-m", "tests.ingest.tool"])):
        shim = folder / "bin" / name
        shim.parent.mkdir(exist_ok=True)
        more = " events.jsonl" if name == "agent-graph" else ""
        shim.write_text(f'#!/bin/sh\nexec {" ".join(command)} "$@"{more}\n')
        shim.chmod(0o755)
    for name, content in FILES:
        (folder / name).write_text(content)
    with serving(folder / "data") as found:
        yield found


def run(gateway: Serving, script: str) -> str:
    """What a shell says to it, at this gateway's address."""
    folder = gateway.data_dir.parent
    given = environment(gateway.data_dir)
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", script.replace(WRITTEN, gateway.url.rstrip("/"))], capture_output=True, timeout=120, cwd=folder,
        env={**given, "PATH": f"{folder / 'bin'}:{given['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def nodes(gateway: Serving, graph_id: str) -> dict[str, str]:
    """Titles and states of a graph's nodes."""
    query = "query($id: ID!) { graph(id: $id) { live nodes { nodes { title state } } } }"
    done = agw(gateway.data_dir, "query", query, "--var", f"id={graph_id}")
    assert done.returncode == 0, done.stderr
    return {node["title"]: node["state"] for node in json.loads(done.stdout)["data"]["graph"]["nodes"]["nodes"]}


def test_the_tool_with_a_key(gateway: Serving) -> None:
    """I28, O10: the key's own command line."""
    [(command, shown)] = re.findall(r"```console\n\$ (.*?)\n(.*?)```", TEXT, re.DOTALL)
    said = run(gateway, command)
    assert re.fullmatch(re.escape(shown.replace(WRITTEN, gateway.url.rstrip("/"))).replace("…", r"\w+"), said)
    log_id = run(gateway, said.splitlines()[1]).split()[-1]
    assert nodes(gateway, log_id) == {"Nightly build": "INPUT_REQUIRED"}


def test_the_tool_without_one(gateway: Serving) -> None:
    """I23: the browser signs in, a person lets the tool in, the code goes to where the tool listens."""
    [command] = re.findall(r"`(agent-graph watch-remote [^`]*)`", TEXT)
    folder = gateway.data_dir.parent
    given = environment(gateway.data_dir)
    tool = subprocess.Popen(
        ["/bin/sh", "-c", f"exec {folder / 'bin'}/{command.replace(WRITTEN, gateway.url.rstrip('/'))}"], stdout=subprocess.PIPE, cwd=folder,
        env={name: value for name, value in given.items() if name != "AGENT_GRAPH_TOKEN"},
    )  # fmt: skip
    with tool, httpx.Client(trust_env=False, headers={"Sec-Fetch-Site": "same-origin"}) as browser:
        assert tool.stdout is not None
        asked = tool.stdout.readline().decode().split()[-1]
        browser.get(gateway.link)
        page = browser.get(asked)
        fields = {name: unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text)}
        answer = browser.post(f"{gateway.url.rstrip('/')}/login/cli", data=fields)
        target = re.search(r'content="0; url=([^"]+)"', answer.text)
        assert target is not None, answer.text
        httpx.get(unescape(target[1]), trust_env=False)
        log_id = tool.stdout.readline().decode().split()[-1]
        assert tool.wait(30) == 0
    assert nodes(gateway, log_id) == {"Nightly build": "INPUT_REQUIRED"}


def test_lines_are_posted(gateway: Serving) -> None:
    """I35: by curl, plain and packed."""
    [(script, shown)] = re.findall(r"```sh\n(.*?)```\n\n```json\n(.*?)```", TEXT, re.DOTALL)
    said = run(gateway, f"{script}echo; echo $GRAPH")
    graph_id = said.split()[-1]
    assert said.replace("}{", "}\n{").removesuffix(f"\n{graph_id}\n") == shown.rstrip("\n")
    assert nodes(gateway, graph_id) == {"Nightly build": "INPUT_REQUIRED"}


def test_its_numbers_are_the_gateway_s() -> None:
    """What bounds it names."""
    from app.ingest.bodies import MOST
    from app.services.shares import MOST_SPAN

    assert f"{MOST // 1024} KiB" in TEXT
    assert f"{MOST_SPAN // 2**20} MiB" in TEXT
    assert Path(ROOT / "docs" / "operations.md").read_text().count("## How much history is kept") == 1
