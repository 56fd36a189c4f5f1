"""Held events: pages of a graph's or a node's, up or down, and single ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from app.store.intervals import BUCKET_BITS, STEP
from app.store.keys import event_key, node_key, since_key
from app.store.reading import Reading, Stored, Values, named

COLUMNS = ("seq", "arrival", "id", "type", "ref", "ts", "time_ms", "time_ns", "line", "changes", "nodes")
"""Names of the values of a row. `id` is the event's own; `line` and `changes` are JSON texts; `nodes` is how many there are after it."""

_PER_BUCKET = (1 << BUCKET_BITS) // STEP
_MOST_BUCKETS = 64
_COUNTED_BUCKETS = 256
_PLACES_AT_ONCE = 500
_FIRST_STRETCH = 4
"""On an engine that reads a node's whole range, the nearest events are tried first: so many times the limit."""


@dataclass(frozen=True, slots=True)
class Types:
    """Types of events: exact ones, and families by the text they begin with."""

    exact: tuple[str, ...] = ()
    families: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """Events between two places, both included; of certain types; about one node."""

    low: int
    high: int
    types: Types | None = None
    ref: str | None = None

    @property
    def params(self) -> dict[str, Any]:
        """What statements take of the types."""
        return {} if self.types is None else {"types": list(self.types.exact), "families": list(self.types.families)}

    @property
    def suffix(self) -> str:
        """The ending of the statements' names."""
        return "" if self.types is None else "_typed"


async def page(reading: Reading, stretch: Stretch, limit: int, *, down: bool) -> list[Stored]:
    """The first `limit` events of a stretch, from its end (`down`) or from its beginning."""
    if stretch.low > stretch.high or limit < 1:
        return []
    pieces = _of_graph if stretch.ref is None else _of_node
    rows: list[Values] = []
    async for more in pieces(reading, stretch, limit, down):
        rows += more
        if len(rows) >= limit:
            break
    return await named(COLUMNS, rows[:limit], ("time_ns",))


async def count(reading: Reading, stretch: Stretch) -> int:
    """How many events a stretch has."""
    if stretch.low > stretch.high:
        return 0
    if stretch.ref is not None:
        records = await reading.ranged(f"read/events_of_count{stretch.suffix}", **_span(reading, stretch), **stretch.params)
        return int(records[0]["number"])
    total = 0
    for buckets in windows(stretch.low, stretch.high, False, _COUNTED_BUCKETS, _COUNTED_BUCKETS):
        records = await reading.store.read(
            f"read/events_count{stretch.suffix}", reading.deadline, g=reading.g, graph=reading.moment.graph, buckets=buckets,
            low=stretch.low, high=stretch.high, **stretch.params,
        )  # fmt: skip
        total += records[0]["number"] if records else 0
    await reading.look()
    return total


async def by_id(reading: Reading, own_ids: Iterable[str]) -> dict[str, Stored]:
    """Those of these events that are held, by their own ids."""
    keys = [event_key(reading.g, own_id) for own_id in dict.fromkeys(own_ids)]
    if not keys:
        return {}
    found, at = await reading.rows("read/events_by_key", keys=keys)
    rows = await named(COLUMNS, found, ("time_ns",))
    return {row["id"]: row for row in rows if at.floor <= row["seq"] <= at.head}


async def at(reading: Reading, places: Iterable[int]) -> dict[int, Stored]:
    """The events at these places."""
    wanted = sorted(set(places))
    found: dict[int, Stored] = {}
    for start in range(0, len(wanted), _PLACES_AT_ONCE):
        rows = await reading.rows("read/events_at", g=reading.g, places=wanted[start : start + _PLACES_AT_ONCE])
        found |= {row["seq"]: row for row in await named(COLUMNS, rows.values, ("time_ns",))}
    return found


async def arrived(reading: Reading, first: int, last: int) -> list[Stored]:
    """The events with the arrival numbers from `first` to `last`, in that order; `late` says which came late. Held ones alone.

    What is missing is held no more: the numbers of an append that is under way must not be asked for.
    """
    found: list[Values] = []
    for start in range(first, last + 1, _PLACES_AT_ONCE):
        numbers = list(range(start, min(start + _PLACES_AT_ONCE, last + 1)))
        values, at = await reading.rows("read/events_arrived", g=reading.g, arrivals=numbers)
        found += [row for row in values if at.floor <= row[0] <= at.head]
    return sorted(await named((*COLUMNS, "late"), found, ("time_ns",)), key=itemgetter("arrival"))


async def arrived_places(reading: Reading, first: int, last: int) -> list[tuple[int, bool]]:
    """Place of each held event with one of these arrival numbers, and whether it came late; in no order."""
    found: list[tuple[int, bool]] = []
    for start in range(first, last + 1, _PLACES_AT_ONCE):
        numbers = list(range(start, min(start + _PLACES_AT_ONCE, last + 1)))
        values, at = await reading.rows("read/arrived_places", g=reading.g, arrivals=numbers)
        found += [(seq, bool(late)) for seq, late in values if at.floor <= seq <= at.head]
    return found


def windows(low: int, high: int, down: bool, width: int, most: int) -> Iterator[list[int]]:
    """The buckets of the places from `low` to `high`, in runs of `width` that grow to `most`, from the end (`down`) or the beginning."""
    first, last = low >> BUCKET_BITS, high >> BUCKET_BITS
    while first <= last:
        width = min(width, last - first + 1)
        if down:
            yield list(range(last, last - width, -1))
            last -= width
        else:
            yield list(range(first, first + width))
            first += width
        width = min(4 * width, most)


async def _of_graph(reading: Reading, stretch: Stretch, limit: int, down: bool) -> AsyncIterator[list[Values]]:
    width = min(limit // _PER_BUCKET + 2, _MOST_BUCKETS) if stretch.types is None else 16
    for buckets in windows(stretch.low, stretch.high, down, width, _MOST_BUCKETS):
        found = await reading.rows(
            f"read/events_{'down' if down else 'up'}{stretch.suffix}", g=reading.g, buckets=buckets, low=stretch.low, high=stretch.high,
            limit=limit, **stretch.params,
        )  # fmt: skip
        yield found.values


async def _of_node(reading: Reading, stretch: Stretch, limit: int, down: bool) -> AsyncIterator[list[Values]]:
    name = f"read/events_of_{'down' if down else 'up'}{stretch.suffix}"
    for piece in _pieces(stretch, limit, down, reading.store.engine == "neo4j"):
        records = await reading.store.read(name, reading.deadline, **_span(reading, piece), limit=limit, **stretch.params)
        yield [record["row"] for record in records]
    await reading.look()


def _pieces(stretch: Stretch, limit: int, down: bool, at_once: bool) -> Iterator[Stretch]:
    """The stretch in pieces that grow; as one where the engine reads no more than it gives."""
    low, high = stretch.low, stretch.high
    width = high - low + 1 if at_once else max(_FIRST_STRETCH * limit, 256) * STEP
    while low <= high:
        if down:
            piece = replace(stretch, low=max(low, high - width + 1), high=high)
            high = piece.low - 1
        else:
            piece = replace(stretch, low=low, high=min(high, low + width - 1))
            low = piece.high + 1
        yield piece
        width *= 16


def _span(reading: Reading, stretch: Stretch) -> dict[str, str]:
    key = node_key(reading.g, stretch.ref or "")
    return {"first": since_key(key, stretch.low), "last": since_key(key, stretch.high)}
