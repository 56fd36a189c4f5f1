"""The staged append: *adds* (events, states that ended), *places* (current rows, edges), *head*.

A commit is not one moment for a reader, so each stage is acknowledged before the next begins: whoever sees anything of *places* finds the
ended states of *adds*, and nobody sees the new head before all of it is there.

A stage is a run of pieces, each one statement in a transaction of its own that takes the graph's lock, looks whether the graph still
stands where this writer left it, and writes at most `PIECE` rows: neither the event loop nor other writers wait for long, however large the
append. A writer may die between any two pieces. Until the last piece of *adds*, which moves `written`, `adding` says that rows above
`written` are leftovers, and `clear` takes them away. From then on the append is there: whoever comes next folds the same events again and
writes *places* once more, as a whole (`again`), then the head. `writer` names whose turn it is; a writer whose turn was taken gets `Stale`
at its next piece.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from neo4j.exceptions import ConstraintError

from app.domain.history import Batch, Ended
from app.domain.rows import EdgeRow
from app.store import records
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.graphs import Standing
from app.store.intervals import BUCKET_BITS, STEP
from app.store.keys import cell_key, event_key
from app.store.pace import Pace
from app.store.records import Properties

PIECE = 1_000
"""Rows of one statement."""

_KEYS_AT_ONCE = 2_000
_READ_BUCKETS = 16
_CLEARED_BUCKETS = 4
"""At STEP apart a bucket holds 64 events; each may have ended many states."""

_LABELS = {"node": "nodes", "task": "tasks", "spawn": "spawns", "wait": "waits", "message": "messages"}
_EDGES = {"parent": ("parent_of", "parent_until"), "waits_on": ("waits_on", "waits_until")}
_ADDS = ("events", *_LABELS.values())
_COUNTED = ("gone_tasks", "parent_until", "waits_until", "parent_of", "waits_on")
_PLACES = (*_LABELS.values(), *_COUNTED)

Pieces: TypeAlias = AsyncIterator[tuple[dict[str, list[Properties]], bool]]
"""Pieces of a stage, by the statement's parameters, and whether each is the last."""


class Stale(Exception):  # noqa: N818 - no fault: the writer has to look again
    """The graph stands elsewhere than this writer thought, or it is another writer's turn. The piece at hand has written nothing."""


class Look(NamedTuple):
    """What a writer sees before it begins. `known`: places of those of its events that are there already, by id.

    `adding` is not 0 while a first stage is under way (or was left so), `writer` names the writer of the last piece,
    `pieces` counts them all.
    """

    account: str
    g: str
    standing: Standing
    adding: int
    writer: str | None
    pieces: int
    known: dict[str, int]

    @property
    def settled(self) -> bool:
        """Whether no append is under way, or was left half done."""
        return self.standing.settled and self.adding == 0


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a writer stands: everything that must still hold when its next piece takes the graph's lock."""

    graph_id: str
    g: str
    standing: Standing
    writer: str

    def at(self, **changes: int) -> Ground:
        """The same writer where the standing has these values."""
        return replace(self, standing=self.standing._replace(**changes))


async def look(store: Store, graph_id: str, g: str | None, ids: Sequence[str], deadline: Deadline) -> Look | None:
    """Where the graph stands, and which events it knows; `g` is its generation's key (None: not known, then no event is looked up).

    What `known` lacks came after `standing`, if it is there at all. None: no such graph.
    """
    looked: Look | None = None
    for start in range(0, max(len(ids), 1), _KEYS_AT_ONCE):
        by_key = {} if g is None else {event_key(g, own_id): own_id for own_id in ids[start : start + _KEYS_AT_ONCE]}
        record = await store.one("append/look", deadline, id=graph_id, keys=list(by_key))
        if record is None:
            return None
        known = {by_key[key]: seq for key, seq in record["known"]}
        if looked is None:
            looked = Look(
                record["account"], record["g"], Standing(*record["at"]), record["adding"], record["writer"], record["pieces"], known
            )  # fmt: skip
            if g is None:
                break
        else:
            looked.known.update(known)
    return looked


async def adds(store: Store, ground: Ground, batch: Batch, deadline: Deadline) -> Ground:
    """First stage. Raises: Stale; what earlier pieces wrote is then taken away by the next writer."""
    standing, upto = ground.standing, batch.events[-1].seq
    done = ground.at(written=upto, arrival=standing.arrival + len(batch.events))
    adding, first = 0, True
    async for rows, last in _pieces(_added(ground.g, batch, standing.arrival), _ADDS):
        to_adding = 0 if last else upto
        to_at = list(done.standing if last else standing)
        stage = {"first": first, "adding": adding, "to_adding": to_adding, "to_at": to_at, "pending": len(batch.events)}
        await _run(store, "append/adds", ground, stage | {"rows": rows}, deadline)
        adding, first = to_adding, False
    return done


async def places(store: Store, ground: Ground, batch: Batch, deadline: Deadline, *, again: bool = False) -> Ground:
    """Second stage. `again`: a writer that died may have written any part of it. Raises: Stale."""
    done = ground.at(applied=ground.standing.written)
    first = again
    async for rows, last in _pieces(_placed(ground.g, batch), _PLACES):
        before = "append/unmake_edges" if again and (rows["parent_of"] or rows["waits_on"]) else None
        stage = {"first": first, "to_at": list((done if last else ground).standing)}
        counts = await _run(store, "append/places", ground, stage | {"rows": rows}, deadline, before)
        for name in _COUNTED:
            if counts[name] != len(rows[name]) and not (again and name == "gone_tasks"):
                raise RuntimeError(f"{name}: {counts[name]} of {len(rows[name])} rows")
        first = False
    return done


