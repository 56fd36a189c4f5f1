"""Event files that grow: the whole lines that are new in them, through rotation and truncation (O6)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG
from time import time_ns
from typing import BinaryIO, NamedTuple, TypeAlias

import msgspec

from app.cli.event_log import Log, Place
from app.domain.envelope import Malformed, parse_line

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; what is longer is no event, and is not held in memory to be sure."""

EVENTS = ".jsonl"

_CHECKED = 512
_MARGIN_NS = 2_000_000_000
"""File systems tell times as roughly as this."""

_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")

Identity: TypeAlias = tuple[int, int]
"""What a file keeps when it is renamed: its device and its number there."""


class Position(msgspec.Struct, frozen=True):
    """How far a file has been read: `offset` bytes, which are `lines` lines.

    `check` tells whether what was read is still there: a hash of the last bytes before `offset`. `changed` is when the file was last
    written to before it was read (Unix ns).
    """

    path: str
    device: int
    inode: int
    offset: int = 0
    lines: int = 0
    check: str = ""
    changed: int = 0

    @property
    def identity(self) -> Identity:
        """Which file it is, whatever its name."""
        return self.device, self.inode


class Read(NamedTuple):
    """Where files stand, and when that was found (Unix ns; None: never)."""

    positions: list[Position]
    looked: int | None


NOTHING_READ = Read([], None)


class Tails:
    """The files that some paths name, now and later: files, and all `.jsonl` in folders and below. Each is read on from its position.

    What was rotated away is read to its end: a file that has been read under any name in the same folder; one that nobody has read yet if
    it is called as before with something after it (`events.jsonl.1`), and was changed since files were last looked at.
    """

    def __init__(self, paths: Sequence[Path], read: Read = NOTHING_READ) -> None:
        self._paths = paths
        self._positions = {position.identity: position for position in read.positions}
        self._looked = read.looked
        self._told: set[str] = set()

    @property
    def so_far(self) -> Read:
        """What was kept."""
        return Read(list(self._positions.values()), self._looked)

    def read(self, log: Log) -> Read:
        """Puts all lines that are new into a log; where the files stand then, to be kept once the log is taken in.

        A last line without an end is taken if it is a whole event, else it waits. A file that cannot be read is told about, once.
        """
        looked = time_ns()
        found: dict[Identity, Position] = {}
        for path in self._named():
            self._read(path, log, found)
        missing = self._positions.keys() - found.keys()
        for folder in dict.fromkeys(Path(self._positions[identity].path).parent for identity in missing):
            for file in _files(folder):
                if _identity(file) in missing:
                    self._read(file, log, found)
        for identity in sorted(missing - found.keys()):
            self._keep_closed(self._positions[identity], log, found)
        return Read(list(found.values()), looked)

    def keep(self, read: Read) -> None:
        """What `read` gave has been taken in."""
        self._positions = {position.identity: position for position in read.positions}
        self._looked = read.looked

    def _read(self, path: Path, log: Log, found: dict[Identity, Position]) -> None:
        identity = _identity(path)
        if identity is None or identity in found:
            return
        try:
            position = self._read_file(path, log)
        except FileNotFoundError:  # gone since it was listed
            return
        except OSError as error:
            self._tell(path, error, log)
            if identity in self._positions:
                found[identity] = self._positions[identity]
            return
        found[position.identity] = position

    def _keep_closed(self, position: Position, log: Log, found: dict[Identity, Position]) -> None:
        """A file that may be there, but nobody may look: it is read on from where it was, once somebody may."""
        try:
            Path(position.path).stat()
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._tell(Path(position.path), error, log)
            found[position.identity] = position

    def _tell(self, path: Path, error: OSError, log: Log) -> None:
        if str(path) not in self._told:
            self._told.add(str(path))
            log.unreadable.append(f"{path}: {error.strerror or error}.")

    def _named(self) -> Iterator[Path]:
        """The files of now, and those that were rotated away unread."""
        for path in self._paths:
            if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where nobody may look
                yield from (file for file in _below(path) if file.suffix == EVENTS or (EVENTS + "." in file.name and self._is_fresh(file)))
            else:
                yield path
                yield from (file for file in _files(path.parent) if file.name.startswith(path.name + ".") and self._is_fresh(file))

    def _is_fresh(self, file: Path) -> bool:
        if self._looked is None or file.suffix in _PACKED:
            return False
        try:
            return file.stat().st_mtime_ns >= self._looked - _MARGIN_NS
        except OSError:
            return False

    def _read_file(self, path: Path, log: Log) -> Position:
        stat = path.stat()
        known = self._positions.get((stat.st_dev, stat.st_ino))
        if known is not None and (known.offset, known.changed) == (stat.st_size, stat.st_mtime_ns):
            return msgspec.structs.replace(known, path=str(path))
        with path.open("rb") as stream:
            stat = os.fstat(stream.fileno())
            known = self._positions.get((stat.st_dev, stat.st_ino))
            offset, lines = (known.offset, known.lines) if known is not None and _still_there(stream, known) else (0, 0)
            stream.seek(offset)
            offset, lines = _read_lines(stream, path, offset, lines, log)
            return Position(str(path), stat.st_dev, stat.st_ino, offset, lines, _check(stream, offset), stat.st_mtime_ns)


def _read_lines(stream: BinaryIO, path: Path, offset: int, lines: int, log: Log) -> tuple[int, int]:
    """Reads to the end of the last whole line; where that is, and how many lines there were."""
    while line := stream.readline(LONGEST_LINE):
        size = len(line)
        ended = line.endswith(b"\n")
        if size == LONGEST_LINE and not ended:
            while not ended and (more := stream.readline(LONGEST_LINE)):
                size, ended = size + len(more), more.endswith(b"\n")
            if not ended:
                break
            log.skip(f"{Place(path, lines + 1)}: longer than {LONGEST_LINE:,} bytes")
        elif ended or _is_whole(line):
            log.add(line.rstrip(b"\n").removesuffix(b"\r"), path, lines + 1)
        else:
            break
        offset += size
        lines += ended
    return offset, lines


def _is_whole(line: bytes) -> bool:
    """Whether a line that has no end yet is an event as it stands: no beginning of a JSON object is one."""
    if not line.endswith(b"}"):
        return False
    try:
        parse_line(line)
    except Malformed:
        return False
    return True


def _still_there(stream: BinaryIO, position: Position) -> bool:
    return os.fstat(stream.fileno()).st_size >= position.offset and _check(stream, position.offset) == position.check


def _check(stream: BinaryIO, offset: int) -> str:
    start = max(offset - _CHECKED, 0)
    stream.seek(start)
    return blake2b(stream.read(offset - start), digest_size=8).hexdigest()


def _identity(path: Path) -> Identity | None:
    """Which file it is; None where there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return (stat.st_dev, stat.st_ino) if S_ISREG(stat.st_mode) else None


def _below(folder: Path) -> list[Path]:
    """All files in a folder and below it, by name. Folders that go while it is looked, or that nobody may open, hold none: no fault."""
    return sorted(Path(inside, name) for inside, _, names in os.walk(folder) for name in names)


def _files(folder: Path) -> list[Path]:
    """What is in a folder, by name; nothing where that cannot be told."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
