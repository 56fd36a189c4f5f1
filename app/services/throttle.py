"""How often somebody who watches is told (Q26, Q48)."""

from __future__ import annotations

from time import monotonic
from typing import Any

from app.services.news import Topic

PATIENT = 10.0
"""A message waits so many times as long as making the last one took."""


class Throttle:
    """When the next message may be made: at most one each `seconds`, and not before ten times what making the last one took."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = self._next = monotonic()

    def begin(self) -> None:
        """A message is being made."""
        self._began = monotonic()

    def made(self) -> None:
        """It is made."""
        now = monotonic()
        self._next = max(self._began + self._seconds, now + PATIENT * (now - self._began))

    async def wait(self, topic: Topic[Any]) -> None:
        """Until the next one may be made, and there is something to tell of; not beyond the end of what is watched (None)."""
        await topic.after(0)
        while (left := self._next - monotonic()) > 0 and topic.value is not None:
            await topic.after(topic.version, left)
