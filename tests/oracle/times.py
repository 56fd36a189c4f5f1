"""Times as events write them: read for the rules (E11), read for showing (E123)."""

from __future__ import annotations

import re
from datetime import date

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
EPOCH_DAY = date(1970, 1, 1).toordinal()

_CLOCK = r"([0-9]{4})-([0-9]{2})-([0-9]{2})%s([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.(%s))?"
_UTC = re.compile(_CLOCK % ("[T ]", "[0-9]*") + r"(?:Z|\+00:00)?")
_RFC_3339 = re.compile(_CLOCK % ("[Tt ]", "[0-9]+") + r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))")


def _nanoseconds(parts: tuple[str | None, ...]) -> int | None:
    """Nanoseconds since 1970 of year, month, day, hour, minute, second and fraction; None if there is no such time."""
    year, month, day, hour, minute, second = (int(part or 0) for part in parts[:6])
    if hour > 23 or minute > 59 or second > 60:
        return None
    try:
        days = date(year, month, day).toordinal() - EPOCH_DAY
    except ValueError:
        return None
    fraction = int((parts[6] or "").ljust(9, "0")[:9])
    return (days * 86_400 + hour * 3_600 + minute * 60 + min(second, 59)) * SECOND + fraction


def readable(ts: str | None) -> int | None:
    """E11: the time in nanoseconds since 1970, or None if `ts` is not readable."""
    match = _UTC.fullmatch(ts) if ts is not None else None
    if match is None or int(match[1]) < 1970:
        return None
    return _nanoseconds(match.groups())


def time_of(ts: str) -> int:
    """E11: the time an event of this `ts` sorts by, in nanoseconds: 0 for an unreadable one."""
    return readable(ts) or 0


def shown_ms(ts: str | None) -> int | None:
    """E123: Unix milliseconds, rounded down, of any RFC 3339 text; None if it can not be shown."""
    if ts is None:
        return None
    nanoseconds = readable(ts)
    if nanoseconds is not None:
        return nanoseconds // MILLISECOND
    match = _RFC_3339.fullmatch(ts)
    if match is None:
        return None
    hours, minutes = int(match[9] or 0), int(match[10] or 0)
    nanoseconds = _nanoseconds(match.groups()[:7])
    if nanoseconds is None or hours > 23 or minutes > 59:
        return None
    offset = (hours * 60 + minutes) * 60 * SECOND
    return (nanoseconds + offset if match[8] == "-" else nanoseconds - offset) // MILLISECOND


def within(one: str | None, other: str | None, seconds: int) -> bool:
    """The windows of E29 and E74: at most `seconds` apart, before or after; never with an unreadable time (E11)."""
    first, second = readable(one), readable(other)
    return first is not None and second is not None and abs(first - second) <= seconds * SECOND
