"""Timestamps of a Rho graph, to the nanosecond (G3, G4): texts and whole numbers, never a type that knows microseconds only."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

NS_PER_S = 1_000_000_000

_FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_LAST_DAY = date.max.toordinal()
_DAYS_IN_400_YEARS = 146_097
_LONGEST = len("2026-10-01T08:00:00.123456789+00:00")

ZERO_NS = (1 - _EPOCH_DAY) * 86_400 * NS_PER_S
"""0001-01-01T00:00:00Z, which means "not set" (G4)."""


def read_ns(text: str) -> int | None:
    """Unix nanoseconds; None where the text is no timestamp or not in years 0001 to 9999 of UTC (G3)."""
    return None if len(text) > _LONGEST else _read_ns(text)


@lru_cache(maxsize=4_096)
def _read_ns(text: str) -> int | None:
    """Most times of a document stand in it several times, and each is read for more than one purpose."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = map(int, found.groups()[:6])
    digits, sign, offset_hour, offset_minute = found.groups()[6:]
    ahead = int(offset_hour or 0) * 60 + int(offset_minute or 0)
    if hour > 23 or minute > 59 or second > 59 or int(offset_hour or 0) > 23 or int(offset_minute or 0) > 59:
        return None
    days = _ordinal(year, month, day)
    if days is None:
        return None
    minutes = days * 1_440 + hour * 60 + minute - (-ahead if sign == "-" else ahead)
    if not 1 <= minutes // 1_440 <= _LAST_DAY:
        return None
    seconds = (minutes - _EPOCH_DAY * 1_440) * 60 + second
    return seconds * NS_PER_S + int((digits or "").ljust(9, "0"))


@lru_cache(maxsize=4_096)
def written(ns: int) -> str:
    """Unix nanoseconds in canonical spelling: UTC with `Z`, no trailing zeros in the fraction (G14)."""
    seconds, fraction = divmod(ns, NS_PER_S)
    days, rest = divmod(seconds, 86_400)
    clock = f"{rest // 3_600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    digits = f".{fraction:09d}".rstrip("0") if fraction else ""
    return f"{date.fromordinal(days + _EPOCH_DAY).isoformat()}T{clock}{digits}Z"


def from_ms(ms: int) -> str:
    """Unix milliseconds as a timestamp, with up to three digits of a fraction (M25)."""
    return written(ms * 1_000_000)


def canonical(text: str) -> str:
    """A valid timestamp in canonical spelling; any other text as it is."""
    ns = read_ns(text)
    return text if ns is None else written(ns)


def _ordinal(year: int, month: int, day: int) -> int | None:
    """The day's number, 1 for 0001-01-01. The year 0000 can only be written: with an offset it may still lie in 0001."""
    try:
        if year == 0:
            return date(400, month, day).toordinal() - _DAYS_IN_400_YEARS
        return date(year, month, day).toordinal()
    except ValueError:
        return None


def is_later(one: str, other: str) -> bool:
    """Whether a time comes after another; False where either is unreadable."""
    first, second = read_ns(one), read_ns(other)
    return first is not None and second is not None and first > second
