"""Places for late events between the events that are there (E10): gaps are shared evenly, and a full one is made wider."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.domain.envelope import Event
from app.store.intervals import BASE, STEP

_ROOM = 16
"""Numbers for each event where some get new ones: many more late events fit in before the next time."""


def merged(tail: Sequence[tuple[int, Event]], new: Iterable[Event], after: int) -> list[tuple[int, Event]]:
    """The events of `tail` and `new` in order, each with its place, all above `after` (0: they are the first).

    As few as possible of those that are there get another place, and none gets one that another of them had.
    """
    places: list[tuple[int | None, Event]] = sorted([*tail, *((None, event) for event in new)], key=lambda each: each[1].order)
    taken = {seq for seq, _ in tail}
    found: list[tuple[int, Event]] = []
    low, start = max(after, BASE), 0
    while start < len(places):
        seq, event = places[start]
        if seq is not None:
            found.append((seq, event))
            low, start = seq, start + 1
            continue
        end, high = _window(places, start, low)
        if high is None:
            low = low // STEP * STEP
            high = low + STEP * (end - start + 1)
        before = found[-1][0] if found else low
        for number, (_, each) in enumerate(places[start:end], 1):
            before = max(before + 1, low + (high - low) * number // (end - start + 1))
            while before in taken:
                before += 1
            found.append((before, each))
        low, start = before, end
    return found


def _window(places: Sequence[tuple[int | None, Event]], start: int, low: int) -> tuple[int, int | None]:
    """Up to where events get places, and the first place that they cannot have (None: there is no event after them)."""
    end = start
    while end < len(places) and places[end][0] is None:
        end += 1
    needed, wider = 1, 1
    while end < len(places):
        high = places[end][0]
        if high is not None and high - low > needed * (end - start):
            return end, high
        end, needed, wider = min(end + wider, len(places)), _ROOM, 2 * wider
    return end, None
