"""`agw follow` with real files and processes: nothing is lost, whatever happens to files, gateway and follower (O6, O14)."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import oracle
from tests.cli.process import AGW, Serving, agw, environment, serving
from tests.cli.test_mistakes import one_line
from tests.e2e.nested import expected, operation
from tests.strategies.logs import random_log

COUNT = "query($id: ID!) { graph(id: $id) { retention { eventCount lastEventId } } }"


class Follower:
    """A follower's process, and what it has printed."""

    def __init__(self, folder: Path, data_dir: Path, *arguments: str, **variables: str) -> None:
        self.output, self.errors = folder / f"out{time.monotonic_ns()}", folder / f"err{time.monotonic_ns()}"
        with self.output.open("wb") as out, self.errors.open("wb") as err:
            self.process = subprocess.Popen(
                [*AGW, "follow", *arguments], stdout=out, stderr=err, env=environment(data_dir, **variables), cwd=folder
            )

    def graph(self, seconds: float = 60, *, after: str = "") -> str:
        """The graph's id, once it is printed; that of the one in place of `after`."""
        until = time.monotonic() + seconds
        while not (found := [graph for graph in re.findall(r"^(gph_\w+)\n", self.output.read_text(), re.MULTILINE) if graph != after]):
            assert self.process.poll() is None, self.errors.read_text()
            assert time.monotonic() < until
            time.sleep(0.05)
        return found[0]

    def says(self, text: str, seconds: float = 60) -> None:
        """Waits until it has said this on standard error."""
        until = time.monotonic() + seconds
        while text not in self.errors.read_text():
            assert self.process.poll() is None, self.errors.read_text()
            assert time.monotonic() < until, self.errors.read_text()
            time.sleep(0.05)


@contextmanager
def following(folder: Path, data_dir: Path, *arguments: str, **variables: str) -> Iterator[Follower]:
    """A follower, killed at the end if it is still there."""
    found = Follower(folder, data_dir, *arguments, **variables)
    try:
        yield found
    finally:
        found.process.kill()
        found.process.wait()


def ask(gateway: Serving, query: str, **variables: Any) -> dict[str, Any]:
    body = {"query": query, "variables": variables}
    answer = httpx.post(f"{gateway.url}/graphql", json=body, headers={"Authorization": f"Bearer {gateway.key}"}, timeout=60).json()
    assert "errors" not in answer, answer
    found: dict[str, Any] = answer["data"]
    return found


def until_there(gateway: Serving, graph: str, events: int, seconds: float = 60) -> None:
    """Waits until the graph has so many events."""
    until = time.monotonic() + seconds
    while (count := ask(gateway, COUNT, id=graph)["graph"]["retention"]["eventCount"]) != events:
        assert time.monotonic() < until, f"{count} of {events}"
        time.sleep(0.1)


def is_the_fold(gateway: Serving, graph: str, lines: list[str]) -> None:
    """Compares the graph's newest state with a naive fold of every line that was ever written."""
    log = oracle.read_log("".join(lines).encode())
    until_there(gateway, graph, len(log.events))
    last = log.events[-1]["id"]
    answer = ask(gateway, operation(), id=graph, asOf={"event": f"evt_{last}"})
    assert answer == expected(oracle.state_after(log, len(log.events)), last, answer["graph"]["asOfTime"])


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as stream:
        stream.write(text)


def lines_of(seed: int, count: int) -> list[str]:
    return [json.dumps(event, ensure_ascii=False) + "\n" for event in random_log(seed, count)]


def test_files_are_followed_through_everything_that_happens_to_them(gateway: Serving, tmp_path: Path) -> None:
    """O6: appended, half lines, rotated, cut off, new files; kill -9 and carrying on, with changes meanwhile; one graph for one path."""
    lines = lines_of(3, 240)
    parts = [lines[at : at + 30] for at in range(0, 240, 30)]
    events = tmp_path / "events"
    one, two, deep = events / "one.jsonl", events / "two.jsonl", events / "a" / "b.jsonl"
    write(one, "".join(parts[0]) + "words\n")
    with following(tmp_path, gateway.data_dir, "events", "--title", "Followed") as follower:
        graph = follower.graph()
        until_there(gateway, graph, 30)
        follower.says(f"Left out: {one}:31: not JSON")
        half = parts[1][-1]
        write(one, "".join(parts[1][:-1]) + half[:20])  # ends in the middle of a line
        until_there(gateway, graph, 59)
        write(one, half[20:])
        write(deep, "".join(parts[2]))
        until_there(gateway, graph, 90)
        write(one, "".join(parts[3][:15]))
        one.rename(events / "one.jsonl.1")  # rotated, with lines that nobody has read yet
        write(one, "".join(parts[3][15:]))
        until_there(gateway, graph, 120)
        follower.process.send_signal(signal.SIGKILL)
        follower.process.wait()
    write(one, "".join(parts[4][:10]))
    one.rename(events / "one.jsonl.2")
    write(one, "".join(parts[4][10:]))
    with following(tmp_path, gateway.data_dir, "events", "--json") as follower:
        until_there(gateway, graph, 150)
        write(two, "".join(parts[5]))
        until_there(gateway, graph, 180)
        two.write_text("".join(parts[6]))  # cut off, and written anew to the same length or another
        until_there(gateway, graph, 210)
        write(deep, "".join(parts[7]))
        is_the_fold(gateway, graph, lines)
        follower.process.send_signal(signal.SIGTERM)
        assert follower.process.wait(20) == 0
        told = [json.loads(text) for text in follower.output.read_text().splitlines()]
        assert {each["graph"] for each in told} == {graph}
        assert sum(each["accepted"] for each in told) == 120
        assert sum(each["duplicates"] for each in told) <= 30  # what was read twice was one file at most
    assert ask(gateway, "query($id: ID!) { graph(id: $id) { title source } }", id=graph)["graph"] == {
        "title": "Followed",
        "source": "WATCH",
    }


