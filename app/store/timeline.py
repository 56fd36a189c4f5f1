"""Events counted in equal spans of time, by the store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.store.events import Stretch, windows
from app.store.reading import Reading

_BUCKETS = 256


class Counted(NamedTuple):
    """What falls into a span: how many events, and the place of the last."""

    number: int
    last: int


async def spans(reading: Reading, stretch: Stretch, from_ms: int, width_ms: int, number: int) -> dict[int, Counted]:
    """The spans that are not empty, by their place from 0, of `number` equal ones that begin at `from_ms` (Unix ms).

    `stretch` holds the events between both ends. One at the end itself counts to the last span.
    """
    found: dict[int, Counted] = {}
    if stretch.low > stretch.high:
        return found
    for buckets in windows(stretch.low, stretch.high, False, _BUCKETS, _BUCKETS):
        rows = await reading.rows(
            "read/events_spans", g=reading.g, buckets=buckets, low=stretch.low, high=stretch.high, time_ms=from_ms,
            width=max(width_ms, 1), limit=number,
        )  # fmt: skip
        for span, count, last in rows.values:
            place = min(int(span), number - 1)
            before = found.get(place, Counted(0, 0))
            found[place] = Counted(before.number + count, max(before.last, last))
    return found


async def ids_at(reading: Reading, places: Iterable[int]) -> dict[int, str]:
    """Own ids of the events at these places."""
    wanted = sorted(set(places))
    if not wanted:
        return {}
    rows = await reading.rows("read/ids_at", g=reading.g, places=wanted)
    return dict(map(tuple, rows.values))
