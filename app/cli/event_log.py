"""One log of events, sorted on disk, so that its length costs no memory (E1-E3, E9, E10, E129-E132)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from app.domain import keyframe
from app.domain.envelope import Event, Malformed, parse_line

MOST_FAULTS = 5
"""So many skipped lines are told one by one."""

_ROWS = 1_000
_TIME_BYTES = 12
"""Of a time in Unix ns: enough for every year that can be written."""

_OPEN = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -32768;
CREATE TABLE event (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, place BLOB NOT NULL, file INTEGER, line INTEGER, text BLOB);
BEGIN;
"""


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


class Log:
    """The lines of one log, in a temporary database that goes with it; little of a large one is in memory.

    `base`: lines of the keyframe that it starts from (E129). `faults` says of the first lines that were skipped where they stand and why.
    With `carried_on` it goes on from events that were read earlier: keyframes in it count for nothing (E131).
    """

    def __init__(self, *, carried_on: bool = False) -> None:
        self.skipped = 0
        self.faults: list[str] = []
        self.duplicates = 0
        self.unreadable: list[str] = []
        self.base: list[bytes] = []
        self._carried_on = carried_on
        self._files: dict[Path | None, int] = {}
        self._rows: list[tuple[bytes, bytes, int, int, bytes]] = []
        self._kept = 0
        self._store = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._store.executescript(_OPEN)

    def __len__(self) -> int:
        self._flush()
        return self._kept

    def add(self, line: bytes, file: Path | None = None, number: int = 1) -> None:
        """One line, in the order in which the log has them, the `number`th of its file. Lines of white space are nothing (E1)."""
        if not line or line.isspace():
            return
        try:
            event = parse_line(line)
        except Malformed as error:
            self.skip(f"{Place(file, number)}: {error}")
            return
        if event.type == keyframe.TYPE:
            self._keyframe(event)
            return
        time, key = event.order
        known = self._files.setdefault(file, len(self._files))
        self._rows.append((key, time.to_bytes(_TIME_BYTES) + key, known, number, event.line))
        if len(self._rows) == _ROWS:
            self._flush()

    def skip(self, why: str) -> None:
        """A line that is left out."""
        self.skipped += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(why)

    def lines(self) -> Iterator[bytes]:
        """The events in E10's order."""
        self._flush()
        for (line,) in self._store.execute("SELECT text FROM event ORDER BY place"):
            yield line

    @property
    def longest(self) -> Longest | None:
        """Of the events that `lines` gives; the first of several as long."""
        self._flush()
        found = self._store.execute("SELECT length(text), file, line FROM event ORDER BY length(text) DESC, number LIMIT 1").fetchone()
        if found is None:
            return None
        size, file, line = found
        return Longest(size, Place(list(self._files)[file], line))

    def close(self) -> None:
        """Takes the database away."""
        self._store.close()

    def _keyframe(self, event: Event) -> None:
        if self._carried_on:
            return
        data = event.data if isinstance(event.data, dict) else {}
        accepted = len(self) > 0
        if accepted and data.get("restart") is True and data.get("part") == 0:
            self._store.execute("DELETE FROM event")
            self._kept = 0
            self.base.clear()
            accepted = False
        if not accepted:  # once something was accepted a keyframe is ignored (E131)
            self.base.append(event.line)

    def _flush(self) -> None:
        if not self._rows:
            return
        before = self._store.total_changes
        self._store.executemany("INSERT OR IGNORE INTO event (id, place, file, line, text) VALUES (?, ?, ?, ?, ?)", self._rows)
        new = self._store.total_changes - before
        self._kept += new
        self.duplicates += len(self._rows) - new  # the first in the log counts (E9), also where a later one would sort before it
        self._rows.clear()
