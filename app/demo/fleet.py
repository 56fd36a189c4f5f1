"""The demo fleet: a log of any length in which dozens of sessions and their agents work side by side."""

from collections.abc import Iterator
from random import Random

from app.demo.crew import Floor
from app.demo.desks import desk
from app.demo.ending import ending
from app.demo.opening import LONG_SILENCE, first_keyframe, opening
from app.demo.scenes import RULE_SCENES
from app.demo.stage import Cast, Event, Schedule, Step, Writer, refs_of
from app.demo.stamps import Stamps

FEWEST, MOST = 100, 1_000_000
START_MS = 1_780_300_800_000
"""2026-06-01T08:00:00Z."""
ALL_RULES_FROM = 1_000
"""The shortest log, in lines, that exercises every rule E17–E122."""


def fleet(events: int, seed: int = 7, start_ms: int = START_MS, nodes: int | None = None, keyframe: bool = True) -> Iterator[Event]:
    """A log of exactly `events` lines from `start_ms` (Unix ms) on, in order of time and id; the same for the same arguments.

    It begins with sessions that go silent, plays the scenes for the odd rules while ordinary sessions work beside them, and ends in a state
    with something of everything: agents at work, waits, blocking loops, an approval, a question, a stale and a failed session. From
    `ALL_RULES_FROM` lines on all of E17–E122 occur. `nodes` bounds how many distinct nodes there are; one too small for the odd scenes
    leaves them out. With `keyframe` the second line of a log that has the odd scenes is a keyframe, which by E131 is no event.

    Raises ValueError if `events` is not within 100 to 1,000,000, or `nodes` too small for what every log holds.
    """
    if not FEWEST <= events <= MOST:
        raise ValueError(f"a fleet has {FEWEST} to {MOST} events, not {events}")
    rng = Random(seed)  # noqa: S311  # chance, not secrets
    cast = Cast(rng)
    first, last = list(opening(cast)), list(ending(cast))
    odd = [list(scene(cast)) for scene in RULE_SCENES] if events >= ALL_RULES_FROM else []
    always = len(refs_of(first)) + len(refs_of(last))
    oddities = sum(len(refs_of(steps)) for steps in odd)
    if nodes is None:
        nodes = 1_000 + events // 50 if events >= 10_000 else always + oddities + 20 + events // 10
    elif nodes < always + oddities + 2:
        odd, oddities = [], 0
    free = nodes - always - oddities
    if free < 1:
        raise ValueError(f"a fleet has at least {always + 1} nodes, not {nodes}")
    return _play(events, rng, start_ms, free, first, odd, last, keyframe and bool(odd))


def _play(
    events: int, rng: Random, start_ms: int, free: int, first: list[Step], odd: list[list[Step]], last: list[Step], keyframe: bool
) -> Iterator[Event]:
    schedule, writer = Schedule(start_ms), Writer(Stamps(rng))
    schedule.start(iter(first))
    beginning = [writer.event(when, step) for when, _, step, _ in schedule.rest()]
    if keyframe:
        beginning.insert(1, first_keyframe(beginning[0]))
    yield from beginning

    schedule.now += LONG_SILENCE
    left = total = events - len(beginning) - len(last)
    odd_scenes = [iter(steps) for steps in odd]
    for n, scene in enumerate(odd_scenes):
        schedule.start(scene, 400 * n)
    odd_left, is_odd = sum(map(len, odd)), set(odd_scenes)
    # Few enough that ordinary work lasts longer than the odd scenes, the longest of which takes twelve minutes.
    desks = min(max((total - odd_left) // 350, 3), 40, max(free // 2, 1))
    floor = Floor(rng, schedule, 0)
    for n in range(desks):
        schedule.start(desk(floor), 1_500 * n)
    granted = desks
    while left:
        if left == odd_left and schedule.entries:  # no event to spare: the ordinary sessions stand still from here on
            schedule.keep_only(is_odd)
        when, _, step, scene = schedule.next()
        yield writer.event(when, step)
        odd_left -= scene in is_odd
        left -= 1
        due = desks + (free - desks) * (total - left) // total
        floor.room += due - granted
        granted = due

    schedule.keep_only(set())
    schedule.start(iter(last), 1_000)
    for when, _, step, _ in schedule.rest():
        yield writer.event(when, step)