def test_a_gateway_that_is_away_is_waited_for(tmp_path: Path) -> None:
    """O14, O30: killed at any time and started again at another port, it has everything in the end; the follower never takes its store."""
    lines = lines_of(4, 120)
    file, data_dir = tmp_path / "log.jsonl", tmp_path / "data"
    write(file, "".join(lines[:40]))
    with serving(data_dir) as gateway, following(tmp_path, data_dir, str(file)) as follower:
        graph = follower.graph()
        until_there(gateway, graph, 40)
        gateway.process.kill()
        gateway.process.wait()
        write(file, "".join(lines[40:80]))
        follower.says("Waiting: ")
        with serving(data_dir) as another:
            until_there(another, graph, 80)
            write(file, "".join(lines[80:]))
            is_the_fold(another, graph, lines)
            follower.says("It answers again.")


@pytest.mark.alone
def test_without_a_gateway_the_store_is_open_only_while_it_is_used(tmp_path: Path) -> None:
    """O14: other commands work beside it, and a gateway that starts is used from then on."""
    lines = lines_of(5, 60)
    file, data_dir = tmp_path / "log.jsonl", tmp_path / "data"
    write(file, "".join(lines[:20]))
    with following(tmp_path, data_dir, str(file)) as follower:
        graph = follower.graph()
        done = agw(data_dir, "graphs", "--json")  # waits for the store, and has it to itself
        assert [(each["id"], each["retention"]["eventCount"]) for each in json.loads(done.stdout)] == [(graph, 20)], done.stderr
        with serving(data_dir) as gateway:
            write(file, "".join(lines[20:]))
            is_the_fold(gateway, graph, lines)


def test_a_graph_that_was_deleted_meanwhile_is_made_anew(gateway: Serving, tmp_path: Path) -> None:
    """O6: everything is read again; where the graph was named, it must be there."""
    lines = lines_of(6, 20)
    file = tmp_path / "log.jsonl"
    write(file, "".join(lines))
    with following(tmp_path, gateway.data_dir, str(file)) as follower:
        graph = follower.graph()
        second = agw(gateway.data_dir, "follow", str(file))
        one_line(second, "Another agw follow", str(file))
        follower.process.terminate()
        follower.process.wait(20)
    ask(gateway, "mutation($id: ID!) { deleteGraph(id: $id) { id } }", id=graph)
    one_line(agw(gateway.data_dir, "follow", str(file), "--graph", graph), "such graph")
    with following(tmp_path, gateway.data_dir, str(file)) as follower:
        assert follower.graph() != graph
        follower.says(f"{graph} is there no more")
        is_the_fold(gateway, follower.graph(), lines)


def test_a_graph_that_is_deleted_while_it_is_followed_is_made_anew(gateway: Serving, tmp_path: Path) -> None:
    """O6, I25: as one that expired while nothing was written does not end a follower; where the graph was named, it ends with a word."""
    lines = lines_of(7, 30)
    file, other = tmp_path / "log.jsonl", tmp_path / "other.jsonl"
    write(file, "".join(lines[:20]))
    write(other, "".join(lines[20:21]))
    delete = "mutation($id: ID!) { deleteGraph(id: $id) { id } }"
    with following(tmp_path, gateway.data_dir, str(file)) as follower:
        first = follower.graph()
        with following(tmp_path, gateway.data_dir, str(other), "--graph", first) as named:
            assert named.graph() == first
            ask(gateway, delete, id=first)
            write(other, lines[21])
            assert named.process.wait(30) == 1
            assert "No such graph" in named.errors.read_text()
        write(file, "".join(lines[20:]))
        follower.says(f"{first} is there no more")
        second = follower.graph(after=first)
        is_the_fold(gateway, second, lines)


@pytest.mark.parametrize(("path", "said", "code"), [("-", "agw import -", 2), ("nowhere", "no such file", 1), (" ", "empty name", 2)])
def test_what_cannot_be_followed_is_told(tmp_path: Path, path: str, said: str, code: int) -> None:
    """O14."""
    done = agw(tmp_path / "data", "follow", path)
    one_line(done, said)
    assert done.returncode == code
