"""What late events change (E12): put in place, the difference of two runs turns the rows of the one into those of the other."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from app.domain.envelope import Event, parse_object
from app.domain.history import Batch
from app.domain.projector import Projector
from app.domain.rewriting import difference
from app.domain.rows import EdgeRow
from tests.strategies.logs import random_log


def run(start: Iterable[Event], tail: list[tuple[int, Event]]) -> tuple[Projector, Batch]:
    projector, batch = Projector(), Batch()
    for number, event in enumerate(start, 1):
        projector.apply(event, 1_000 * number, Batch())
    for seq, event in tail:
        projector.apply(event, seq, batch)
    return projector, batch


def rows(start: int, projector: Projector, batch: Batch) -> dict[Any, Any]:
    """Every row that a run leaves, but states that had ended before it began."""
    found: dict[Any, Any] = {}
    for over in batch.ended:
        if isinstance(over.row, EdgeRow):
            found["edge", over.cell, over.since] = (over.until, over.row)
        else:
            found["past", over.cell, over.since] = over
    for cell, state in projector.history.now.items():
        if isinstance(state.row, EdgeRow):
            found["edge", cell, state.since] = (None, state.row)
        else:
            found["now", cell] = state
    return found | {("event", each.event.id): each for each in batch.events}


@pytest.mark.parametrize("seed", range(40))
def test_the_difference_leads_from_one_to_the_other(seed: int) -> None:
    """Nothing is missed, and nothing is written that is there already."""
    rng = random.Random(seed)
    log = [parse_object(event) for event in random_log(seed, 80)]
    log.sort(key=lambda event: event.order)
    start, tail = log[:30], list(enumerate(log[30:], 31))
    late = {place for place, _ in rng.sample(tail, rng.choice((1, 5, 20)))}
    old = run(start, [(1_000 * place + 100_000, event) for place, event in tail if place not in late])
    new = run(start, [(1_000 * place + 100_000 + rng.choice((0, 0, 0, 500)), event) for place, event in tail])
    found, wanted = rows(30, *old), rows(30, *new)
    changed = difference(old[1], new[1])
    for edge in changed.edges_off:
        assert found.pop(("edge", edge.cell, edge.since)) == (edge.until, edge.row)
    for cell in changed.now_off:
        del found["now", cell]
    for cell, since in changed.past_off:
        del found["past", cell, since]
    written = {("now", cell): state for cell, state in changed.now_on} | {("past", over.cell, over.since): over for over in changed.past_on}
    written |= {("edge", edge.cell, edge.since): (edge.until, edge.row) for edge in changed.edges_on}
    written |= {("event", each.event.id): each for each in (*changed.events_on, *changed.events_set)}
    assert all(found.get(key) != row for key, row in written.items())
    assert found | written == wanted
    rows_off = len(changed.edges_off) + len(changed.now_off) + len(changed.past_off)
    assert changed.size == rows_off + len(written)
