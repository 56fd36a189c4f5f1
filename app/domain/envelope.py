"""Reading event envelopes (E1-E7): strict where the rules are strict, and nothing more."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

import orjson

from app.domain.times import event_ns

_ENVELOPE_KEYS = ("v", "id", "ts", "type", "node", "parent", "source", "trace", "data")
_KEY_BYTES = tuple(f'"{key}"'.encode() for key in _ENVELOPE_KEYS)
_TEXTS = ("id", "ts", "type", "node")
_MAX_VERSION = 2**32 - 1

MOST_LEVELS = 127
"""So deep may a line be nested (E2): an answer that shows it has a hundred levels of its own before the JSON library gives up."""


class Event(NamedTuple):
    """One event (E3).

    `time_ns` is when it applies (E11); `data` is any JSON as sent (None: absent); `line` the envelope's JSON text as sent.
    """

    id: str
    ts: str
    time_ns: int
    type: str
    node: str
    parent: str | None
    provider: str | None
    data: Any
    line: bytes

    @property
    def order(self) -> tuple[int, bytes]:
        """What events sort by: time, then id byte by byte (E10)."""
        return self.time_ns, self.id.encode("utf-8", "surrogatepass")


class Malformed(ValueError):  # noqa: N818 - the rule's word (E2)
    """A line or object that is no event; the text says why."""


def parse_line(line: bytes) -> Event:
    """Reads one line (E1-E3). Raises Malformed."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        # bytes that are not UTF-8 are read as U+FFFD (E1); only then is a second look worth it
        repaired = line.decode("utf-8", "replace").encode()
        if repaired == line:
            raise Malformed("not JSON") from None
        return parse_line(repaired)
    if not isinstance(value, dict):
        raise Malformed("not a JSON object")
    if _dumped(value) != line:  # where it is the same, as it nearly always is, no key is there twice
        _refuse_repeated_keys(line, value)
    return parse_object(value, line)


def parse_object(value: Any, line: bytes | None = None) -> Event:
    """Reads an envelope that was JSON already (E3). `line`: its text as sent, made if not given. Raises Malformed."""
    if not isinstance(value, dict):
        raise Malformed("not a JSON object")
    version = value.get("v")
    if type(version) is not int or not 0 <= version <= _MAX_VERSION:
        raise Malformed("v must be an integer from 0 to 4294967295")
    own_id, ts, type_, node = texts = tuple(map(value.get, _TEXTS))
    if not own_id.__class__ is ts.__class__ is type_.__class__ is node.__class__ is str:
        name = next(name for name, text in zip(_TEXTS, texts, strict=True) if text.__class__ is not str)
        raise Malformed(f"{name} must be a string")
    parent = value.get("parent")
    if parent is not None and not isinstance(parent, str):
        raise Malformed("parent must be a string or null")
    provider = _source_provider(value.get("source"))
    if line is None:
        line = _dumped(value)
        if b"null" in line and orjson.loads(line) != value:  # 1e400, written in a GraphQL document: JSON knows no infinity
            raise Malformed("a number is too large")
    return Event(own_id, ts, event_ns(ts), type_, node, parent, provider, value.get("data"), line)


def _source_provider(source: Any) -> str | None:
    if source is None:
        return None
    if not isinstance(source, dict) or not isinstance(source.get("provider"), str):
        raise Malformed("source must be an object with a provider")
    for name in ("provider_version", "adapter"):
        if source.get(name) is not None and not isinstance(source[name], str):
            raise Malformed(f"source.{name} must be a string or null")
    provider: str = source["provider"]
    return provider


def _dumped(value: object) -> bytes:
    """The shortest JSON text. Raises Malformed where it is nested more than `MOST_LEVELS` deep, or has integers beyond 64 bits."""
    try:
        text = orjson.dumps(value)
    except orjson.JSONEncodeError as error:
        raise Malformed(f"no JSON that can be kept: {error}") from None
    if text.count(b"{") + text.count(b"[") > MOST_LEVELS and _is_too_deep(value):
        raise Malformed(f"no JSON that can be kept: it is nested more than {MOST_LEVELS} levels deep")
    return text


def _is_too_deep(value: object) -> bool:
    level = [value]
    for _ in range(MOST_LEVELS):
        inside = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [each for values in inside for each in values]
    return any(isinstance(each, dict | list) for each in level)


def _refuse_repeated_keys(line: bytes, value: dict[str, Any]) -> None:
    if b"\\u" not in line:
        often = [key for key in _KEY_BYTES if line.count(key) > 1]
        inside = orjson.dumps([value.get(name) for name in ("source", "trace", "data")]) if often else b""
        if all(line.count(key) <= 1 + inside.count(key) for key in often):
            return
    top: list[tuple[str, Any]] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        top[:] = pairs  # the outermost object comes last
        return dict(pairs)

    json.loads(line, object_pairs_hook=keep)
    counts = Counter(key for key, _ in top)
    repeated = [key for key in _ENVELOPE_KEYS if counts[key] > 1]
    if repeated:
        raise Malformed(f"{repeated[0]} is given twice")
