"""Event ids and times: ULIDs and `ts` texts that increase together, from given times and a seeded source of chance."""

from datetime import UTC, datetime
from random import Random

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [high + low for high in _ALPHABET for low in _ALPHABET]


def ulid(at_ms: int, tail: int) -> str:
    """The ULID of a time (Unix ms, below 2**48) and an 80-bit tail, in Crockford's base 32."""
    p = _PAIRS
    return (
        f"{p[at_ms >> 40]}{p[at_ms >> 30 & 1023]}{p[at_ms >> 20 & 1023]}{p[at_ms >> 10 & 1023]}{p[at_ms & 1023]}"
        f"{p[tail >> 70]}{p[tail >> 60 & 1023]}{p[tail >> 50 & 1023]}{p[tail >> 40 & 1023]}"
        f"{p[tail >> 30 & 1023]}{p[tail >> 20 & 1023]}{p[tail >> 10 & 1023]}{p[tail & 1023]}"
    )


class Stamps:
    """Hands out the id and `ts` of one event after another; times must not go back."""

    def __init__(self, rng: Random) -> None:
        self._bits = rng.getrandbits
        self._ms = -1
        self._tail = 0
        self._second = -1
        self._prefix = ""

    def next(self, at_ms: int) -> tuple[str, str]:
        """`(id, ts)` of an event at `at_ms` (Unix ms): ids increase strictly, also within one millisecond.

        Raises ValueError for a time before the last one.
        """
        if at_ms > self._ms:
            self._ms = at_ms
            self._tail = self._bits(79)
        elif at_ms == self._ms:
            self._tail += 1 + self._bits(20)
        else:
            raise ValueError(f"time goes back: {at_ms} after {self._ms}")
        second, milli = divmod(at_ms, 1000)
        if second != self._second:
            self._second = second
            self._prefix = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return ulid(at_ms, self._tail), f"{self._prefix}.{milli:03d}Z"


def unix_ms(ts: str) -> int:
    """The time of a `ts` this package wrote (`…SS.mmmZ`), as Unix ms."""
    at = datetime.fromisoformat(ts)
    return int(at.timestamp()) * 1000 + at.microsecond // 1000
