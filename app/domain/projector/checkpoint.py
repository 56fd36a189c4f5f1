"""A graph's whole state at an event, kept for good: what a keyframe says (E134), and since when each of its rows has held."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import msgspec

from app.domain.envelope import Event
from app.domain.history import State
from app.domain.keyframe import Keyframe, KeyframeRefused
from app.domain.projector.projector import Projector
from app.domain.projector.stored import Places, places
from app.domain.rows import Cell, CellKind
from app.domain.times import event_ns


class Checkpoint(NamedTuple):
    """A state right after the event `event_id` at place `seq`: E134's JSON, and what that leaves out, as JSON too."""

    seq: int
    event_id: str
    ts: str
    state: bytes
    rest: bytes


class _Rest(msgspec.Struct):
    """`since`: of each row [kind, ref, position, since]."""

    since: list[tuple[CellKind, str, int, int]]
    places: Places


def checkpoint(projector: Projector) -> Checkpoint:
    """The checkpoint of the projector's state, which must be after an event.

    Raises: KeyframeRefused where that state cannot be taken up again just as it is.
    """
    head, now = projector.head_event, projector.history.now
    assert head is not None
    rest = _Rest([(*cell, state.since) for cell, state in now.items()], places(projector.graph))
    made = Checkpoint(projector.head_seq, head.id, head.ts, projector.state(), msgspec.json.encode(rest))
    again = resumed(made)
    if again.history.now != now:
        raise KeyframeRefused("the state does not come back as it was")
    deque(again.taken_apart(), maxlen=0)
    return made


def resumed(made: Checkpoint) -> Projector:
    """A projector that goes on from a checkpoint. Raises KeyframeRefused where it does not add up (E135)."""
    rest = msgspec.json.decode(made.rest, type=_Rest)
    projector, _ = Projector.from_keyframe(Keyframe(made.state, made.ts, event_ns(made.ts)), made.seq, rest.places)
    now = projector.history.now
    since = {Cell(kind, ref, position): place for kind, ref, position, place in rest.since}
    if since.keys() != now.keys():
        raise KeyframeRefused("not every row's beginning is known")
    for cell, state in now.items():
        now[cell] = State(since[cell], state.row)
    # of the event itself only its place in the order matters from here on
    projector.head_event = Event(
        made.event_id, made.ts, event_ns(made.ts), type="", node="", parent=None, provider=None, data=None, line=b""
    )  # fmt: skip
    return projector
