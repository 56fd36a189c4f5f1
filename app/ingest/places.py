"""Places to work on bodies, few enough that memory stays bounded, and shared so that no caller is in another's way (I8, I34, I35)."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from app.domain.problems import DeadlineExceeded
from app.store.deadline import Deadline

HURRIED = 5.0
"""Seconds that the rest of a body may take to come in a place that others wait for."""


class Places:
    """So many places for all callers together.

    A caller has never more of them than were left for all others when it took the last: one alone has half, two a third each, and so on.
    Who waits gets one in turn, caller by caller.
    """

    def __init__(self, number: int) -> None:
        self._free = number
        self._held: Counter[str] = Counter()
        self._turns: dict[str, deque[asyncio.Future[None]]] = {}
        self._coming: dict[asyncio.Timeout, float] = {}

    @asynccontextmanager
    async def taken(self, caller: str, deadline: Deadline) -> AsyncIterator[None]:
        """A place for as long as the context lasts. Raises: DeadlineExceeded."""
        if caller in self._turns or self._held[caller] >= self._free:
            await self._turn(caller, deadline)
        else:
            self._take(caller)
        try:
            yield
        finally:
            self._give_back(caller)

    @asynccontextmanager
    async def hurried(self, deadline: Deadline) -> AsyncIterator[None]:
        """Waits for somebody outside in a place: not beyond the deadline, and not for long once no place is left. Raises: TimeoutError."""
        async with asyncio.timeout(deadline.remaining()) as patience:
            self._coming[patience] = asyncio.get_running_loop().time()
            try:
                yield
            finally:
                self._coming.pop(patience, None)

    async def _turn(self, caller: str, deadline: Deadline) -> None:
        if not self._free:
            self._hurry()
        turn = asyncio.get_running_loop().create_future()
        self._turns.setdefault(caller, deque()).append(turn)
        try:
            async with asyncio.timeout(deadline.remaining()):
                await turn
        except BaseException as ended:
            if turn.done() and not turn.cancelled():  # it came in the same moment
                self._give_back(caller)
            else:
                self._leave(caller, turn)
            if isinstance(ended, TimeoutError):
                raise DeadlineExceeded("Too much comes in at the moment. Try again shortly.") from None
            raise

    def _take(self, caller: str) -> None:
        self._free -= 1
        self._held[caller] += 1

    def _give_back(self, caller: str) -> None:
        self._free += 1
        self._held[caller] -= 1
        if not self._held[caller]:
            del self._held[caller]
        while (following := next((each for each in self._turns if self._held[each] < self._free), None)) is not None:
            turns = self._turns.pop(following)
            turn = turns.popleft()
            if turns:
                self._turns[following] = turns  # behind all others
            if not turn.done():
                self._take(following)
                turn.set_result(None)

    def _leave(self, caller: str, turn: asyncio.Future[None]) -> None:
        turns = self._turns.get(caller, deque())
        with suppress(ValueError):
            turns.remove(turn)
            if not turns:
                del self._turns[caller]

    def _hurry(self) -> None:
        """Whoever is waited for longest has not much longer: one for each who has to wait."""
        patience = next(iter(self._coming), None)
        if patience is None:
            return
        until = max(self._coming.pop(patience) + HURRIED, asyncio.get_running_loop().time())
        patience.reschedule(min(until, patience.when() or until))
