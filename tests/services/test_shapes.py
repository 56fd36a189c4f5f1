"""Graphs of extreme shapes, where an engine keeps what it has in another form: many edges side by side, moves to and fro, late targets."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from app.store import trims
from app.store.connection import Store
from tests.grown import event
from tests.services.test_appending import process
from tests.services.test_retention import Naive, cleared, keeping, same
from tests.store.contents import check, new_graph

Events = list[dict[str, Any]]
Shape = tuple[Events, Events]
"""A log in order, and late events for it."""

MANY = 120
"""More edges than fit in one segment of the embedded engine."""

KEEP = 60
BOTH = [event(number, "session.started", name, number) for number, name in enumerate(("one", "two"), 1)]
END, AGAIN = event(3, "session.ended", "one", 50), event(4, "session.started", "one", 60)


def waits() -> Shape:
    """One after the other between the same two; a late end of the waiter undoes all, a late start brings them back."""
    log = [*BOTH]
    for number in range(MANY):
        log += [
            event(10 + 2 * number, "wait.started", "one", 100 + 20 * number, wait_id=f"w{number}", on="acme:two"),
            event(11 + 2 * number, "wait.ended", "one", 110 + 20 * number, wait_id=f"w{number}"),
        ]
    return log, [END, AGAIN]


def open_waits() -> Shape:
    """All at once between the same two."""
    log = [event(10 + number, "wait.started", "one", 100 + 20 * number, wait_id=f"w{number}", on="acme:two") for number in range(MANY)]
    return [*BOTH, *log, event(9_000, "session.ended", "one", 9_000)], [END, AGAIN]


def late_target() -> Shape:
    """Many wait for somebody who comes to be late."""
    log = [event(10 + number, "wait.started", f"one/a{number}", 100 + 20 * number, wait_id="w", on="acme:three") for number in range(MANY)]
    return [*BOTH, *log], [event(5, "session.started", "three", 1_000), event(6, "session.started", "three", 10)]


def children() -> Shape:
    """Many below one that is itself put below another, and ends, late."""
    log = [event(10 + number, "session.started", f"s{number}", 100 + number, parent="one") for number in range(MANY)]
    return [*BOTH, *log], [event(5, "session.started", "one", 70, parent="two"), END]


def moves() -> Shape:
    """To and fro between two; late ones turn all that come after them."""
    log = [
        event(10 + number, "activity", "one/a", 100 + 20 * number, tool="Read", parent=("two", "one")[number % 2]) for number in range(MANY)
    ]
    return [*BOTH, *log], [
        event(5, "activity", "one/a", 1_305, tool="Read", parent="one"),
        event(6, "session.started", "one", 4, parent="two"),
    ]


SHAPES = pytest.mark.parametrize("shape", [waits, open_waits, late_target, children, moves], ids=lambda shape: shape.__name__)


@SHAPES
async def test_late_events(store: Store, shape: Callable[[], Shape]) -> None:
    """E12: all rows are those of one fold."""
    sent, late = shape()
    graph_id = await new_graph(store)
    one = process(store, graph_id)
    await one.append(sent)
    for each in late:
        assert (await one.append([each])).accepted == 1
        sent = [*sent, each]
        await check(store, graph_id, sent)


@SHAPES
async def test_trims(store: Store, shape: Callable[[], Shape], monkeypatch: pytest.MonkeyPatch) -> None:
    """R67, I33: what is held is exact, and of what was dropped nothing is left, whatever came late from before the window."""
    monkeypatch.setattr(trims, "PIECE", 4)
    log, late = shape()
    graph_id, naive, rng = await keeping(store, KEEP), Naive(KEEP), random.Random(1)
    one = process(store, graph_id)
    for batch in (*(log[start : start + 50] for start in range(0, len(log), 50)), *([each] for each in late)):
        await one.append(batch)
        await one.retention.settled()
        naive.take(batch)
    await same(store, graph_id, naive, rng)
    await cleared(store, graph_id)
