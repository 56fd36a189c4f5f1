"""The schedule of the live demo: a log moved in time so that most of it has just happened and the rest plays from now on, for ever."""

import re
from collections.abc import Iterable, Iterator
from random import Random

from app.demo.crew import Floor, Seat
from app.demo.desks import desk, turns
from app.demo.stage import Event, Schedule, Writer
from app.demo.stamps import Stamps, unix_ms

_LONGEST_PAUSE = 3_000
_CALM = 350, 1_000
"""Least and most ms between two events once the log is over: one to three a second."""
_DESKS = 6
_EVENTS_A_NODE = 40
_ORDINARY = re.compile(r"[a-z-]+:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def replay(log: Iterable[Event], now_ms: int, past: float = 0.9, seed: int = 7) -> Iterator[tuple[int, Event]]:
    """When to append what: `(at_ms, event)` in order of time and id, without end.

    The first `past` of the log's events (a share from 0 to 1) end at `now_ms` (Unix ms) and are due at once; the others follow at the
    log's own pace, its longest pauses cut short. Then sessions that were at work go on and new ones come, one to three events a second.
    All ids and times are made anew. Keyframes are left out: a live log has none (E126). Holds the whole log in memory.
    """
    events = [event for event in log if event["type"] != "keyframe"]
    rng = Random(seed)  # noqa: S311  # chance, not secrets
    stamps = Stamps(rng)
    times = [unix_ms(event["ts"]) for event in events]
    settled = int(len(events) * past)
    at = now_ms
    for n, event in enumerate(events):
        if n < settled:
            at = now_ms - times[settled - 1] + times[n]
        elif n:
            at += min(times[n] - times[n - 1], _LONGEST_PAUSE)
        event_id, ts = stamps.next(at)
        yield at, {**event, "id": event_id, "ts": ts}
    yield from _for_ever(rng, Writer(stamps), at, still_at_work(events))


def still_at_work(events: Iterable[Event]) -> list[str]:
    """The ordinary sessions of a fleet's log that have begun and neither ended nor wait for anything, in order of their start."""
    free: dict[str, bool] = {}
    for event in events:
        ref, kind, data = event["node"], event["type"], event["data"]
        if kind == "session.started" and _ORDINARY.fullmatch(ref):
            free[ref] = True
        elif ref not in free:
            continue
        elif kind == "session.ended" or (kind == "status" and data["state"] in ("completed", "failed", "canceled")):
            del free[ref]
        elif kind == "wait.started" or data.get("may_ask") or (kind == "status" and data["state"] == "input_required"):
            free[ref] = False
        elif kind in ("wait.ended", "activity") or (kind == "status" and data["state"] == "working"):
            free[ref] = True
    return [ref for ref, is_free in free.items() if is_free]


def _for_ever(rng: Random, writer: Writer, at: int, sessions: Iterable[str]) -> Iterator[tuple[int, Event]]:
    schedule = Schedule(0)
    floor = Floor(rng, schedule, _DESKS)
    for ref in sessions:
        schedule.start(turns(floor, Seat(ref, "tidepool-api", "host:0", serial=10_000)))
    for n in range(_DESKS):
        schedule.start(desk(floor), 10_000 * n)
    last, count = 0, 0
    while True:
        when, _, step, _ = schedule.next()
        at += min(max(when - last, _CALM[0]), _CALM[1])
        last, count = when, count + 1
        floor.room += count % _EVENTS_A_NODE == 0
        yield at, writer.event(at, step)
