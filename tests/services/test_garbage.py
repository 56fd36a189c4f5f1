"""What memory a writer leaves behind: of its projectors nothing, once they are not needed."""

from __future__ import annotations

import asyncio
import gc
import random

import pytest

from app.domain.projector.state import Node
from app.services import appending as service
from app.store.connection import Store
from tests.services.test_appending import process
from tests.services.test_retention import KEEP, keeping
from tests.strategies.logs import random_log


def nodes() -> int:
    """Nodes in memory, also those that only a search for circles would free."""
    return sum(type(thing) is Node for thing in gc.get_objects())


@pytest.mark.parametrize("late", [False, True], ids=["in order", "late"])
async def test_projectors_that_are_not_needed_any_more_leave_nothing(store: Store, late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """O40: after checkpoints, trims and late events there are as many nodes in memory as the one projector has that is kept."""
    monkeypatch.setattr(service, "CHECKPOINT_EVERY", 7)
    log = random_log(3, 120)
    if late:
        random.Random(1).shuffle(log)
    graph_id = await keeping(store, KEEP)
    writer = process(store, graph_id)
    gc.collect()
    before = nodes()
    gc.disable()
    try:
        for start in range(0, len(log), 6):
            await writer.append(log[start : start + 6])
        await asyncio.sleep(0.05)
        held = writer.projectors.take(graph_id)
        assert held is not None
        assert held.projector.node_count > 3
        assert nodes() - before == held.projector.node_count
    finally:
        gc.enable()
