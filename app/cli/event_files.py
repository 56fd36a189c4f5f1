"""Reading event files as one log (O5): sorted, each id once, with what was skipped counted and told."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from app.cli.event_log import Log
from app.cli.stop import Stop

STANDARD_INPUT = "-"

_BLOCK = 1 << 16


def files_in(paths: list[str]) -> list[Path | None]:
    """The event files that `paths` name: files, all `.jsonl` below folders by name, None for standard input. Raises: Stop."""
    found: list[Path | None] = []
    for text in paths:
        path = None if text == STANDARD_INPUT else named(text)
        if path is not None and path.is_dir():
            inside = sorted(file for file in path.rglob("*.jsonl") if file.is_file())
            if not inside:
                raise Stop(f"{text}: no event files (*.jsonl) in this folder. Name one that holds some, or a file.")
            found += inside
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def named(text: str) -> Path:
    """The file or folder of this name. Raises: Stop if there is none."""
    if not text.strip():
        raise Stop("An empty name is no file or folder: name one, or - for standard input.", 2)
    if not Path(text).exists():
        raise Stop(f"{text}: no such file or folder.")
    return Path(text)


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
