"""The rate limit (R13, R14, Q39): a token bucket for each key, kept by each process."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from cachetools import LRUCache

from app.services.clock import Clock

_MOST: Final = 20_000
"""Buckets that are remembered; one not asked for longest is full again."""

_ROUNDING: Final = 1e-9


@dataclass(slots=True)
class _Bucket:
    tokens: float
    ms: int


@dataclass(frozen=True, slots=True)
class Rate:
    """What a bucket says (R14). `limit`: tokens a second; `remaining`: whole tokens left; `reset`: seconds until it is full.

    `retry_after`: seconds until there is a token; 0 where one was taken.
    """

    limit: int
    remaining: int
    reset: int
    retry_after: int

    @property
    def headers(self) -> dict[str, str]:
        """As headers tell it (R14)."""
        told = {"RateLimit-Limit": self.limit, "RateLimit-Remaining": self.remaining, "RateLimit-Reset": self.reset}
        if self.retry_after:
            told["Retry-After"] = self.retry_after
        return {name: str(value) for name, value in told.items()}


class RateLimits:
    """The buckets of all keys. With a rate of 0 nothing is limited."""

    def __init__(self, rate: float, burst: int, clock: Clock) -> None:
        """`rate`: tokens a second; `burst`: what a bucket holds."""
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: LRUCache[str, _Bucket] = LRUCache(_MOST)

    def take(self, name: str) -> Rate | None:
        """Takes a token of a bucket, if there is one, and tells how it stands. None: nothing is limited."""
        if not self._rate:
            return None
        bucket = self._filled(name)
        if bucket.tokens + _ROUNDING < 1:
            return self._told(bucket, max(1, math.ceil((1 - bucket.tokens) / self._rate - _ROUNDING)))
        bucket.tokens -= 1
        return self._told(bucket, 0)

    def give_back(self, name: str) -> Rate | None:
        """Puts the token back that `take` took, never above what the bucket holds (R13)."""
        if not self._rate:
            return None
        bucket = self._filled(name)
        bucket.tokens = min(self._burst, bucket.tokens + 1)
        return self._told(bucket, 0)

    def _filled(self, name: str) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = _Bucket(self._burst, now)
        bucket.tokens = min(self._burst, bucket.tokens + max(0, now - bucket.ms) * self._rate / 1_000)
        bucket.ms = now
        return bucket

    def _told(self, bucket: _Bucket, retry_after: int) -> Rate:
        missing = (self._burst - bucket.tokens) / self._rate
        return Rate(math.ceil(self._rate), max(0, int(bucket.tokens + _ROUNDING)), max(0, math.ceil(missing - _ROUNDING)), retry_after)
