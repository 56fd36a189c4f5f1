"""Reading on in files that grow, are rotated and are cut (O6), against all lines that were ever written."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from app.cli import tails
from app.cli.event_log import Log
from app.cli.tails import Read, Tails
from tests.cli.test_event_files import ids, keyframe, line


class Reader:
    """Something that reads on, and may be begun again from what it kept."""

    def __init__(self, *paths: Path) -> None:
        self.paths = paths
        self.tails = Tails(paths)
        self.seen: list[str] = []

    def look(self, *, kept: bool = True) -> Log:
        log = Log(carried_on=bool(self.tails.so_far.positions))
        read = self.tails.read(log)
        if kept:
            self.tails.keep(read)
            self.seen += ids(log)
        return log

    def again(self) -> None:
        """As after a restart: what is known comes from the file of positions."""
        text = msgspec.json.encode(self.tails.so_far)
        self.tails = Tails(self.paths, msgspec.json.decode(text, type=Read))


def write(file: Path, *lines: bytes, end: bytes = b"\n") -> None:
    with file.open("ab") as stream:
        stream.write(b"".join(each + end for each in lines))


def test_a_half_line_waits_and_a_whole_event_without_an_end_does_not(tmp_path: Path) -> None:
    """O6, E1: no beginning of an object is one; the end that comes later makes no second event."""
    file = tmp_path / "log.jsonl"
    whole = line("b", 1, data={"tool": "é"})
    write(file, line("a"))
    reader = Reader(file)
    for at in range(1, len(whole)):
        file.write_bytes(line("a") + b"\n" + whole[:at])
        log = reader.look()
        assert (log.skipped, reader.seen) == (0, ["a"])
    file.write_bytes(line("a") + b"\n" + whole)
    reader.look()
    assert reader.seen == ["a", "b"]
    write(file, b"", line("c"))
    log = reader.look()
    assert (reader.seen, log.skipped) == (["a", "b", "c"], 0)


def test_what_is_no_event_is_told_where_it_stands_also_after_a_restart(tmp_path: Path) -> None:
    """E2, O6."""
    file = tmp_path / "log.jsonl"
    write(file, line("a"), b"")
    reader = Reader(file)
    reader.look()
    reader.again()
    write(file, b"words", line("b"))
    log = reader.look()
    assert (log.faults, reader.seen) == ([f"{file}:3: not JSON"], ["a", "b"])


def test_what_was_not_kept_is_read_again(tmp_path: Path) -> None:
    """O6: an append that failed loses nothing."""
    file = tmp_path / "log.jsonl"
    write(file, line("a"))
    reader = Reader(file)
    assert ids(reader.look(kept=False)) == ["a"]
    reader.look()
    assert reader.seen == ["a"]
    assert ids(reader.look(kept=False)) == []


def test_a_line_that_is_too_long_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """O6: it is never held in memory, and what comes after it is read."""
    monkeypatch.setattr(tails, "LONGEST_LINE", 200)
    file = tmp_path / "log.jsonl"
    write(file, line("a"), b"x" * 1_000, line("b"), b"y" * 1_000, end=b"\n")
    file.write_bytes(file.read_bytes()[:-1])
    reader = Reader(file)
    log = reader.look()
    assert (reader.seen, log.faults) == (["a", "b"], [f"{file}:2: longer than 200 bytes"])
    write(file, b"", line("c"))
    assert (reader.look().skipped, reader.seen) == (1, ["a", "b", "c"])


def test_a_keyframe_begins_a_log_and_is_nothing_later(tmp_path: Path) -> None:
    """E129, E131: also in a file that comes later, and where it says restart."""
    file = tmp_path / "log.jsonl"
    write(file, keyframe("k~000000"), line("a"))
    reader = Reader(tmp_path)
    assert ids(reader.look()) == ["k~000000", "a"]
    write(tmp_path / "more.jsonl", line("b", 2), keyframe("l~000000", restart=True), line("c", 1))
    reader.look()
    assert reader.seen == ["k~000000", "a", "c", "b"]


@pytest.mark.parametrize("seed", range(12))
def test_every_line_is_read_whatever_becomes_of_the_files(tmp_path: Path, seed: int) -> None:
    """O6: appended, cut in half, rotated by renaming or by copying, in folders that come later, with restarts at any time."""
    rng = Random(seed)
    folder = tmp_path / "events"
    (folder / "deep").mkdir(parents=True)
    single = tmp_path / "single.jsonl"
    single.touch()
    reader = Reader(folder, single)
    written: list[str] = []
    waiting: dict[Path, bytes] = {}

    def more(file: Path) -> None:
        text = waiting.pop(file, b"")
        for _ in range(rng.randint(1, 4)):
            written.append(f"{len(written):05d}")
            text += line(written[-1], rng.randrange(60)) + b"\n"
        cut = rng.choice([0, 0, rng.randrange(1, 40)])
        write(file, text[: len(text) - cut], end=b"")
        if cut:
            waiting[file] = text[len(text) - cut :]

    for step in range(120):
        file = rng.choice([single, *(folder / name for name in ("a.jsonl", "b.jsonl", "deep/c.jsonl", f"{step // 30}.jsonl"))])
        match rng.randrange(9):
            case 0 | 1 | 2 | 3:
                more(file)
            case 4 | 5:
                reader.look()
            case 6:
                reader.again()
            case 7 if file.exists() and file not in waiting:
                for number in (2, 1):
                    older = file.with_name(f"{file.name}.{number}")
                    if older.exists():
                        older.rename(f"{file}.{number + 1}")
                file.rename(f"{file}.1")
                if rng.random() < 0.5:
                    more(file)
            case 8 if file.exists() and file not in waiting:
                shutil.copy(file, f"{file}.{step + 100}")
                file.write_bytes(b"")
                if rng.random() < 0.5:
                    more(file)
    for file, rest in waiting.items():
        write(file, rest, end=b"")
    reader.look()
    assert set(reader.seen) == set(written)


def test_folders_that_go_while_they_are_read_are_no_fault(tmp_path: Path) -> None:
    """O6: whoever writes makes and removes folders whenever he likes; what stays is read."""
    stays = tmp_path / "stays.jsonl"
    write(stays, line("a"))
    (tmp_path / "round").symlink_to(tmp_path)
    reader, done = Reader(tmp_path), threading.Event()

    def churn() -> None:
        for number in itertools.cycle(range(20)):
            if done.is_set():
                return
            (tmp_path / f"{number}").mkdir(exist_ok=True)
            shutil.rmtree(tmp_path / f"{(number + 10) % 20}", ignore_errors=True)

    with ThreadPoolExecutor(1) as beside:
        churning = beside.submit(churn)
        try:
            for _ in range(300):
                assert reader.look().unreadable == []
        finally:
            done.set()
        churning.result()
    assert reader.seen == ["a"]


@pytest.mark.parametrize("inside", [False, True])
def test_what_nobody_may_look_at_is_told_once_and_read_on_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, inside: bool) -> None:
    """O6: a folder that is closed for a while ends nothing, and nothing of its files is read twice."""
    folder = tmp_path / "closed"
    folder.mkdir()
    file = folder / "log.jsonl"
    write(file, line("a"))
    reader = Reader(folder if inside else file)
    reader.look()
    look, walk = os.stat, os.scandir

    def closed(of: Callable[..., Any]) -> Callable[..., Any]:  # whoever tests may be root, for whom nothing is closed
        def refused(path: Any = ".", *more: Any, **named: Any) -> Any:
            if isinstance(path, (str, Path)) and Path(path).is_relative_to(folder):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return of(path, *more, **named)

        return refused

    with monkeypatch.context() as patched:
        patched.setattr(os, "stat", closed(look))
        patched.setattr(os, "scandir", closed(walk))
        assert [reader.look().unreadable, reader.look().unreadable] == [[f"{file}: Permission denied."], []]
    write(file, line("b"))
    reader.look()
    assert reader.seen == ["a", "b"]
