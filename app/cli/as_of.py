"""`--as-of`: an event id, Unix milliseconds, an RFC 3339 time or an age (O14)."""

from __future__ import annotations

import re
from typing import Any

from app.cli.stop import Stop
from app.domain.times import shown_ms

_LONGEST = 40
_AGE = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)", re.ASCII)
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_EVENT = re.compile(r"evt_[A-Za-z0-9]{1,64}", re.ASCII)
_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}", re.ASCII)


def as_of(text: str | None, now_ms: int) -> dict[str, Any] | None:
    """GraphQL's `AsOf` for what was typed; None for now. Raises: Stop."""
    if text is None:
        return None
    text = text.strip()
    if _EVENT.fullmatch(text):
        return {"event": text}
    if _ULID.fullmatch(text):
        return {"event": f"evt_{text}"}
    if re.fullmatch(r"\d{1,15}", text, re.ASCII):
        return {"time": int(text)}
    span = span_ms(text)
    time = shown_ms(text) if span is None else now_ms - span
    if time is None or time < 0:
        raise Stop(f"--as-of {text}: give an event id (evt_…), Unix milliseconds, a time like 2026-01-31T09:30:00Z or an age like 10m.", 2)
    return {"time": time}


def span_ms(text: str) -> int | None:
    """Milliseconds of a span such as `10m` or `1.5h`; None if it is none."""
    found = _AGE.fullmatch(text.strip()[:_LONGEST])
    return None if found is None else round(float(found[1]) * _UNITS[found[2]])
