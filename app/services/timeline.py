"""A graph's held events counted in equal spans of time (Q13)."""

from __future__ import annotations

from typing import NamedTuple

from app.domain.problems import BadUserInput
from app.services.event_pages import place_by
from app.store import timeline as stored
from app.store.events import Stretch
from app.store.graphs import GraphRow
from app.store.intervals import STEP
from app.store.moments import places_by
from app.store.reading import Reading

MOST_SPANS = 1_000

SCANNED = 4_000
"""So many events are counted by looking at each: fewer statements than searching for the ends of spans."""


class Span(NamedTuple):
    """From `from_ms` up to `to_ms` (Unix ms), which only the last one holds.

    `last_event`: own id of the newest held event in it or before it.
    """

    from_ms: int
    to_ms: int
    events: int
    last_event: str | None


async def timeline(reading: Reading, graph: GraphRow, number: int, from_ms: int | None, to_ms: int | None) -> list[Span]:
    """`number` spans over the held events, or between the times given; none for a graph without events. Raises: BadUserInput."""
    if not 1 <= number <= MOST_SPANS:
        raise BadUserInput("buckets", f"buckets is from 1 to {MOST_SPANS:,}.")
    if from_ms is not None and to_ms is not None and from_ms >= to_ms:
        raise BadUserInput("from", "from lies before to.")
    if graph.first is None or graph.last is None:
        return []
    start = graph.first.time_ms if from_ms is None else from_ms
    end = graph.last.time_ms if to_ms is None else to_ms
    if start > end or (start == end and (from_ms, to_ms) != (None, None)):
        raise BadUserInput("from" if to_ms is None else "to", "from lies before to: what is left out is the first or newest event's.")
    before = await place_by(reading, graph, start - 1)
    upto = await place_by(reading, graph, end)
    low = max(before + 1, graph.standing.floor)
    bounds = [start + (end - start) * place // number for place in range(number + 1)]
    if graph.standing.regular and upto - low > SCANNED * STEP:
        found = await _counted(reading, before, bounds, upto, graph.standing.head)
    else:
        found = await stored.spans(reading, Stretch(low, upto), start, end - start, number)
    lasts, last = [], before
    for place in range(number):
        last = found[place].last if place in found else last
        lasts.append(last)
    ids = await stored.ids_at(reading, (place for place in lasts if place))
    numbers = [found[place].number if place in found else 0 for place in range(number)]
    return [Span(bounds[place], bounds[place + 1], numbers[place], ids.get(lasts[place])) for place in range(number)]


async def _counted(reading: Reading, before: int, bounds: list[int], upto: int, head: int) -> dict[int, stored.Counted]:
    """The spans by where they end: what is between two places need not be read where all of them are taken."""
    ends = [*await places_by(reading, [bound - 1 for bound in bounds[1:-1]], STEP, head), upto]
    starts = [before, *ends[:-1]]
    return {
        number: stored.Counted((end - start) // STEP, end)
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
        if end > start
    }
