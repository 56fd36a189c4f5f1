"""Which of a graph's snapshots is the newest (M6)."""

from __future__ import annotations

from app.domain.rho.timestamps import read_ns


def recency(generated_at: str, body_sha256: str) -> tuple[int, str]:
    """What snapshots of a graph are ordered by, the newest last: when they were made, to the nanosecond, then their hash."""
    return read_ns(generated_at) or 0, body_sha256
