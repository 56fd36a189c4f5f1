"""Logs as both sides read them: the product's events and the oracle's log."""

from __future__ import annotations

import json
from typing import Any

from app.domain.envelope import Event
from app.domain.history import Batch
from app.domain.log import read_log as read
from app.domain.projector import Projector
from tests.oracle import Log, read_log

STEP = 1_024


def lines_of(envelopes: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(envelope, ensure_ascii=False).encode() for envelope in envelopes]


def both(envelopes: list[dict[str, Any]]) -> tuple[list[Event], Log]:
    """The events in E10's order as the product reads them, and the same log as the oracle reads it."""
    lines = lines_of(envelopes)
    log = read(lines, lambda base: Projector.from_keyframe(base, 1))
    return log.events, read_log(b"\n".join(lines))


def folded(events: list[Event]) -> tuple[Projector, Batch]:
    """All events applied in one go, into one batch."""
    projector, batch = Projector(), Batch()
    for place, event in enumerate(events, start=1):
        projector.apply(event, place * STEP, batch)
    return projector, batch
