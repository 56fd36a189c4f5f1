"""One statement for everybody who asks the same thing at the same time: a thousand polls are not a thousand look-ups."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from app.domain.problems import DeadlineExceeded
from app.store.deadline import Deadline

T = TypeVar("T")

Read: TypeAlias = Callable[[Deadline], Awaitable[T]]


@dataclass(slots=True, eq=False)
class _Turn(Generic[T]):
    """One read: how it is done, on whose account (the first one's), until when, and who waits for it."""

    read: Read[T]
    context: Context
    until: float
    waiting: list[asyncio.Future[T]] = field(default_factory=list)
    task: asyncio.Task[None] | None = None
    """Set once it has begun."""

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits any more."""
        return all(each.done() for each in self.waiting)

    def give(self, found: T) -> None:
        """Tells all who wait."""
        for each in self.waiting:
            if not each.done():
                each.set_result(found)

    def fail(self, error: Exception) -> None:
        """Raises in all who wait."""
        for each in self.waiting:
            if not each.done():
                each.set_exception(error)

    def drop(self) -> None:
        """Lets go of all who wait still: the read was given up."""
        for each in self.waiting:
            each.cancel()


class Asked(Generic[T]):
    """A question that has been asked. Whoever does not want the answer any more says so (`leave`)."""

    __slots__ = ("_mine", "_timer", "_turn")

    def __init__(self, turn: _Turn[T], loop: asyncio.AbstractEventLoop, deadline: Deadline) -> None:
        self._turn = turn
        self._mine: asyncio.Future[T] = loop.create_future()
        self._timer = loop.call_later(max(deadline.remaining(), 0), _late, self._mine)
        turn.waiting.append(self._mine)

    async def got(self) -> T:
        """The answer. Raises: DeadlineExceeded, and what the read raises."""
        try:
            return await self._mine
        finally:
            self.leave()

    def leave(self) -> None:
        """Nobody waits for it here any more, or it has been got."""
        self._timer.cancel()
        if not self._mine.cancel() and not self._mine.cancelled():
            self._mine.exception()  # heard, also where the caller went just then
        task = self._turn.task
        if task is not None and not task.done() and self._turn.is_idle:
            task.cancel()


class SharedReads(Generic[T]):
    """Reads by key, one at a time, each *begun after whoever gets it has asked*: a write that he knows of is in it.

    All who ask in one turn of the event loop are given the same read, and so are all who ask while another one runs.
    """

    def __init__(self) -> None:
        self._running: dict[Hashable, _Turn[T]] = {}
        self._next: dict[Hashable, _Turn[T]] = {}

    async def get(self, key: Hashable, read: Read[T], deadline: Deadline) -> T:
        """What a `read` gives that begins from now on, this one or another's of the same `key`.

        Raises: DeadlineExceeded, and what the read raises.
        """
        return await self.ask(key, read, deadline).got()

    def ask(self, key: Hashable, read: Read[T], deadline: Deadline) -> Asked[T]:
        """The same for somebody who has something else to wait for first."""
        loop = asyncio.get_running_loop()
        turn = self._next.get(key)
        if turn is None:
            turn = self._next[key] = _Turn(read, copy_context(), deadline.at)
            if key not in self._running:
                self._begin(key, loop)
        elif deadline.at > turn.until:
            turn.until = deadline.at
        return Asked(turn, loop, deadline)

    def _begin(self, key: Hashable, loop: asyncio.AbstractEventLoop) -> None:
        turn = self._running[key] = self._next[key]
        loop.create_task(self._run(key, turn), context=turn.context)

    async def _run(self, key: Hashable, turn: _Turn[T]) -> None:
        turn.task = asyncio.current_task()
        del self._next[key]  # who asks from here on is too late for this one
        try:
            if not turn.is_idle:
                turn.give(await turn.read(Deadline(turn.until)))
        except Exception as error:  # noqa: BLE001 - it is theirs who wait
            turn.fail(error)
        finally:
            turn.drop()
            del self._running[key]
            if key in self._next:
                self._begin(key, asyncio.get_running_loop())


def _late(waiter: asyncio.Future[T]) -> None:
    if not waiter.done():
        waiter.set_exception(DeadlineExceeded())
