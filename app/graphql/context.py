"""What one operation carries: who asks, until when, the services, and every moment of a graph that it has resolved."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from app.domain.moments import AsOf, Moment
from app.domain.problems import TooComplex
from app.graphql.budget import Budget, Objects
from app.graphql.needs import Lookahead, Needs
from app.graphql.reading import After, Reading
from app.graphql.rho.reading import RhoRead
from app.services.bundle import Services
from app.services.cursors import Mark
from app.services.event_pages import EventRow
from app.services.graph_at import GraphAt
from app.services.viewer import Viewer
from app.store.deadline import Deadline
from app.store.reading import Overtaken

if TYPE_CHECKING:
    from strawberry import Schema
    from strawberry.types import Info

    from app.graphql.documents import Document


T = TypeVar("T")

AT_ONCE = 8
"""So many reads that cannot be made as one does an operation make at the same time: it does not take the store from the others."""


@dataclass(slots=True)
class Context:
    """One operation. A moment is resolved once for each graph and way of asking (Q1, Q3), and read once."""

    services: Services
    viewer: Viewer
    deadline: Deadline
    document: Document
    schema: Schema
    origin: str
    budget: int
    compiled: bool = True
    resume: str | None = None
    """Where a subscription goes on, whatever its arguments say (`Last-Event-ID`)."""
    _gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _spent: int = 0
    _readings: dict[Any, asyncio.Future[Reading]] = field(default_factory=dict)
    _rho: RhoRead | None = None

    def needs(self, info: Info[Any, Any], level: int = 0) -> Needs:
        """What the selection under the field of `info` needs. `level`: 1 if the field is a list of nodes."""
        raw = info._raw_info
        return self.lookahead.of(raw.return_type, raw.field_nodes, level)

    @property
    def lookahead(self) -> Lookahead:
        """Of this operation's document."""
        return self.document.lookahead

    def selects(self, info: Info[Any, Any], name: str) -> bool:
        """Whether a field of that name is selected right under the field of `info`."""
        return self.lookahead.selects(info._raw_info.field_nodes, name)

    def shows_columns(self, info: Info[Any, Any]) -> bool:
        """Whether the selection under the field of `info` is shown from columns."""
        raw = info._raw_info
        variables: Any = raw.variable_values
        return self.compiled and self.document.projections.of_table(raw.return_type, raw.field_nodes, raw.fragments, variables) is not None

    async def read_ahead(self, info: Info[Any, Any], reading: Reading) -> None:
        """Reads what the selection under a graph needs. Raises: TooComplex, before rows are read (Q36)."""
        await self._check_budget(info, reading)
        await reading.load(self.needs(info))

    @property
    def rho(self) -> RhoRead:
        """What the operation reads of Rho graphs."""
        if self._rho is None:
            self._rho = RhoRead(self)
        return self._rho

    def forget_rho(self) -> None:
        """Something was taken in: what was known of Rho graphs is not so any more."""
        self._rho = None

    def spend(self, objects: int) -> None:
        """Counts what was really gathered. Raises: TooComplex."""
        self._spent += objects
        self._check(self._spent)

    def check_cost(self, info: Info[Any, Any]) -> None:
        """Looks at what a field of several graphs comes to (Q36): how many nodes each has is not known. Raises: TooComplex."""
        raw = info._raw_info
        self._check(_worked_out(info).page_cost(raw.return_type, raw.field_nodes))

    def check_each(self, info: Info[Any, Any], number: int) -> None:
        """Looks at what is asked of each of so many objects of a list that is there (Q36). Raises: TooComplex."""
        raw = info._raw_info
        each = Objects(number, number <= 1, number <= 1)
        self._check(number + _worked_out(info).cost(raw.return_type, raw.field_nodes, None, each))

    def check_rho_cost(self, info: Info[Any, Any]) -> None:
        """The same of a field that leads to Rho graphs (M15)."""
        raw = info._raw_info
        self._check(_worked_out(info).cost(raw.return_type, raw.field_nodes, None))

    async def _check_budget(self, info: Info[Any, Any], reading: Reading) -> None:
        raw = info._raw_info
        worked_out = _worked_out(info)
        if worked_out.cost(raw.return_type, raw.field_nodes, None) > self.budget:
            self._check(worked_out.cost(raw.return_type, raw.field_nodes, await reading.at.node_count()))

    def _check(self, cost: int) -> None:
        if cost > self.budget:
            raise too_complex(cost, self.budget)

    async def reading(self, graph_id: str, asked: AsOf | None) -> Reading:
        """A graph at a moment. Raises: NotFound, Forbidden, OutsideRetentionWindow."""

        async def resolve() -> Reading:
            return Reading(self, await self.services.graphs.at(self.viewer, graph_id, asked, self.deadline), asked)

        return await self._once((graph_id, asked), resolve())

    async def in_turn(self, read: Awaitable[T]) -> T:
        """A read of which an operation may have many, such as the events of each of a list's nodes."""
        async with self._gate:
            return await read

    async def reading_after_event(self, reading: Reading, event: EventRow) -> Reading:
        """The same graph just after one of its held events (Q45)."""
        asked = AsOf(event=event["id"])

        async def found() -> Reading:
            return Reading(self, reading.at.at_event(event), asked, After(reading, event))

        return await self._once((reading.at.info.id, asked), found())

    async def reading_after(self, moment: Moment) -> Reading:
        """A graph just after an append, which is its newest moment from then on (Q3). Raises: NotFound, Forbidden."""

        async def resolve() -> Reading:
            try:
                at = await self.services.graphs.at_moment(self.viewer, moment, self.deadline)
            except Overtaken:
                at = await self.services.graphs.at(self.viewer, moment.graph, None, self.deadline)
            return Reading(self, at, None)

        return await self._once((moment.graph, None, moment), resolve())

    async def reading_at(self, reading: Reading, mark: Mark) -> Reading:
        """The same graph, asked for in the same way, at the moment of a cursor (Q15). Raises: OutsideRetentionWindow."""

        async def resolve() -> Reading:
            return Reading(self, await reading.at.at_mark(mark.event, mark.time_ns), reading.asked)

        return await self._once((reading.at.info.id, reading.asked, mark), resolve())

    def at_hand(self, at: GraphAt) -> Reading:
        """A graph at a moment that is known already, taken as its newest one by everything in this operation."""
        reading = Reading(self, at.later(self.deadline), None)
        found = self._readings[(at.info.id, None)] = asyncio.get_running_loop().create_future()
        found.set_result(reading)
        return reading

    def forget(self, graph_id: str) -> None:
        """A graph was changed: what was known of it now is not so any more (Q3)."""
        for key in [key for key in self._readings if key[0] == graph_id]:
            del self._readings[key]

    def over(self) -> None:
        """The operation has its answer. What it read leads back to it: left like that, it would stay until the garbage collector looks
        through everything, which is seldom (`settle_garbage`)."""
        for found in self._readings.values():
            if found.done() and not found.cancelled() and found.exception() is None:
                found.result().over()
        self._readings.clear()
        self._rho = None

    async def _once(self, key: Any, resolve: Coroutine[Any, Any, Reading]) -> Reading:
        found = self._readings.get(key)
        if found is None:
            found = self._readings[key] = asyncio.ensure_future(resolve)
        else:
            resolve.close()
        return await asyncio.shield(found)


def _worked_out(info: Info[Any, Any]) -> Budget:
    raw = info._raw_info
    variables: Any = raw.variable_values  # the coerced values alone, as Strawberry hands them on
    return Budget(raw.fragments, variables)


def too_complex(cost: int, limit: int) -> TooComplex:
    """The problem of an operation that comes to too many objects (Q36)."""
    return TooComplex(f"This comes to {cost:,} objects; {limit:,} are allowed. Ask for smaller pages.", cost, limit)
