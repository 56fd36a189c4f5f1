"""Whether a graph's producer is there (R36, I37)."""

from __future__ import annotations

LIVE_MS = 3 * 60 * 1_000
"""A producer that was heard from within so long is there."""


def is_live(heard: int | None, now_ms: int) -> bool:
    """Whether the producer, last heard at `heard` (None: never), was heard from within the last three minutes. Unix ms."""
    return heard is not None and now_ms - heard <= LIVE_MS
