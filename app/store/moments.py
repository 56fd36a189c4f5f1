"""From a time to a place (R26)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.store.events import windows
from app.store.intervals import BUCKET_BITS, STEP
from app.store.reading import Reading

_PLACES = 2_000
_PROBES = 64
_ROUNDS = 8
_BUCKETS = 16


class Mark(NamedTuple):
    """An event's place and its own id."""

    seq: int
    id: str


async def times_at(reading: Reading, places: Iterable[int]) -> dict[int, int]:
    """The times of the events at these places, Unix ms. A place without one is not in it."""
    record = await reading.store.one("read/times_at", reading.deadline, g=reading.g, places=list(places))
    return {} if record is None else dict(record["times"])


async def places_by(reading: Reading, times_ms: Sequence[int], low: int, high: int) -> list[int]:
    """For each time (Unix ms, ascending) the place of the last event at or before it; 0 where there is none.

    Events are at all multiples of `STEP` from `low` to `high`. A search for all times at once: a few statements, however many events.
    """
    between = [(low - STEP, high + STEP)] * len(times_ms)
    while open_ones := sorted({each for each in between if each[1] - each[0] > STEP}):
        each_of = max(_PLACES // len(open_ones), 1)
        wanted: list[int] = []
        for before, after in open_ones:
            gap = -(-(after - before) // STEP // (each_of + 1)) * STEP
            wanted += range(before + max(gap, STEP), after, max(gap, STEP))
        found: dict[int, int] = {}
        for start in range(0, len(wanted), _PLACES):
            found |= await times_at(reading, wanted[start : start + _PLACES])
        known = sorted(found.items())
        places, moments = [place for place, _ in known], [when for _, when in known]
        for number, time_ms in enumerate(times_ms):
            at = bisect_right(moments, time_ms)
            before, after = between[number]
            between[number] = max(before, places[at - 1] if at else before), min(after, places[at] if at < len(places) else after)
    return [before if before >= low else 0 for before, _ in between]


async def last_by(reading: Reading, time_ms: int, low: int, high: int) -> Mark | None:
    """The last event at or before `time_ms` (Unix ms) among those from place `low` to place `high`.

    A search: events lie in order of time, mostly at multiples of `STEP`. Where late ones were put between, the rest is looked through.
    """
    before = high + 1
    for _ in range(_ROUNDS):
        if before - low <= 1 << BUCKET_BITS:
            break
        gap = max((before - low) // (_PROBES + 1) // STEP, 1) * STEP
        start = (low // STEP + 1) * STEP
        times = await times_at(reading, range(start, before, gap))
        if not times:
            break
        low = max((place for place, when in times.items() if when <= time_ms), default=low)
        before = min((place for place, when in times.items() if when > time_ms), default=before)
    for buckets in windows(low, before - 1, True, 2, _BUCKETS):
        record = await reading.store.one(
            "read/time_seq", reading.deadline, g=reading.g, buckets=buckets, low=low, high=before - 1, time_ms=time_ms
        )  # fmt: skip
        if record is not None:
            return Mark(record["seq"], record["id"])
    return None
