"""A great many histories that change: late events at any place, over checkpoints and trims, against a naive fold of the log."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from app.services import appending as service
from app.services import marks
from app.store import trims
from app.store.connection import Store
from tests.services.test_appending import process
from tests.services.test_retention import Naive, keeping, same
from tests.strategies.logs import random_log

HISTORIES, LONG_HISTORIES = 200, 5_000
EVENTS, MANY_EVENTS = 24, 260
KEEP_ALL = 10**9


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "CHECKPOINT_EVERY", 7)
    monkeypatch.setattr(trims, "PIECE", 4)
    for name, value in (("MARK_EVERY", 6), ("MARK_BEFORE", 3), ("MOST_MARKS", 3)):
        monkeypatch.setattr(marks, name, value)


async def test_sampled_moments_are_the_naive_fold_after_every_append(store: Store, long: bool, share: Callable[[range], range]) -> None:
    """E12, E13, R67: places drawn uniformly over the log, alone and in batches (now and then of up to 200), by two processes in turn."""
    for seed in share(range(LONG_HISTORIES if long else HISTORIES)):
        try:
            await history(store, seed)
        except BaseException as error:
            error.add_note(f"history {seed}")
            raise


async def history(store: Store, seed: int) -> None:
    """One of them, from its first event to its last."""
    rng = random.Random(seed)
    many = seed % 50 == 0
    rest = random_log(seed, MANY_EVENTS if many else EVENTS)
    keep = rng.choice((0, 5, 10, 50))
    graph_id, naive = await keeping(store, keep), Naive(keep or KEEP_ALL)
    two = process(store, graph_id), process(store, graph_id)
    rng.shuffle(rest)
    size = len(rest) // 4
    while rest:
        batch, rest = rest[:size], rest[size:]
        one = two[rng.random() < 0.1]
        done = await one.append(batch)
        assert done.accepted == len(batch)
        naive.take(batch)
        await same(store, graph_id, naive, rng, ends=False)
        size = rng.choice((1, 2, 40, 200)) if many else rng.choice((1, 1, 1, 2, 5))
    for one in two:
        await one.retention.settled()
    await same(store, graph_id, naive, rng)
