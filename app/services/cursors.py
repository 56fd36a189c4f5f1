"""Cursors (Q15): opaque texts that name a place in one list, and for lists of nodes the moment that it is of."""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import orjson

from app.domain.problems import CursorInvalid

_NANOSECONDS: Final = re.compile(r"-?[0-9]{1,25}", re.ASCII)


class Mark(NamedTuple):
    """The moment that a cursor carries: an event's own id (None: before any) and the time of judging in Unix nanoseconds."""

    event: str | None
    time_ns: int


class Place(NamedTuple):
    """What a cursor says: the key of its row, and the moment of its list if that is fixed."""

    key: list[Any]
    mark: Mark | None


def arrival_cursor(graph_id: str, arrival: int) -> str:
    """Where a graph's stream of events stands after the event with an arrival number (0: before the first), in any process (Q23)."""
    return write_cursor(_arrivals(graph_id), [arrival])


def read_arrival_cursor(text: str, graph_id: str) -> int:
    """The arrival number that a cursor of a graph's stream says. Raises: CursorInvalid, also for one of another graph."""
    found = read_cursor(text, _arrivals(graph_id), int)
    arrival: int = found.key[0]
    if found.mark is not None or arrival < 0:
        raise CursorInvalid("This is not a cursor of a stream of events.")
    return arrival


def _arrivals(graph_id: str) -> str:
    return list_name("arrivals", graph_id)


def list_name(*parts: Any) -> str:
    """A short name for one list: the same for equal parts (kind, graph, node, order, filter, what was asked of the moment)."""
    text = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    return blake2b(text, digest_size=9).hexdigest()


def write_cursor(name: str, key: list[Any], mark: Mark | None = None) -> str:
    """The cursor of the row with `key` in the list called `name`."""
    return (
        urlsafe_b64encode(orjson.dumps([name, key, None if mark is None else [mark.event, str(mark.time_ns)]])).decode("ascii").rstrip("=")
    )


def read_cursor(text: str, name: str, *kinds: type) -> Place:
    """What a cursor of the list called `name` says, whose key has members of these types.

    Raises: CursorInvalid, also for a cursor of another list.
    """
    try:
        found = orjson.loads(urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)))
    except (ValueError, binascii.Error):
        raise CursorInvalid("This is not a cursor.") from None
    match found:
        case [str(own), list(key), None]:
            place = Place(key, None)
        case [str(own), list(key), [str() | None as event, str(time_ns)]] if _NANOSECONDS.fullmatch(time_ns):
            place = Place(key, Mark(event, int(time_ns)))  # written as text: the year 9999 is beyond 64 bits
        case _:
            raise CursorInvalid("This is not a cursor.")
    if own != name:
        raise CursorInvalid("This cursor belongs to another list: another graph, node, order, filter or moment.")
    if [type(part) for part in place.key] != list(kinds):
        raise CursorInvalid("This is not a cursor.")
    return place
