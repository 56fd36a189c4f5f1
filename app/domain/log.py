"""Reading a log as a whole: its lines, what it starts from, and its events in order (E1-E10, E126-E133)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from app.domain import keyframe
from app.domain.envelope import Event, Malformed, parse_line
from app.domain.keyframe import Keyframe, KeyframeRefused

_BLANK = b" \t\r\n\x0b\x0c"


@dataclass(slots=True)
class Log:
    """What a log holds: the keyframe that it starts from, and its events, in E10's order after `sort`; `skipped` counts malformed lines."""

    base: Keyframe | None = None
    events: list[Event] = field(default_factory=list)
    skipped: int = 0
    duplicates: int = 0

    def sort(self) -> None:
        """Puts the events in the order in which they apply (E10)."""
        self.events.sort(key=lambda event: event.order)


class LogReader:
    """Takes in lines or events, in the order of the log.

    `accepts` tells whether a keyframe's state adds up (E135), by raising KeyframeRefused where it does not.
    """

    def __init__(self, accepts: Callable[[Keyframe], object]) -> None:
        self.log = Log()
        self._accepts = accepts
        self._ids: set[str] = set()
        self._parts: list[Event] = []
        self._closed = False
        """Whether a keyframe has been tried, or an event came first: no further one counts (E129-E131)."""

    def line(self, line: bytes) -> None:
        """Takes in one line without its LF (E1, E2)."""
        line = line.removesuffix(b"\r")
        if not line.strip(_BLANK):
            return
        try:
            self.event(parse_line(line))
        except Malformed:
            self.log.skipped += 1

    def event(self, event: Event) -> None:
        """Takes in one event, or part of a keyframe."""
        if event.type == keyframe.TYPE:
            self._keyframe_part(event)
        elif event.id in self._ids:
            self.log.duplicates += 1
        else:
            self._ids.add(event.id)
            self._closed = True
            self._parts.clear()
            self.log.events.append(event)

    def _keyframe_part(self, event: Event) -> None:
        part = keyframe.read_part(event)
        if self._closed and event.id not in self._ids and part is not None and part.part == 0 and part.restart:
            self.log = Log(skipped=self.log.skipped)
            self._ids.clear()
            self._closed = False
        if self._closed or event.id in self._ids:
            return
        self._ids.add(event.id)
        self._parts.append(event)
        first = keyframe.read_part(self._parts[0])
        if first is None or len(self._parts) >= min(first.parts, keyframe.MAX_PARTS):
            self._closed = True
            self._merge()

    def _merge(self) -> None:
        try:
            base = keyframe.merge(self._parts)
            self._accepts(base)
            self.log.base = base
        except KeyframeRefused:
            pass
        self._parts = []


def read_log(lines: Iterable[bytes], accepts: Callable[[Keyframe], object]) -> Log:
    """Reads a whole log; its events come sorted."""
    reader = LogReader(accepts)
    for line in lines:
        reader.line(line)
    reader.log.sort()
    return reader.log
