"""Reading event files as one log (E1-E3, E9, E10, E129-E132): sorted, each id once, with what was skipped counted and told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from app.cli.stop import Stop
from app.domain.envelope import Event, Malformed, parse_line

STANDARD_INPUT = "-"

MOST_FAULTS = 5
"""So many skipped lines are told one by one."""

_BLOCK = 1 << 16


class Place(NamedTuple):
    """A line of a file (None: standard input), counted from 1."""

    file: Path | None
    line: int

    def __str__(self) -> str:
        return f"{self.file or 'standard input'}:{self.line}"


class Longest(NamedTuple):
    """The longest event's line, in bytes, and where it stands."""

    size: int
    place: Place


@dataclass
class Log:
    """The lines of one log. Of an event only its line and what it sorts by are kept.

    `base`: lines of the keyframe that it starts from (E129). `faults` says of the first lines that were skipped where they stand and why.
    """

    skipped: int = 0
    faults: list[str] = field(default_factory=list)
    duplicates: int = 0
    longest: Longest | None = None
    unreadable: list[str] = field(default_factory=list)
    base: list[bytes] = field(default_factory=list)
    _lines: list[tuple[int, bytes, bytes]] = field(default_factory=list)
    _ids: set[bytes] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, line: bytes, file: Path | None = None, number: int = 1) -> None:
        """One line, in the order in which the log has them, the `number`th of its file. Lines of white space are nothing (E1)."""
        if not line or line.isspace():
            return
        try:
            event = parse_line(line)
        except Malformed as error:
            self.skipped += 1
            if len(self.faults) < MOST_FAULTS:
                self.faults.append(f"{Place(file, number)}: {error}")
            return
        if event.type == "keyframe":
            self._keyframe(event)
            return
        key = event.id.encode("utf-8", "surrogatepass")
        if key in self._ids:  # the first in the log counts (E9), also where a later one would sort before it
            self.duplicates += 1
            return
        self._ids.add(key)
        self._lines.append((event.time_ns, key, event.line))
        if self.longest is None or len(event.line) > self.longest.size:
            self.longest = Longest(len(event.line), Place(file, number))

    def lines(self) -> Iterator[bytes]:
        """The events in E10's order."""
        self._lines.sort()
        for _, _, line in self._lines:
            yield line

    def _keyframe(self, event: Event) -> None:
        data = event.data if isinstance(event.data, dict) else {}
        if self._lines and data.get("restart") is True and data.get("part") == 0:
            self._lines.clear()
            self._ids.clear()
            self.base.clear()
            self.longest = None
        if not self._lines:  # once something was accepted a keyframe is ignored (E131)
            self.base.append(event.line)


def files_in(paths: list[str]) -> list[Path | None]:
    """The event files that `paths` name: files, all `.jsonl` below folders by name, None for standard input. Raises: Stop."""
    found: list[Path | None] = []
    for text in paths:
        path = Path(text)
        if text == STANDARD_INPUT:
            found.append(None)
        elif not text.strip():
            raise Stop("An empty name is no file or folder: name one, or - for standard input.", 2)
        elif path.is_dir():
            inside = sorted(file for file in path.rglob("*.jsonl") if file.is_file())
            if not inside:
                raise Stop(f"{text}: no event files (*.jsonl) in this folder. Name one that holds some, or a file.")
            found += inside
        elif path.exists():
            found.append(path)
        else:
            raise Stop(f"{text}: no such file or folder.")
    return list(dict.fromkeys(found))


def read_log(files: list[Path | None], advance: Callable[[int], None]) -> Log:
    """All files joined as one log; `advance` hears of the bytes read.

    A file that is no text, or cannot be read, is left out and told about. Raises: Stop if it was the only one, or if there is no event.
    """
    log = Log()
    for file in files:
        try:
            _read_file(log, file, advance)
        except _NoTextError as error:
            log.unreadable.append(f"{file or 'standard input'}: {error}")
        except OSError as error:
            log.unreadable.append(f"{file}: {error.strerror or error}.")
    if len(files) == 1 and log.unreadable:
        raise Stop(log.unreadable[0])
    if not len(log) and not log.base:
        raise Stop(_nothing(files, log))
    return log


class _NoTextError(Exception):
    """The file is of some other kind."""


def _read_file(log: Log, file: Path | None, advance: Callable[[int], None]) -> None:
    if file is None:
        _read_lines(log, None, sys.stdin.buffer, advance)
        return
    with file.open("rb") as stream:
        _read_lines(log, file, stream, advance)


def _read_lines(log: Log, file: Path | None, stream: BinaryIO, advance: Callable[[int], None]) -> None:
    waiting = 0
    for number, line in enumerate(stream, 1):
        if number <= 3 and b"\0" in line:  # JSON holds no such byte: some other kind of file
            raise _NoTextError("this is no text. Event files are JSON Lines: one event a line.")
        log.add(line.rstrip(b"\n").removesuffix(b"\r"), file, number)
        waiting += len(line)
        if waiting > _BLOCK:
            advance(waiting)
            waiting = 0
    advance(waiting)


def _nothing(files: list[Path | None], log: Log) -> str:
    names = ", ".join(str(file or "standard input") for file in files[:2]) + (f" and {len(files) - 2} more" if len(files) > 2 else "")
    if log.unreadable:
        return f"{log.unreadable[0]} Nothing else could be read."
    if log.skipped:
        lines = "1 line" if log.skipped == 1 else f"{log.skipped:,} lines"
        return f"{names}: no events; {lines} skipped that are no event ({log.faults[0]}). Event files are JSON Lines: one event a line."
    return f"{names}: no events there. Event files are JSON Lines: one event a line."


def batches(base: list[bytes], lines: Iterable[bytes], most: int, most_bytes: int) -> Iterator[list[bytes]]:
    """`base` as a whole, if there is any; `lines` in batches of at most `most` and, but for single long ones, `most_bytes` bytes."""
    if base:
        yield base
    batch: list[bytes] = []
    size = 0
    for line in lines:
        if batch and (len(batch) == most or size + len(line) > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line)
    if batch:
        yield batch
