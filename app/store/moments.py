"""From a time to a place (R26)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.store.events import windows
from app.store.intervals import BUCKET_BITS, STEP
from app.store.reading import Reading

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
