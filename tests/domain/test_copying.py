"""A projector made again from its copy goes on exactly as the one it was copied from, and shares nothing with it that can change."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from app.domain.envelope import Event, parse_object
from app.domain.history import Batch, State
from app.domain.projector import Projector
from app.domain.projector.copying import copied, restored
from app.domain.rows import Cell
from tests.strategies.logs import random_log


def again(texts: list[bytes], now: Mapping[Cell, State]) -> Projector:
    steps = restored(texts, now)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            made: Projector = done.value
            return made


def carried_on(projector: Projector, events: list[Event]) -> tuple[Batch, bytes, set[int]]:
    batch = Batch()
    for event in events:
        projector.apply(event, projector.head_seq + 10, batch)
    batch.ended.sort(key=lambda over: (over.until, over.cell))  # those of one event come in no order
    return batch, projector.state(), projector.met


@pytest.mark.parametrize("seed", range(30))
def test_a_copy_goes_on_as_the_original(seed: int) -> None:
    """E12: states, change lists, rows and the rules met, from several places of a log; twice from one copy."""
    log = sorted((parse_object(event) for event in random_log(seed, 120)), key=lambda event: event.order)
    for place in (0, 1, 40, 80, 119):
        original = Projector()
        carried_on(original, log[:place])
        texts, now = list(copied(original)), dict(original.history.now)
        one, two = again(texts, now), again(texts, now)
        assert list(one.graph.nodes) == list(original.graph.nodes)
        wanted = carried_on(original, log[place:])
        assert carried_on(one, log[place:]) == wanted
        assert carried_on(two, log[place:]) == wanted
        assert one.history.now == original.history.now
        assert all(node.owner is owner for owner in one.graph.nodes.values() for node in (*owner.spawns, *owner.waits))
