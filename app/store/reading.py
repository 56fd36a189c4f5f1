"""Reading one graph at one place, exactly, while others append to it, trim it or put late events in their place.

A commit is not one moment for a reader, and a current row may be seen half old, half new. So current rows are read first. Then, unless
nothing was written after the place by the time they had been read, the ended states that held there: whoever saw anything of an append's
current rows finds what they replaced among these, whole, so *an ended state wins*. Last, the graph's standing: a revision that moved means
that history itself was changed meanwhile. Filters on values that change belong after the merge.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from app.domain.moments import Moment
from app.domain.problems import NotFound, StoreUnavailable
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import Standing, standing, there
from app.store.intervals import probes
from app.store.pace import Pace

Values: TypeAlias = list[Any]
"""One row as the store gives it: values in the order of its columns."""

Stored: TypeAlias = dict[str, Any]
"""One row by column name."""

_ROOM = 1_000_000
"""Places kept free above what is written, so that states which end while a read is under way are found too."""


class Overtaken(StoreUnavailable):
    """History was changed under a request: what it has read so far is no longer so. It is right to begin again, with a fresh moment."""

    def __init__(self) -> None:
        super().__init__("The graph's history was changed while it was read. Ask again.")


class Rows(NamedTuple):
    """What a statement gave, and where the graph stood when all of it had been read."""

    values: list[Values]
    at: Standing


class Reading:
    """Statements about one graph at one moment.

    Every one of them looks at the graph's revision once it has read its rows: answers of different revisions never mix. They raise
    `Overtaken` (also `NotFound`, `StoreUnavailable`, `DeadlineExceeded`).
    """

    def __init__(self, store: Store, moment: Moment, deadline: Deadline) -> None:
        self.store = store
        self.moment = moment
        self.deadline = deadline

    @property
    def g(self) -> str:
        """The key of the graph's generation."""
        return self.moment.g

    @property
    def seq(self) -> int:
        """The place that is read at."""
        return self.moment.seq

    async def rows(self, name: str, **params: Any) -> Rows:
        """All rows of a statement that gives `rows` and `at`; `graph` is added to its parameters."""
        records = await self.store.read(name, self.deadline, graph=self.moment.graph, **params)
        if not records or there(records[-1]) is None:
            raise gone()
        at = self.unmoved(Standing(*records[-1]["at"]))
        if len(records) == 1:
            return Rows(records[0]["rows"], at)
        return Rows([row for record in records for row in record["rows"]], at)

    async def ranged(self, name: str, **params: Any) -> list[Any]:
        """All records of a statement that cannot look at the graph itself; that is done after it."""
        records = await self.store.read(name, self.deadline, **params)
        await self.look()
        return records

    async def look(self) -> Standing:
        """Where the graph stands now."""
        found = await standing(self.store, self.moment.graph, self.deadline)
        if found is None:
            raise gone()
        return self.unmoved(found[1])

    def unmoved(self, at: Standing) -> Standing:
        """`at`, if history is still what it was when the moment was resolved. Raises: Overtaken."""
        if at.revision != self.moment.revision:
            raise Overtaken
        return at

    async def merged(self, current: Rows, past: Callable[[Standing], Awaitable[Rows]], key: Callable[[Values], Hashable]) -> list[Values]:
        """The rows that hold at the place: `current` ones not newer than it, and over them the ended ones that `past` reads.

        `past` is called with where the graph stood after the current rows, and not at all where nothing was written after the place.
        Column 1 of a row is its `since`; `key` tells things apart.
        """
        seq, values, at = self.seq, current.values, current.at
        if at.written == seq:
            return values
        found = {key(row): row for row in values if row[1] <= seq}
        for row in (await past(at)).values:
            found[key(row)] = row
        return list(found.values())

    async def past(self, name: str, at: Standing, **params: Any) -> Rows:
        """Ended states that held at the place, by a statement that takes interval slots.

        `at`: a standing seen before. An append that outruns the room above it has the slots worked out again.
        """
        while True:
            highest = 2 * at.written + _ROOM
            right, left = ([f"{self.g}|{slot}" for slot in side] for side in probes(self.seq, highest))
            found = await self.rows(name, seq=self.seq, right=right, left=left, **params)
            at = found.at
            if at.written <= highest:
                return found


def gone() -> NotFound:
    """The graph is no longer there."""
    return NotFound("No such graph.")


def by_ref(row: Values) -> Hashable:
    """Tells nodes apart: column 0 is the ref."""
    ref: str = row[0]
    return ref


def by_position(row: Values) -> Hashable:
    """Tells a node's parts apart: columns 0 and 2 are its ref and their position."""
    return row[0], row[2]


async def named(columns: Sequence[str], rows: Iterable[Values], times: Sequence[str] = ()) -> list[Stored]:
    """Rows by column name, made in slices. `times` may be texts where they are too large for the store."""
    pace, made = Pace(), []
    for number, row in enumerate(rows):
        one = dict(zip(columns, row, strict=True))
        for name in times:
            if type(one[name]) is str:
                one[name] = int(one[name])
        made.append(one)
        if not number % 500 and pace.due:
            await pace.rest()
    return made
