"""Reading a log: lines, envelopes, duplicates, order (E1-E15), and the keyframe it starts from (E21, E126-E133)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.keyframes import MOST_PARTS, unpack
from tests.oracle.payloads import TEXT as OPTIONAL_TEXT
from tests.oracle.payloads import is_text, read_data, read_fields, required
from tests.oracle.times import time_of

Event = dict[str, Any]

ENVELOPE_KEYS = frozenset({"v", "id", "ts", "type", "node", "parent", "source", "trace", "data"})
SOURCE = {"provider": required(is_text), "provider_version": OPTIONAL_TEXT, "adapter": OPTIONAL_TEXT}


@dataclass
class Log:
    """A log as read: `events` in E10 order without duplicates, `lines` as they were written.

    `base` is the state of the keyframe it starts from (E134 JSON), `base_ts` that keyframe's `ts`, `base_id` the id of the last
    event it stands for; all None without one. `skipped` counts malformed lines, `keyframes` the keyframe lines met.
    """

    events: list[Event] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    base: dict[str, Any] | None = None
    base_ts: str | None = None
    base_id: str | None = None
    skipped: int = 0
    keyframes: int = 0

    def moment(self, n: int) -> int:
        """E14: the time in nanoseconds at which the state after the first n events is judged."""
        if n > 0:
            return time_of(self.events[n - 1]["ts"])
        return 0 if self.base_ts is None else time_of(self.base_ts)


class _Object(dict[str, Any]):
    """A JSON object that knows which of its keys it repeats."""

    repeated: frozenset[str] = frozenset()


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    json.dumps(pairs, ensure_ascii=False).encode()  # an escaped surrogate without its partner is refused here
    made = _Object(pairs)
    keys = [key for key, _ in pairs]
    made.repeated = frozenset(key for key in keys if keys.count(key) > 1)
    return made


def _no_constant(word: str) -> Any:
    raise ValueError(word)


def parse_line(line: str) -> Event | None:
    """E2, E3: the envelope of one line, or None if it is malformed."""
    try:
        value = json.loads(line, object_pairs_hook=_object, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, _Object) or value.repeated & ENVELOPE_KEYS:
        return None
    version = value.get("v")
    if not isinstance(version, int) or isinstance(version, bool) or not 0 <= version < 2**32:
        return None
    if not all(is_text(value.get(key)) for key in ("id", "ts", "type", "node")):
        return None
    parent, source = value.get("parent"), value.get("source")
    if not (parent is None or is_text(parent)) or (source is not None and read_fields(SOURCE, source) is None):
        return None
    return value


class _Reader:
    """What was accepted so far."""

    def __init__(self) -> None:
        self.skipped = self.keyframes = 0
        self.forget()

    def forget(self) -> None:
        self.accepted: list[tuple[Event, str]] = []
        self.ids: set[str] = set()
        self.parts: list[Event] = []
        self.base: dict[str, Any] | None = None
        self.base_part: Event | None = None
        self.failed = False

    def line(self, line: str) -> None:
        event = parse_line(line)
        if event is None:
            self.skipped += 1
        elif event["id"] in self.ids:
            return
        elif event["type"] == "keyframe":
            self.keyframe(event)
        else:
            self.ids.add(event["id"])
            self.accepted.append((event, line))
            self.parts = []

    def keyframe(self, part: Event) -> None:
        """E129-E132. Parts being collected do not count as accepted: they come to nothing or to a keyframe."""
        self.keyframes += 1
        data = read_data(part)
        begun = bool(self.accepted) or self.base is not None or self.failed
        if begun and data is not None and data["restart"] and data["part"] == 0:
            self.forget()
            begun = False
        if begun:
            return
        self.ids.add(part["id"])
        self.parts.append(part)
        first = read_data(self.parts[0])
        if first is not None and len(self.parts) < min(first["parts"], MOST_PARTS):
            return
        self.base = unpack([read_data(each) for each in self.parts])
        self.base_part = self.parts[0] if self.base is not None else None
        self.failed = self.base is None
        self.parts = []


def read_log(text: bytes) -> Log:
    """The log that these bytes hold."""
    reader = _Reader()
    for raw in text.split(b"\n"):
        line = raw.removesuffix(b"\r").decode(errors="replace")
        if line.strip():
            reader.line(line)
    reader.accepted.sort(key=lambda pair: (time_of(pair[0]["ts"]), pair[0]["id"]))
    part = reader.base_part
    return Log(
        events=[event for event, _ in reader.accepted],
        lines=[line for _, line in reader.accepted],
        base=reader.base,
        base_ts=part["ts"] if part else None,
        base_id=part["id"].rsplit("~", 1)[0] if part else None,
        skipped=reader.skipped,
        keyframes=reader.keyframes,
    )


def log_of(events: list[Event]) -> Log:
    """The log of these envelopes, one a line in the order given."""
    return read_log("".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events).encode())
