"""The store's news, read by one tail for each process, however many watch (Q27).

A small statement every `TICK` looks at the graphs that somebody watches, whichever process writes to them; what this process itself
appended is looked at once. Who watches is told that something is different, and asks for what it needs when it can take it: nothing is kept
for anybody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Generic, TypeVar

import structlog

from app.domain.problems import Problem
from app.services.appending import PATIENCE
from app.store import graphs
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import GraphRow, Seen, Standing

TICK = 0.15
"""Seconds between two looks at the graphs that are watched."""

LIST_TICK = 0.3
"""The same for lists of graphs; ten times what a look took, if that is more."""

_GAP = 0.01
_AWAY = 0.5
_PAUSE = 0.5
_SECONDS = 5.0
_AT_ONCE = 500
_log = structlog.get_logger("news")

T = TypeVar("T")


class Topic(Generic[T]):
    """What is watched by somebody. `value`: as it was seen last; `version` grows with each difference, and is 0 before the first look."""

    def __init__(self, empty: T) -> None:
        self.value = empty
        self.version = 0
        self.watchers = 0
        self.due = 0.0
        self._changed = asyncio.Event()

    def put(self, value: T) -> None:
        """Takes in what was seen."""
        if self.version and value == self.value:
            return
        self.value = value
        self.version += 1
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def after(self, version: int, seconds: float | None = None) -> bool:
        """Waits for another version than that, at most so long. Whether there is one."""
        while self.version == version:
            changed = self._changed
            try:
                async with asyncio.timeout(seconds):
                    await changed.wait()
            except TimeoutError:
                return self.version != version
        return True


class News:
    """The tail. It runs for as long as anybody watches anything."""

    def __init__(self, store: Store, mend: Callable[[GraphRow, Deadline], Awaitable[None]]) -> None:
        """`mend`: makes the history of a graph readable again that somebody who is gone was rewriting."""
        self._store = store
        self._mend = mend
        self._odd: dict[str, tuple[Standing, float]] = {}
        self._graphs: dict[str, Topic[Seen | None]] = {}
        self._accounts: dict[str, Topic[dict[str, GraphRow]]] = {}
        self._woken = asyncio.Event()
        self._tail: asyncio.Task[None] | None = None

    @property
    def watchers(self) -> int:
        """How many watch something now."""
        return sum(topic.watchers for topics in (self._graphs, self._accounts) for topic in topics.values())

    @contextmanager
    def of_graph(self, graph_id: str) -> Iterator[Topic[Seen | None]]:
        """A graph, for as long as the context lasts; None: it is gone."""
        with self._watching(self._graphs, graph_id, lambda: Topic(None)) as topic:
            yield topic

    @contextmanager
    def of_account(self, account: str) -> Iterator[Topic[dict[str, GraphRow]]]:
        """All graphs of an account, by id."""
        with self._watching(self._accounts, account, lambda: Topic({})) as topic:
            yield topic

    def tell(self, graph_id: str) -> None:
        """Something became of a graph in this process: whoever watches it need not wait for the next look."""
        if graph_id in self._graphs:
            self._woken.set()

    async def look_again(self, topic: Topic[Any], version: int) -> None:
        """Has the tail look now, as what was seen last is out of date or could not be read, and waits for what it sees; not for long."""
        self._woken.set()
        await topic.after(version, _PAUSE)

    async def close(self) -> None:
        """Stops the tail."""
        if self._tail is not None:
            self._tail.cancel()
            with suppress(asyncio.CancelledError):
                await self._tail

    @contextmanager
    def _watching(self, topics: dict[str, Topic[T]], name: str, empty: Callable[[], Topic[T]]) -> Iterator[Topic[T]]:
        topic = topics.get(name)
        if topic is None:
            topic = topics[name] = empty()
        topic.watchers += 1
        if not topic.version:
            self._woken.set()
        if self._tail is None or self._tail.done():
            self._tail = asyncio.create_task(self._run())
        try:
            yield topic
        finally:
            topic.watchers -= 1
            if not topic.watchers:
                topics.pop(name, None)

    async def _run(self) -> None:
        away = False
        while self._graphs or self._accounts:
            self._woken.clear()
            try:
                torn = await self._look()
                pause, away = (_GAP if torn else TICK), False
            except Exception as error:  # noqa: BLE001 - whatever it is, those who watch wait for the next look
                if not away:
                    _log.warning("no news from the store", why=error.code if isinstance(error, Problem) else type(error).__name__)
                pause, away = _AWAY, True
            await asyncio.sleep(_GAP)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._woken.wait()

    async def _look(self) -> bool:
        """Looks at everything. Whether a graph was seen in the middle of a commit."""
        torn = False
        names = list(self._graphs)
        for start in range(0, len(names), _AT_ONCE):
            piece = names[start : start + _AT_ONCE]
            asked = {name: topic for name in piece if (topic := self._graphs.get(name)) is not None}
            found = await graphs.seen(self._store, list(asked), Deadline.after(_SECONDS))
            for name, topic in asked.items():
                seen = found.get(name)
                if seen is None or seen.row.whole:
                    topic.put(seen)
                    self._odd.pop(name, None)
                else:
                    torn = True
                    await self._mended(seen.row)
        for account, rows in list(self._accounts.items()):
            if monotonic() >= rows.due or not rows.version:
                await self._look_at_account(account, rows)
        return torn

    async def _mended(self, row: GraphRow) -> None:
        """Looks whether whoever is rewriting a graph's history gets on."""
        standing, since = self._odd.get(row.id, (None, 0.0))
        if standing != row.standing:
            self._odd[row.id] = row.standing, monotonic()
        elif monotonic() - since > PATIENCE:
            del self._odd[row.id]
            await self._mend(row, Deadline.after(_SECONDS))

    async def _look_at_account(self, account: str, topic: Topic[dict[str, GraphRow]]) -> None:
        began = monotonic()
        found = {row.id: row for row in await graphs.of_account(self._store, account, Deadline.after(_SECONDS))}
        for name in [name for name, row in found.items() if not row.whole]:  # as it was seen before, until it is whole
            before = topic.value.get(name)
            found.pop(name)
            if before is not None:
                found[name] = before
        topic.put(found)
        topic.due = monotonic() + max(LIST_TICK, 10 * (monotonic() - began))
