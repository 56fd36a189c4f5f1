"""The staged append: *adds* (events, states that ended), *places* (current rows, edges), *head*.

A commit is not one moment for a reader, so each stage is acknowledged before the next begins: whoever sees anything of *places* finds the
ended states of *adds*, and nobody sees the new head before all of it is there.

A stage is a run of pieces, each a transaction of its own that takes the graph's lock, looks whether the graph still stands where this
writer left it, and writes at most `PIECE` rows: neither the event loop nor other writers wait for long, however large the append. The
first piece of *places* is written beside the last one of *adds*, and committed after it: storing a commit for good takes the disk as long
as many rows take the store. A writer may die between any two pieces. Until the last piece of *adds*, which moves `written`, `adding` says
that rows above `written` are leftovers, and `clear` takes them away. From then on the append is there: whoever comes next folds the same
events again and writes *places* once more, as a whole (`again`), then the head. `writer` names whose turn it is; a writer whose turn was
taken gets `Stale` at its next piece.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple

from neo4j import Record
from neo4j.exceptions import ConstraintError

from app.domain.history import Batch
from app.store import records
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.graphs import Standing, there
from app.store.intervals import BASE, BUCKET_BITS, STEP
from app.store.keys import event_key
from app.store.pieces import ADDS, COUNTED, PLACES, Piece, Pieces, added, placed

_KEYS_AT_ONCE = 1_000
_READ_BUCKETS = 16
_CLEARED_BUCKETS = 4
"""At STEP apart a bucket holds 64 events; each may have ended many states."""


class Stale(Exception):  # noqa: N818 - no fault: the writer has to look again
    """The graph stands elsewhere than this writer thought, or it is another writer's turn. The piece at hand has written nothing."""


class Overtaken(Stale):
    """Another writer has taken the turn, but after the first stage: the append is there, or will be as soon as that one has finished it."""


