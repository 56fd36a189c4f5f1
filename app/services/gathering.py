"""Keyframes as they come, line by line and call by call (I31): gathered until they are whole, then put together."""

from __future__ import annotations

from typing import NamedTuple

import structlog

from app.domain import keyframe
from app.domain.envelope import Event, parse_line
from app.domain.history import Batch
from app.domain.keyframe import KeyframeRefused
from app.domain.projector import Projector
from app.services.calls import Run
from app.services.projectors import based
from app.store import gathering
from app.store.appending import Ground
from app.store.checkpoints import Place, Stored
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.intervals import BASE
from app.store.pace import Pace

MOST_CHARACTERS = 90_000_000
"""Of a keyframe's texts together: base64 of what unpacks to more than is allowed (E130) even where nothing could be packed."""

_log = structlog.get_logger()


class Base(NamedTuple):
    """A state to start from: as it is kept, a projector at it, and the rows that it makes."""

    stored: Stored
    projector: Projector
    batch: Batch


async def gathered(store: Store, ground: Ground, run: Run, *, restart: bool, deadline: Deadline) -> Base | None:
    """The base that a run's lines complete, with those that came before in calls of their own; None: there is none, or not yet.

    Lines that may still become one are kept. `restart`: the graph holds something already, so that only a keyframe counts that says
    `restart`; where that comes to nothing the graph is marked as possibly incomplete. Raises: Stale.
    """
    new = list(run.parts.values())
    standing = ground.standing
    lines = await gathering.read(store, ground.g, standing.arrival, deadline)
    there = await _read(lines) if lines else []
    known = {part.id for part in there}
    if run.restart is not None:  # whoever sends it sends all of it again
        there, known = [], set()
    new = [part for part in new if part.id not in known]
    parts = [*there, *new]
    if not parts or (restart and not keyframe.is_restart(parts[0])):
        return None
    leading = list(keyframe.leading(parts))
    wanted = keyframe.read_part(parts[0])
    size = sum(len(part.line) for part in parts)
    if wanted is not None and len(parts) < min(wanted.parts, keyframe.MAX_PARTS) and size <= MOST_CHARACTERS:
        if run.is_last and not run.events:
            if new:
                await gathering.keep(store, ground, len(there), new, incomplete=restart, deadline=deadline)
            return None
        why = "an event came before it was complete"
    else:
        try:
            stored = Stored(Place(BASE, keyframe.event_of(leading[0]), leading[0].ts), keyframe.texts_of(leading), [])
            return Base(stored, *await based(stored))
        except KeyframeRefused as error:
            why = str(error)
    _log.warning("keyframe_refused", graph=ground.graph_id, restart=restart, why=why)
    if lines or restart:
        await gathering.drop(store, ground, incomplete=restart, deadline=deadline)
    return None


async def _read(lines: list[bytes]) -> list[Event]:
    pace, parts = Pace(), []
    for line in lines:
        parts.append(parse_line(line))
        if pace.due:
            await pace.rest()
    return parts
