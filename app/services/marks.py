"""Marks: earlier states of a graph in this process's memory, at which a run with late events begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from app.domain.history import State
from app.domain.projector import Projector
from app.domain.projector.copying import copied
from app.domain.projector.copying import restored as made_again
from app.domain.rows import Cell
from app.store.pace import Pace

MARK_EVERY, MARK_BEFORE, MOST_MARKS = 64, 32, 8
"""Where so many events were folded to get to a late one, a mark is left so many events before it; a graph has so many at most."""


class Mark(NamedTuple):
    """A graph's whole state right after an event (by its order, E10, and its place): as `copied` gives it, and its rows, which never change
    and are shared."""

    order: tuple[int, bytes]
    seq: int
    texts: list[bytes]
    now: Mapping[Cell, State]


async def marked(projector: Projector) -> Mark:
    """A mark where a projector stands, made in slices."""
    pace, texts = Pace(), []
    for text in copied(projector):
        texts.append(text)
        if pace.due:
            await pace.rest()
    assert projector.head_event is not None
    return Mark(projector.head_event.order, projector.head_seq, texts, dict(projector.history.now))


async def restored(mark: Mark) -> Projector:
    """A projector as it was at a mark, made in slices."""
    pace, steps = Pace(), made_again(mark.texts, mark.now)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            projector: Projector = done.value
            return projector
        if pace.due:
            await pace.rest()