class Look(NamedTuple):
    """What a writer sees before it begins. `known`: places of those of its events that are there already, by id (0: not any more).

    `adding` is above 0 while a first stage is under way (or was left so), and below while a new generation of that number is written (or
    was left so); `writer` names the writer of the last piece, `pieces` counts them all.
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
    """Where a writer stands: everything that must still hold when its next piece takes the graph's lock.

    `keep`: how many events the graph keeps by its own row, as its last stage found it (None: the server's setting).
    """

    graph_id: str
    g: str
    standing: Standing
    writer: str
    keep: int | None = field(default=None, compare=False)

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
        record = there(await store.one("append/look", deadline, id=graph_id, keys=list(by_key)))
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


async def write(store: Store, ground: Ground, batch: Batch, heard: int, deadline: Deadline) -> Ground:
    """All three stages; `heard`: Unix ms at which the producer was heard.

    Raises: Stale; Overtaken where the append will be there all the same.
    """
    done = _added(ground, batch)
    async with Pieces(placed(ground.g, batch), PLACES) as pieces:
        places = _Places(done, pieces)
        await adds(store, ground, batch, deadline, places)
        try:
            return await head(store, await places.written(store, deadline), heard, deadline)
        except Stale as error:
            raise Overtaken from error


async def adds(store: Store, ground: Ground, batch: Batch, deadline: Deadline, then: _Places | None = None) -> Ground:
    """First stage; beside its end `then` may begin. Raises: Stale; what earlier pieces wrote the next writer takes away."""
    standing, done = ground.standing, _added(ground, batch)
    coming = [text for recorded in (batch.events[0], batch.events[-1]) for text in records.end(recorded)]
    adding, first = 0, True
    async with Pieces(added(ground.g, batch, count(standing.arrival + 1)), ADDS) as pieces:
        async for rows, last in pieces:
            to_adding = 0 if last else done.standing.written
            to_at = list(done.standing if last else standing)
            stage = {
                "taking": first, "adding": adding, "to_adding": to_adding, "to_at": to_at, "pending": len(batch.events), "coming": coming,
                "rows": rows,
            }  # fmt: skip
            if last and then is not None:
                following = Following("append/applied", done, then.first)
                then.begun(await guarded_ahead(store, "append/adds", ground, stage, following, deadline))
            else:
                await guarded(store, "append/adds", ground, stage, deadline)
            adding, first = to_adding, False
    return done


def _added(ground: Ground, batch: Batch) -> Ground:
    return ground.at(written=batch.events[-1].seq, arrival=ground.standing.arrival + len(batch.events))


async def places(store: Store, ground: Ground, batch: Batch, deadline: Deadline, *, again: bool = False) -> Ground:
    """Second stage. `again`: a writer that died may have written any part of it. Raises: Stale."""
    async with Pieces(placed(ground.g, batch), PLACES) as pieces:
        return await _Places(ground, pieces, again=again).written(store, deadline)


class _Places:
    """A second stage, piece by piece. `ground`: where the graph stands before it; `again`: as in `places`."""

    def __init__(self, ground: Ground, pieces: Pieces, *, again: bool = False) -> None:
        self._ground = ground
        self._pieces = aiter(pieces)
        self._again = again
        self._taking = again
        self._tried: tuple[Piece, bool] | None = None

    async def first(self, tx: Transaction) -> dict[str, Any]:
        """Writes the first piece; gives what is to be said of the graph then."""
        self._tried = rows, last = await anext(self._pieces)
        await put_current(tx, rows)
        return self._stage(last)

    def begun(self, there: bool) -> None:
        """`there`: whether the first piece is."""
        if there:
            self._tried = None

    async def written(self, store: Store, deadline: Deadline) -> Ground:
        """Writes all that is not there yet. Raises: Stale."""
        if self._tried is not None:
            await self._write(store, *self._tried, deadline)
        async for rows, last in self._pieces:
            await self._write(store, rows, last, deadline)
        return self._done

    async def _write(self, store: Store, rows: Piece, last: bool, deadline: Deadline) -> None:
        async def put(tx: Transaction, _: Record) -> None:
            await put_current(tx, rows, again=self._again)

        await guarded_with(store, "append/applied", self._ground, self._stage(last), deadline, put)
        self._taking = False

    def _stage(self, last: bool) -> dict[str, Any]:
        return {"taking": self._taking, "to_at": list((self._done if last else self._ground).standing)}

    @property
    def _done(self) -> Ground:
        return self._ground.at(applied=self._ground.standing.written)


async def put_current(tx: Transaction, rows: Piece, *, again: bool = False) -> None:
    """Writes current rows and edges. `again`: some of them may be there already."""
    if again:
        await tx.run("append/unmake_edges", rows=rows)
    counts = await tx.one("append/current", rows=rows)
    assert counts is not None
    for name in COUNTED:
        if counts[name] != len(rows[name]) and not (again and name == "gone_tasks"):
            raise RuntimeError(f"{name}: {counts[name]} of {len(rows[name])} rows")


async def head(store: Store, ground: Ground, heard: int | None, deadline: Deadline, *, first: bool = False) -> Ground:
    """Third stage: readers see it. `heard`: Unix ms at which the producer was heard; `first`: the turn was another's. Raises: Stale."""
    standing = ground.standing
    floor = standing.floor or (STEP if standing.applied > BASE else 0)
    stage = {"taking": first, "head": standing.applied, "floor": floor, "heard": heard}
    record = await guarded(store, "append/head", ground, stage, deadline)
    return replace(ground, standing=Standing(*record["at"]), keep=record["keep"])


async def clear(store: Store, ground: Ground, adding: int, deadline: Deadline) -> None:
    """Takes away what a first stage left that was never completed. Raises: Stale."""
    after = ground.standing.written
    # The turn is taken first: nobody lays down more behind our back.
    await guarded(store, "append/clear", ground, {"taking": True, "adding": adding, "to_adding": adding, "seqs": []}, deadline)
    for buckets, last in _windows(after, adding, _CLEARED_BUCKETS):
        record = await store.one("append/leftover", deadline, g=ground.g, buckets=buckets, after=after)
        seqs = [] if record is None else record["seqs"]
        stage = {"taking": False, "adding": adding, "to_adding": 0 if last else adding, "seqs": seqs}
        await guarded(store, "append/clear", ground, stage, deadline)


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


async def guarded(store: Store, name: str, ground: Ground, stage: dict[str, Any], deadline: Deadline) -> Record:
    """A statement that answers only where the graph stands at `ground`, in a transaction of its own: its record.

    `stage`: what it takes beside that. Raises: Stale, with nothing written.
    """
    with _overtaken_is_stale():
        return await store.change(name, _stands, deadline, **_params(ground, stage))


async def guarded_with(
    store: Store, name: str, ground: Ground, stage: dict[str, Any], deadline: Deadline,
    then: Callable[[Transaction, Record], Awaitable[object]],
) -> None:  # fmt: skip
    """The same with more in its transaction: `then` is done after it."""

    async def work(tx: Transaction) -> None:
        await then(tx, _stands(await tx.one(name, **_params(ground, stage))))

    with _overtaken_is_stale():
        await store.write(work, deadline)


class Following(NamedTuple):
    """A transaction that follows another: `rows` writes all of it, and gives what `name` takes beside `ground`, which is run last."""

    name: str
    ground: Ground
    rows: Callable[[Transaction], Awaitable[dict[str, Any]]]


async def guarded_ahead(store: Store, name: str, ground: Ground, stage: dict[str, Any], following: Following, deadline: Deadline) -> bool:
    """`guarded`, and beside it another transaction, committed after it: whether that was done too. Raises: Stale, with nothing written.

    No reader finds a row of the second before the first is there.
    """

    async def ahead(tx: Transaction, committed: Awaitable[bool]) -> bool:
        last = await following.rows(tx)
        return await committed and await tx.one(following.name, **_params(following.ground, last)) is not None

    with _overtaken_is_stale():
        _, there = await store.change_ahead(name, _stands, ahead, deadline, **_params(ground, stage))
    return there


def _stands(record: Record | None) -> Record:
    if record is None:
        raise Stale
    return record


def _params(ground: Ground, stage: dict[str, Any]) -> dict[str, Any]:
    return {"id": ground.graph_id, "g": ground.g, "at": list(ground.standing), "writer": ground.writer} | stage


@contextmanager
def _overtaken_is_stale() -> Iterator[None]:
    try:
        yield
    except ConstraintError as error:  # an event came that was not there when we looked
        raise Stale from error
