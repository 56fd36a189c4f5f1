"""Keys and logins that are looked up: once for all who ask at the same time, and remembered where nobody else changes the store."""

from __future__ import annotations

from cachetools import LRUCache

from app.services.shared import Read, SharedReads
from app.store.access import KnownKey
from app.store.deadline import Deadline

_MOST = 2_000


class KnownKeys:
    """Look-ups in the store, each begun after whoever is given it has asked, and a bounded memory of them.

    It remembers only if `sole`: no other process can change the store (the embedded one, started by this process), so that whatever ends
    a key or login goes through `forget` here, and a key that was revoked is refused from the next request on (R9). Keys that are not on
    record are never remembered.
    """

    def __init__(self, *, sole: bool = False) -> None:
        self._sole = sole
        self._reads = SharedReads[KnownKey | None]()
        self._held: LRUCache[str, KnownKey] = LRUCache(_MOST)
        self._changes = 0

    async def find(self, name: str, look_up: Read[KnownKey | None], deadline: Deadline) -> KnownKey | None:
        """What `look_up` gives for `name`, or is remembered of it. Raises: DeadlineExceeded, and what `look_up` raises."""
        held = self._held.get(name)
        if held is not None:
            return held
        changes = self._changes
        found = await self._reads.get(name, look_up, deadline)
        if found is not None and self._sole and changes == self._changes:  # what was read before a change may be older than it
            self._held[name] = found
        return found

    def forget(self) -> None:
        """To be called after each change of a key or login, before anybody is told of it."""
        self._changes += 1
        self._held.clear()
