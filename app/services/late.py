"""Late events put in their places (E12): what that changes, by comparing a run over the events from there on with what is there."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.domain.envelope import Event
from app.domain.history import Batch, Recorded
from app.domain.projector import Projector
from app.domain.rewriting import Difference, difference
from app.domain.tape import Tape
from app.services import marks as kept
from app.services.marks import Mark, marked, restored
from app.services.placing import merged
from app.services.projectors import Held, Projectors, fold
from app.store import checkpoints
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import Standing

MOST_TAIL = 20_000
"""Events after a late one that are looked at again in memory."""


class TooDeepError(Exception):
    """So much of history comes after a late event, or differs with it, that all of it is to be written anew."""


class Late(NamedTuple):
    """A graph with late events in their places: its projector, marks and tape, what changed, how many events came, its first (None: as
    before) and last event."""

    projector: Projector
    marks: tuple[Mark, ...]
    tape: Tape
    changed: Difference
    came: int
    ends: tuple[Recorded | None, Recorded]

    def standing(self, before: Standing) -> Standing:
        """Where the graph stands with them."""
        first, last = self.ends
        return before._replace(
            head=last.seq,
            floor=before.floor if first is None else first.seq,
            arrival=before.arrival + self.came,
            written=last.seq,
            applied=last.seq,
            held=before.held + self.came,
        )


async def with_late(store: Store, projectors: Projectors, held: Held, new: Sequence[Event], deadline: Deadline) -> Late:
    """The graph with new events of which the first is late. `held` stays as it is. Raises: TooDeepError.

    Near the head, where marks and a tape are in memory, one run from the last mark before the place is enough.
    """
    marks = [mark for mark in held.marks if mark.order < new[0].order]
    if held.tape is not None and marks and marks[-1].seq >= held.tape.after:
        return await _by_tape(held, held.tape, marks, new)
    return await _by_store(store, projectors, held, marks, new, deadline)


async def _by_tape(held: Held, tape: Tape, marks: list[Mark], new: Sequence[Event]) -> Late:
    again = await restored(marks[-1])
    start, place = tape.place_after(again.head_seq), tape.place_of(new[0])
    if place - start >= kept.MARK_EVERY:
        await fold(again, _placed(tape.events[start : place - kept.MARK_BEFORE]), Batch())
        marks = [*marks, await marked(again)][-kept.MOST_MARKS :]
        start = place - kept.MARK_BEFORE
    await fold(again, _placed(tape.events[start:place]), Batch())
    rewritten = Batch()
    await fold(again, merged(list(_placed(tape.events[place:])), new, again.head_seq), rewritten)
    old = tape.tail(place, held.projector.history.now)
    now = again.history.now
    await asyncio.sleep(0)
    # what the new run did not touch is as it was before it
    old.before.update((cell, rewritten.before[cell] if cell in rewritten.before else now.get(cell)) for cell in old.after)
    return Late(again, tuple(marks), tape.replaced(place, rewritten), difference(old, rewritten), len(new), (None, rewritten.events[-1]))


def _placed(events: Iterable[Recorded]) -> Iterable[tuple[int, Event]]:
    return ((recorded.seq, recorded.event) for recorded in events)


async def _by_store(
    store: Store, projectors: Projectors, held: Held, marks: list[Mark], new: Sequence[Event], deadline: Deadline
) -> Late:  # fmt: skip
    """By two runs from the state before the place, without the late events and with them."""
    before, again = [await _before(store, projectors, held, marks, new[0], deadline) for _ in range(2)]
    waiting: deque[tuple[int, Event]] = deque()
    tail: list[tuple[int, Event]] = []
    tape = Tape(before.head_seq)
    folded = 0
    async for events in projectors.again(held.g, before.head_seq, held.standing.head, deadline):
        at = 0 if tail else next((number for number, (_, event) in enumerate(events) if event.order > new[0].order), len(events))
        waiting += events[:at]
        tail += events[at:]
        if len(tail) > MOST_TAIL:
            raise TooDeepError
        due = [waiting.popleft() for _ in range(len(waiting) - kept.MARK_BEFORE - kept.MARK_EVERY)]
        folded += len(due)
        await _both(before, again, due, tape)
    # one mark near the place, for the next late event, and one further back, for a later one that is somewhat older
    for left in (kept.MARK_BEFORE + kept.MARK_EVERY, kept.MARK_BEFORE):
        due = [waiting.popleft() for _ in range(len(waiting) - left)]
        folded += len(due)
        await _both(before, again, due, tape)
        if before.head_seq >= held.standing.floor and (folded >= kept.MARK_EVERY or not marks):
            marks = [*marks, await marked(before)][-kept.MOST_MARKS :]
            folded = 0
    await _both(before, again, waiting, tape)
    old, rewritten = Batch(), Batch()
    after = before.head_seq
    await fold(before, tail, old)
    await fold(again, merged(tail, new, after), rewritten)
    projectors.let_go(before)
    tape.take(rewritten)
    first = rewritten.events[0] if after < held.standing.floor else None
    return Late(again, tuple(marks), tape, difference(old, rewritten), len(new), (first, rewritten.events[-1]))


async def _both(before: Projector, again: Projector, events: Iterable[tuple[int, Event]], tape: Tape) -> None:
    batch = Batch()
    await fold(before, events, batch)
    await fold(again, events, Batch())
    tape.take(batch)


async def _before(store: Store, projectors: Projectors, held: Held, marks: Sequence[Mark], event: Event, deadline: Deadline) -> Projector:
    """A projector from the last mark or checkpoint before an event; if there is none, from what the graph starts from (E133, I33)."""
    floor = held.standing.floor
    there = await checkpoints.listed(store, held.g, deadline)
    earlier = [place for place in there if place.seq <= held.standing.head and (place.seq < floor or place.order < event.order)]
    if marks and (not earlier or earlier[-1].order < marks[-1].order):
        return await restored(marks[-1])
    return await projectors.standing_at(held.g, earlier[-1], deadline) if earlier else Projector()
