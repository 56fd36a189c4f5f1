"""Checkpoints: a state that is kept and taken up again goes on as if nothing had been (E136)."""

from __future__ import annotations

import random

import pytest

from app.demo.fleet import fleet
from app.domain.envelope import Event, parse_object
from app.domain.history import Batch
from app.domain.projector import Projector
from app.domain.projector.checkpoint import checkpoint, resumed
from tests.strategies.logs import random_log

LOGS = {f"random {seed}": seed for seed in range(40)}


def in_order(log: list[dict[str, object]]) -> list[Event]:
    return sorted((parse_object(event) for event in log), key=lambda event: event.order)


def applied(projector: Projector, events: list[Event], first: int) -> Batch:
    batch = Batch()
    for number, event in enumerate(events, first):
        projector.apply(event, number * 10, batch)
    batch.ended.sort(key=lambda over: (over.until, over.cell))  # one event's in any order
    return batch


@pytest.mark.parametrize("seed", LOGS.values(), ids=LOGS)
def test_a_state_taken_up_again_goes_on_as_it_would_have(seed: int) -> None:
    """E136: rows, the places since which they hold, change lists; wherever the log is cut, and again and again."""
    events = in_order(random_log(seed, 120))
    rng = random.Random(seed)
    for cut in sorted(rng.sample(range(1, len(events)), 5)):
        whole = Projector()
        applied(whole, events[:cut], 1)
        again = resumed(checkpoint(whole))
        assert (again.head_seq, again.node_count, again.history.now) == (whole.head_seq, whole.node_count, whole.history.now)
        assert again.head_event is not None
        assert again.head_event.order == events[cut - 1].order
        assert applied(again, events[cut:], cut + 1) == applied(whole, events[cut:], cut + 1)
        assert again.state() == whole.state()


def test_a_fleet_cut_every_hundred_events() -> None:
    """The same on a log like those of real tools, from checkpoint to checkpoint."""
    events = in_order(list(fleet(1_500, seed=3, nodes=80, keyframe=False)))
    whole, hopping = Projector(), Projector()
    for start in range(0, len(events), 100):
        assert applied(hopping, events[start : start + 100], start + 1) == applied(whole, events[start : start + 100], start + 1)
        hopping = resumed(checkpoint(hopping))
    assert hopping.state() == whole.state()


def test_what_does_not_add_up_is_refused() -> None:
    """A row of which nobody knows since when it holds."""
    projector = Projector()
    applied(projector, in_order(list(fleet(200, seed=3, keyframe=False))), 1)
    made = checkpoint(projector)
    with pytest.raises(ValueError, match="beginning"):
        resumed(made._replace(rest=b'{"since":[],"places":{"nodes":{},"tasks":{}}}'))
