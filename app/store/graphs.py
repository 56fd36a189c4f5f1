"""The `Graph` row: what a graph is called, whose it is, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from neo4j import Record
from neo4j.exceptions import ConstraintError

from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.intervals import STEP
from app.store.keys import generation_key

BEFORE_ALL = "gph_------------"
"""Sorts before every graph's id, and is as long."""


class Standing(NamedTuple):
    """Where a graph stands. One list property in the store, so that no reader sees half of it.

    `head`: the place of the newest event that readers may see. `floor`: of the first held event (0: none). `revision`: moves when held
    history changes (odd: it is being rewritten). `arrival`: number of the event that came last. `written`, `applied`: how far an append got
    (its events and ended states; its current rows). `held`: how many events readers may see.
    """

    head: int
    floor: int
    revision: int
    arrival: int
    written: int
    applied: int
    held: int

    @property
    def settled(self) -> bool:
        """Whether no append is under way, or was left half done."""
        return self.written == self.applied == self.head and self.revision % 2 == 0

    @property
    def regular(self) -> bool:
        """Whether every held event came after the one before it: then they are at all multiples of `STEP` from `floor` to `head`."""
        return self.revision == 0 and self.floor == STEP and self.head == STEP * self.held

    @property
    def arrived(self) -> int:
        """Number of the last event that readers may see: those of an append that is under way come after it.

        They are at the places that an append takes, one at each `STEP` above the head.
        """
        return self.arrival - (self.written // STEP - self.head // STEP)


class EventMark(NamedTuple):
    """An event at one end of what is held: its own id, its `ts` as written, its time (E11) in Unix ms, the nodes after it."""

    id: str
    ts: str
    time_ms: int
    nodes: int


@dataclass(frozen=True, slots=True)
class GraphRow:
    """A graph and where it stands. `first` and `last` are the events at `standing`'s floor and head.

    `created` and `heard` (when a producer last sent something; None: never) are Unix milliseconds; `retention_events` None: the server's
    setting.
    """

    id: str
    account: str
    title: str | None
    source: str
    created: int
    retention_events: int | None
    generation: int
    g: str
    heard: int | None
    standing: Standing
    first: EventMark | None
    last: EventMark | None

    @property
    def whole(self) -> bool:
        """Whether all of it is of one time: neither read in the middle of a commit, nor with history that is being rewritten."""
        return self.standing.revision % 2 == 0 and (self.standing.held == 0 or None not in (self.first, self.last))


async def create(
    store: Store, *, graph_id: str, account: str, title: str | None, source: str, created: int, retention: int | None, deadline: Deadline
) -> None:
    """Makes the row of a new graph; `graph_id` must be new."""
    g = generation_key(graph_id, 1)

    async def work(tx: Transaction) -> None:
        await tx.run("graph/create", id=graph_id, account=account, title=title, source=source, created=created, retention=retention, g=g)

    await store.write(work, deadline)


async def create_new(
    store: Store, *, graph_id: str, account: str, title: str | None, source: str, created: int, retention: int | None, deadline: Deadline
) -> bool:
    """The same where `graph_id` may be in use: False then, and nothing is done."""
    try:
        await create(
            store, graph_id=graph_id, account=account, title=title, source=source, created=created, retention=retention, deadline=deadline
        )  # fmt: skip
    except ConstraintError:
        return False
    return True


async def update(store: Store, graph_id: str, changes: Mapping[str, Any], deadline: Deadline) -> bool:
    """Changes properties of a graph's row, such as `title` and `retention_events`; None takes one away. False: no such graph."""
    return await store.change("graph/update", lambda record: record is not None, deadline, id=graph_id, row=dict(changes))


async def standing(store: Store, graph_id: str, deadline: Deadline) -> tuple[str, Standing] | None:
    """The key of the graph's generation, and where it stands. None: no such graph."""
    record = there(await store.one("graph/standing", deadline, id=graph_id))
    return None if record is None else (record["g"], Standing(*record["at"]))


async def one(store: Store, graph_id: str, deadline: Deadline) -> GraphRow | None:
    """One graph. None: no such graph."""
    record = there(await store.one("graph/one", deadline, id=graph_id))
    return None if record is None else row_of(record)


async def of_account(store: Store, account: str, deadline: Deadline) -> list[GraphRow]:
    """Every graph of an account, in no order."""
    return [row_of(record) for record in await store.read("graph/of_account", deadline, account=account) if there(record)]


async def page(store: Store, after: str, limit: int, deadline: Deadline) -> list[GraphRow]:
    """The first `limit` graphs of all accounts whose ids come after `after`, by id."""
    return [row_of(record) for record in await store.read("move/graphs", deadline, id=after, limit=limit) if there(record)]


class Seen(NamedTuple):
    """A graph as it was seen lately. `rebased`: how often it began, or began anew, at a keyframe (E132)."""

    row: GraphRow
    rebased: int


async def seen(store: Store, graph_ids: Sequence[str], deadline: Deadline) -> dict[str, Seen]:
    """Those of these graphs that are there, by id."""
    records = await store.read("live/news", deadline, ids=list(graph_ids))
    return {record["graph"]["id"]: Seen(row_of(record), record["rebased"] or 0) for record in records if there(record)}


def there(record: Record | None) -> Record | None:
    """The record, if the graph that it tells of is there: where one goes while it is read, Neo4j gives null for all that it had."""
    return None if record is None or record["at"] is None else record


def row_of(record: Record) -> GraphRow:
    """The row in a record that has what `graph/one` gives."""
    values: dict[str, Any] = record["graph"]
    standing, ends = Standing(*record["at"]), record["ends"]
    first, last = _mark(standing.floor, ends[:5]), _mark(standing.head, ends[5:])
    return GraphRow(**values, standing=standing, first=first, last=last)


def _mark(place: int, end: list[str]) -> EventMark | None:
    if not end or int(end[0]) != place:
        return None
    _, own_id, ts, time_ms, nodes = end
    return EventMark(own_id, ts, int(time_ms), int(nodes))
