"""Places of late events (E10): in order, all different, and as few as possible of the others moved."""

from __future__ import annotations

import random

import pytest

from app.domain.envelope import Event, parse_object
from app.services.placing import merged
from app.store.intervals import BASE, STEP


def at(ms: int, number: int) -> Event:
    ts = f"2027-03-05T09:{ms // 60_000:02}:{ms // 1_000 % 60:02}.{ms % 1_000:03}Z"
    return parse_object({"v": 1, "id": f"{number:026}", "ts": ts, "type": "activity", "node": "acme:n"})


@pytest.mark.parametrize("seed", range(60))
def test_places_after_many_late_events(seed: int) -> None:
    """Whatever came before: order is that of the rule, no place is used twice nor taken over, and what lies far from a late event stays."""
    rng = random.Random(seed)
    after = rng.choice((0, 7 * STEP))
    held = [(after + STEP * (n + 1), at(1_000 * n, n)) for n in range(30)]
    narrow = rng.choice((3, 200, 40_000))
    number = 1_000
    for _ in range(40):
        new = []
        for _ in range(rng.choice((1, 1, 3, 20))):
            number += 1
            new.append(at(rng.randrange(10_000, 10_000 + narrow), number))
        new.sort(key=lambda event: event.order)
        before = {event.id: seq for seq, event in held}
        held = merged(held, new, after)
        assert [event for _, event in held] == sorted((event for _, event in held), key=lambda event: event.order)
        seqs = [seq for seq, _ in held]
        assert seqs == sorted(set(seqs))
        assert seqs[0] > max(after, BASE)
        moved = {event.id: seq for seq, event in held if event.id in before and before[event.id] != seq}
        assert not set(moved.values()) & set(before.values())
        assert all(at(1_000 * n, n).id not in moved for n in range(10))
    assert len(held) == 30 + number - 1_000


def test_a_gap_is_shared_evenly_and_nothing_else_moves() -> None:
    """One between two, three between two, and some before and after all."""
    held = [(STEP, at(10, 1)), (2 * STEP, at(20, 2))]
    assert [seq for seq, _ in merged(held, [at(15, 3)], 0)] == [STEP, STEP + 512, 2 * STEP]
    assert [seq for seq, _ in merged(held, [at(15, 3), at(15, 4), at(15, 5)], 0)] == [STEP, STEP + 256, STEP + 512, STEP + 768, 2 * STEP]
    assert [seq for seq, _ in merged(held, [at(5, 3), at(30, 4), at(31, 5)], 0)] == [512, STEP, 2 * STEP, 3 * STEP, 4 * STEP]