async def head(store: Store, ground: Ground, heard: int | None, deadline: Deadline, *, first: bool = False) -> Ground:
    """Third stage: readers see it. `heard`: Unix ms at which the producer was heard; `first`: the turn was another's. Raises: Stale."""
    stage = {"first": first, "head": ground.standing.applied, "floor": ground.standing.floor or STEP, "heard": heard}
    record = await _run(store, "append/head", ground, stage, deadline)
    return replace(ground, standing=Standing(*record["at"]))


async def clear(store: Store, ground: Ground, adding: int, deadline: Deadline) -> None:
    """Takes away what a first stage left that was never completed. Raises: Stale."""
    after = ground.standing.written
    # The turn is taken first: nobody lays down more behind our back.
    await _run(store, "append/clear", ground, {"first": True, "adding": adding, "to_adding": adding, "seqs": []}, deadline)
    for buckets, last in _windows(after, adding, _CLEARED_BUCKETS):
        record = await store.one("append/leftover", deadline, g=ground.g, buckets=buckets, after=after)
        seqs = [] if record is None else record["seqs"]
        stage = {"first": False, "adding": adding, "to_adding": 0 if last else adding, "seqs": seqs}
        await _run(store, "append/clear", ground, stage, deadline)


async def events_after(store: Store, g: str, after: int, upto: int, deadline: Deadline) -> AsyncIterator[list[tuple[int, str]]]:
    """Held events in (`after`, `upto`], in order, page by page: place and line of each."""
    for buckets, _ in _windows(after, upto, _READ_BUCKETS):
        record = await store.one("append/events_after", deadline, g=g, buckets=buckets, after=after, upto=upto)
        if record is not None and record["events"]:
            yield record["events"]


def _windows(after: int, upto: int, width: int) -> Iterable[tuple[list[int], bool]]:
    first, end = after >> BUCKET_BITS, (upto >> BUCKET_BITS) + 1
    for start in range(first, end, width):
        stop = min(start + width, end)
        yield list(range(start, stop)), stop == end


async def _run(
    store: Store, name: str, ground: Ground, stage: dict[str, Any], deadline: Deadline, before: str | None = None
) -> dict[str, Any]:
    params = {"id": ground.graph_id, "g": ground.g, "at": list(ground.standing), "writer": ground.writer} | stage

    async def work(tx: Transaction) -> dict[str, Any]:
        if before is not None:
            await tx.run(before, rows=params["rows"])
        record = await tx.one(name, **params)
        if record is None:
            raise Stale
        return dict(record)

    try:
        return await store.write(work, deadline)
    except ConstraintError as error:  # an event came that was not there when we looked
        raise Stale from error


def _added(g: str, batch: Batch, arrival: int) -> Iterable[tuple[str, Properties]]:
    # Events and the states they ended go side by side: what a piece leaves behind is found by its events.
    ended = groupby(batch.ended, key=lambda over: over.until)
    until, states = next(ended, (0, iter(())))
    for number, recorded in enumerate(batch.events, arrival + 1):
        yield "events", records.event(g, recorded, number)
        if until == recorded.seq:
            for over in states:
                if over.cell.kind in _LABELS:
                    yield _LABELS[over.cell.kind], records.ended(g, over)
            until, states = next(ended, (0, iter(())))


def _placed(g: str, batch: Batch) -> Iterable[tuple[str, Properties]]:
    # Nodes first, edges last: both ends must be there.
    edges: list[tuple[str, Properties]] = []
    parts: list[tuple[str, Properties]] = []
    for cell, state in batch.after.items():
        if cell.kind in _EDGES:
            if state is not None and isinstance(state.row, EdgeRow):
                edges.append((_EDGES[cell.kind][0], records.edge(g, cell, state.since, state.row)))
        elif state is None:
            if batch.before[cell] is not None:
                assert cell.kind == "task", f"an append takes no {cell.kind} away"
                parts.append(("gone_tasks", {"key": cell_key(g, cell)}))
        elif cell.kind == "node":
            yield "nodes", records.current(g, cell, state)
        else:
            parts.append((_LABELS[cell.kind], records.current(g, cell, state)))
    yield from parts
    yield from (_closed(g, batch, over) for over in batch.ended if over.cell.kind in _EDGES)
    yield from edges


def _closed(g: str, batch: Batch, over: Ended) -> tuple[str, Properties]:
    assert isinstance(over.row, EdgeRow)
    before = batch.before[over.cell]
    made, ends = _EDGES[over.cell.kind]
    there = before is not None and before.since == over.since
    return (ends if there else made), records.edge(g, over.cell, over.since, over.row, over.until)


async def _pieces(rows: Iterable[tuple[str, Properties]], names: Sequence[str]) -> Pieces:
    pace, size = Pace(), 0
    piece: dict[str, list[Properties]] = {name: [] for name in names}
    for name, row in rows:
        if size == PIECE:
            yield piece, False
            piece, size = {name: [] for name in names}, 0
        piece[name].append(row)
        size += 1
        if pace.due:
            await pace.rest()
    yield piece, True
