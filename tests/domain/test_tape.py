"""What the newest events have written (E12): taken run by run, cut off and replaced, it is what one run from any place on has written."""

from __future__ import annotations

import random

import pytest

from app.domain import tape as module
from app.domain.envelope import Event, parse_object
from app.domain.history import Batch
from app.domain.projector import Projector
from app.domain.rewriting import difference
from app.domain.tape import Tape
from tests.strategies.logs import random_log


def run(projector: Projector, events: list[tuple[int, Event]]) -> Batch:
    batch = Batch()
    for seq, event in events:
        projector.apply(event, seq, batch)
    return batch


def recorded(events: list[tuple[int, Event]], place: int) -> tuple[Projector, Batch, Projector]:
    """The projector before a place, what the events from there on write, and the projector after all."""
    before, after = Projector(), Projector()
    for each in (before, after):
        run(each, [each for each in events if each[0] < place])
    return before, run(after, [each for each in events if each[0] >= place]), after


@pytest.mark.parametrize("most", [5, 1_000], ids=["cut", "whole"])
@pytest.mark.parametrize("seed", range(25))
def test_a_tape_is_what_a_run_has_written(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events leave and come at any place, again and again; the tape's tail and a run of its own differ in nothing."""
    monkeypatch.setattr(module, "MOST_EVENTS", most)
    rng = random.Random(seed)
    log = sorted((parse_object(event) for event in random_log(seed, 60)), key=lambda event: event.order)
    everything = [(10 * number, event) for number, event in enumerate(log, 1)]
    there = [each for each in everything if rng.random() < 0.7]
    projector, tape = Projector(), Tape(0)
    rest = there
    while rest:
        size = rng.randrange(1, 12)
        tape.take(run(projector, rest[:size]))
        rest = rest[size:]
    for _ in range(6):
        held = [each for each in there if each[0] > tape.after]
        assert [(each.seq, each.event) for each in tape.events] == held
        index = rng.randrange(len(held))
        place = held[index][0]
        assert tape.place_of(held[index][1]) == index == tape.place_after(place - 1)
        before, wanted, projector = recorded(there, place)
        found = tape.tail(index, projector.history.now)
        assert set(found.after) >= set(wanted.after)
        found.before.update((cell, before.history.now.get(cell)) for cell in found.after)
        assert difference(found, wanted).size == difference(wanted, found).size == 0
        there = [each for each in everything if (each in there) == (each[0] < place or rng.random() < 0.8)]
        _, batch, projector = recorded(there, place)
        if not batch.events:
            return
        tape = tape.replaced(index, batch)
