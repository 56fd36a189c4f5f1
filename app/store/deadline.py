"""One deadline for each unit of work, handed down instead of a time-out in every signature (O25)."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment by which a unit of work must be done: waiting for a connection, statements and retries together.

    It counts by the monotonic clock: it bounds how long work takes and never enters into an answer.
    """

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The deadline `seconds` from now."""
        return cls(monotonic() + seconds)

    @property
    def expired(self) -> bool:
        """Whether no time is left."""
        return self.remaining() <= 0

    def remaining(self) -> float:
        """Seconds left; zero or less when it has passed."""
        return self.at - monotonic()
