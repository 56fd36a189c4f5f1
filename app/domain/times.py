"""Times of events: when one applies (E11), and how a stored time is shown (E123)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000

_UTC_FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d*))?(?:Z|\+00:00)?", re.ASCII)
_RFC_3339 = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=8_192)
def read_ns(ts: str) -> int | None:
    """Unix nanoseconds of an event's `ts`; None where it is unreadable (E11)."""
    usual = _usual_ns(ts)
    if usual is not None:
        return usual
    found = _UTC_FORM.fullmatch(ts)
    if found is None:
        return None
    return _nanoseconds(found.groups())


def _usual_ns(ts: str) -> int | None:
    """The same for the form that nearly all events have, `2026-01-31T09:30:00.000Z`, in a fraction of the time; None for any other."""
    if len(ts) != 24 or ts[4] + ts[7] + ts[10] + ts[19] + ts[23] != "--T.Z" or ts[11:13] == "24":
        return None
    try:
        since = datetime.fromisoformat(ts) - _EPOCH
    except ValueError:
        return None
    return (since.days * 86_400 + since.seconds) * NS_PER_S + since.microseconds * 1_000 if since.days >= 0 else None


def event_ns(ts: str) -> int:
    """Unix nanoseconds at which an event applies: 0 where its `ts` is unreadable (E11)."""
    found = read_ns(ts)
    return 0 if found is None else found


@lru_cache(maxsize=8_192)
def shown_ms(ts: str) -> int | None:
    """Unix milliseconds, rounded down, of any stored time in RFC 3339 form, other offsets included; None if unreadable (E123)."""
    ns = read_ns(ts)
    if ns is not None:
        return ns // NS_PER_MS
    found = _RFC_3339.fullmatch(ts)
    if found is None:
        return None
    *parts, sign, hours, minutes = found.groups()
    ns = _nanoseconds(tuple(parts), first_year=1)
    if ns is None:
        return None
    if sign is not None:
        if int(hours) > 23 or int(minutes) > 59:
            return None
        shift = timedelta(hours=int(hours), minutes=int(minutes)) // timedelta(milliseconds=1) * NS_PER_MS
        ns += -shift if sign == "+" else shift
    return ns // NS_PER_MS


def rfc_3339(ms: int) -> str:
    """Unix milliseconds as people read them, in UTC: `2026-01-31T09:30:00.000Z`."""
    return (_EPOCH + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


@lru_cache(maxsize=8_192)
def unusual_text(ts: str) -> str | None:
    """`ts`, but None where `rfc_3339` gives it back from what `shown_ms` reads in it."""
    if len(ts) != len("2026-01-31T09:30:00.000Z") or ts[-1] != "Z":  # other offsets may lead out of the years that can be written
        return ts
    ms = shown_ms(ts)
    return None if ms is not None and ts == rfc_3339(ms) else ts


def usual_text(ts: str | None, ms: int) -> str:
    """What `unusual_text` was given; `ms` is what was read in it (Unix milliseconds)."""
    return rfc_3339(ms) if ts is None else ts


def _nanoseconds(parts: tuple[str | None, ...], first_year: int = 1970) -> int | None:
    year, month, day, hour_text, minute_text, second_text, digits = parts
    day_s = _day_seconds(f"{year}-{month}-{day}", first_year)
    hour, minute, second = int(hour_text or 0), int(minute_text or 0), int(second_text or 0)
    if day_s is None or hour > 23 or minute > 59 or second > 60:
        return None
    fraction = int((digits + "000000000")[:9]) if digits else 0
    return (day_s + hour * 3_600 + minute * 60 + min(second, 59)) * NS_PER_S + fraction


@lru_cache(maxsize=1_024)
def _day_seconds(day: str, first_year: int) -> int | None:
    """Unix seconds at which a day begins; None if there is no such day, or before `first_year`."""
    try:
        date = datetime.fromisoformat(day).replace(tzinfo=UTC)
    except ValueError:
        return None
    return None if date.year < first_year else (date - _EPOCH) // timedelta(seconds=1)
