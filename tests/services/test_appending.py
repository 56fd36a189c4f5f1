"""Taking in events: whole or not at all, once each, one writer per graph at a time, whatever dies when."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

import orjson
import pytest
from neo4j import Record

from app.domain.problems import DeadlineExceeded, Forbidden, NotFound, StoreUnavailable
from app.services import appending as service
from app.services.appending import Appends, Invalid
from app.services.projectors import Projectors
from app.services.retention import Retention
from app.services.viewer import ALL_SCOPES, Viewer
from app.store import graphs, pieces
from app.store.connection import Ahead, Store, Transaction
from app.store.deadline import Deadline
from app.store.intervals import STEP
from tests.grown import CLOCK_MS, event, soon
from tests.store.contents import check, contents, expected, new_graph
from tests.timing import TRIES, longest_allowed, loop_steps

T = TypeVar("T")
VIEWER = Viewer(account="acc", scopes=ALL_SCOPES, key_id="key")

FIRST = [
    event(1, "session.started", "lead", 0, title="Lead"),
    event(2, "spawn.requested", "lead", 10, call_id="c1", purpose="Read"),
    event(3, "agent.spawned", "lead/one", 20, call_id="c1", purpose="Read"),
]
SECOND = [
    event(4, "wait.started", "lead/one", 50, wait_id="w1", on="acme:other"),
    event(5, "tasks.updated", "lead", 60, items=[{"id": "1", "text": "Step", "status": "pending"}]),
    event(6, "session.started", "other", 70),
    event(7, "tasks.updated", "lead", 80, items=[]),
    event(8, "wait.ended", "lead/one", 90, wait_id="w1"),
    event(9, "session.ended", "lead", 100),
]
THIRD = [event(10, "activity", "other", 200, tool="Bash")]


@dataclass
class Process:
    """The append service of one process."""

    appends: Appends
    projectors: Projectors
    retention: Retention
    graph_id: str

    async def append(self, events: list[Any], deadline: Deadline | None = None) -> service.Appended:
        lines = [event if isinstance(event, bytes) else orjson.dumps(event) for event in events]
        return await self.appends.append(VIEWER, self.graph_id, lines, deadline or soon())


def process(store: Any, graph_id: str, most_nodes: int = 10_000) -> Process:
    """A process that has just started."""
    projectors = Projectors(store, most_nodes)
    retention = Retention(store, projectors, 0)
    return Process(Appends(store, projectors, lambda: CLOCK_MS, retention), projectors, retention, graph_id)


class Dying:
    """A store whose process is cut off at its n-th writing transaction: before it, or after its commit, whose answer is lost."""

    def __init__(self, store: Store, lives: int, *, commits: bool) -> None:
        self._store, self._lives, self._commits = store, lives, commits

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def write(self, work: Callable[[Transaction], Awaitable[T]], deadline: Deadline) -> T:
        return await self._cut(lambda: self._store.write(work, deadline))

    async def change(self, name: str, accept: Callable[[Record | None], T], deadline: Deadline, **params: Any) -> T:
        return await self._cut(lambda: self._store.change(name, accept, deadline, **params))

    async def change_ahead(
        self, name: str, accept: Callable[[Record | None], T], ahead: Ahead, deadline: Deadline, **params: Any
    ) -> tuple[T, bool]:
        """Two transactions: it may be cut off before the second is committed."""

        async def cut(tx: Transaction, committed: Awaitable[bool]) -> bool:
            return not await ahead(tx, committed)

        which = cut if self._lives == 1 or (self._lives == 2 and not self._commits) else ahead
        done = await self._cut(lambda: self._store.change_ahead(name, accept, which, deadline, **params))

        async def second() -> tuple[T, bool]:
            return done

        return await self._cut(second)

    async def _cut(self, transaction: Callable[[], Awaitable[T]]) -> T:
        self._lives -= 1
        if self._lives < 0 or (self._lives == 0 and not self._commits):
            raise StoreUnavailable
        done = await transaction()
        if self._lives == 0:
            raise StoreUnavailable
        return done


@pytest.fixture
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 6)
    monkeypatch.setattr(service, "PATIENCE", 0.05)


async def test_events_are_taken_in_and_told_apart(store: Store) -> None:
    """Q19, E2, E9, E131: new ones count, repeats and unusable ones are told, keyframe lines and blank lines count as nothing."""
    one = process(store, await new_graph(store))
    keyframe = {**event(0, "keyframe", "x", 0), "node": "agent-graph:keyframe"}
    lines = [b"{", FIRST[0], b"  ", FIRST[0], keyframe, FIRST[2], FIRST[1], {"v": 1}, b'{"v":1}\r\n']
    done = await one.append(lines)
    assert (done.accepted, done.duplicates) == (3, 1)
    assert [found.index for found in done.invalid] == [0, 7, 8]
    assert done.invalid[1] == Invalid(7, "id must be a string")
    assert await contents(store, one.graph_id) == expected(one.graph_id, [FIRST])
    objects = await one.appends.append(VIEWER, one.graph_id, [*FIRST, SECOND[0], "text", {**SECOND[1], "trace": 2**70}], soon())
    assert (objects.accepted, objects.duplicates, [found.index for found in objects.invalid]) == (1, 3, [4, 5])
    last = objects.moment
    assert (last.seq, last.event, last.revision, last.time_ns) == (4 * STEP, "00000004", 0, CLOCK_MS // 1000 * 10**9)


async def test_a_call_of_nothing_new_writes_nothing(store: Store) -> None:
    """E9: sending again is always safe; also for a process that has never seen the graph, and for no events at all."""
    one = process(store, await new_graph(store))
    nothing = await one.append([])
    assert (nothing.accepted, nothing.moment.seq, nothing.moment.event) == (0, 0, None)
    first = await one.append(FIRST)
    before = await contents(store, one.graph_id), await graphs.one(store, one.graph_id, soon())
    for who in (one, process(store, one.graph_id)):
        again = await who.append(FIRST)
        assert (again.accepted, again.duplicates, again.moment) == (0, 3, first.moment)
    assert (await contents(store, one.graph_id), await graphs.one(store, one.graph_id, soon())) == before


async def test_only_who_may_write_a_graph_does(store: Store) -> None:
    """R10, Q41, O17: another account's graph and one that is not there are the same; one outside a restricted key's list is an own one."""
    graph_id = await new_graph(store)
    appends = process(store, graph_id).appends
    with pytest.raises(Forbidden):
        await appends.append(Viewer("acc", frozenset({"read"})), graph_id, FIRST, soon())
    restricted = frozenset({"gph_x"})
    for viewer, name, refusal in (
        (Viewer("other", ALL_SCOPES), graph_id, NotFound),
        (Viewer("other", ALL_SCOPES, graph_ids=restricted), graph_id, NotFound),
        (Viewer("acc", ALL_SCOPES, graph_ids=restricted), graph_id, Forbidden),
        (VIEWER, "gph_000000000000", NotFound),
    ):
        with pytest.raises(refusal):
            await appends.append(viewer, name, FIRST, soon())
    assert not (await contents(store, graph_id))["Event"]


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("commits", [False, True], ids=["before a commit", "after a commit"])
async def test_whatever_dies_the_next_writer_puts_in_order(store: Store, commits: bool) -> None:
    """Design, section 4: cut off at any of its transactions, an append is there wholly or not at all, and sending it again completes it."""
    for lives in range(1, 100):
        graph_id = await new_graph(store)
        await process(store, graph_id).append(FIRST)
        dying = process(Dying(store, lives, commits=commits), graph_id)
        try:
            await dying.append(SECOND)
        except StoreUnavailable:
            assert graph_id not in dying.projectors._held  # it would be ahead of the store
        else:
            break
        standing = (await graphs.standing(store, graph_id, soon()) or ("", None))[1]
        assert standing is not None
        there = standing.written > 3 * STEP
        assert standing.head == (3 if standing.head == 3 * STEP else 9) * STEP
        if lives % 2:  # somebody else's events come first
            third = await process(store, graph_id).append(THIRD)
            assert third.accepted == 1
            calls = [FIRST, SECOND, THIRD] if there else [FIRST, THIRD]
        else:
            again = await process(store, graph_id).append(SECOND)
            assert (again.accepted, again.duplicates) == ((0, 6) if there else (6, 0))
            calls = [FIRST, SECOND]
        assert await contents(store, graph_id) == expected(graph_id, calls)
        graph = await graphs.one(store, graph_id, soon())
        assert graph is not None
        held = sum(len(call) for call in calls)
        assert graph.standing == (held * STEP, STEP, 0, held, held * STEP, held * STEP, held)
    assert lives > 6


@pytest.mark.usefixtures("_small_pieces")
async def test_the_same_process_goes_on_after_a_lost_answer(store: Store) -> None:
    """A commit whose answer was lost: the projector is dropped, and the same call again finds what is there."""
    graph_id = await new_graph(store)
    one = process(Dying(store, 4, commits=True), graph_id)
    with pytest.raises(StoreUnavailable):
        await one.append([*FIRST, *SECOND])
    one.appends._store = one.projectors._store = store
    again = await one.append([*FIRST, *SECOND, *THIRD])
    assert again.accepted + again.duplicates == 10
    assert (again.moment.seq, again.moment.event) == (10 * STEP, "00000010")
    events = (await contents(store, graph_id))["Event"]
    assert sorted(row["id"] for row in events) == [f"{n:08d}" for n in range(1, 11)]


async def test_eight_writers_of_one_process_take_turns(store: Store) -> None:
    """One writer per graph at a time: nothing is lost, nothing is there twice, in whatever order they come."""
    one = process(store, await new_graph(store))
    numbers = iter(range(1, 10_000))
    calls: list[list[dict[str, Any]]] = []

    async def writer(name: int) -> None:
        for _ in range(5):
            calls.append([event(next(numbers), "activity", f"a{name}", 10, tool="x") for _ in range(3)])
            assert (await one.append(calls[-1])).accepted == 3

    await asyncio.gather(*(writer(name) for name in range(8)))
    assert await contents(store, one.graph_id) == expected(one.graph_id, calls)


@pytest.mark.usefixtures("_small_pieces")
async def test_two_processes_may_write_one_graph(store: Store) -> None:
    """Every transaction takes the graph's lock and looks: a projector that is behind is caught up, and a call is taken in once."""
    graph_id = await new_graph(store)
    numbers = iter(range(1, 10_000))
    taken: list[dict[str, Any]] = []

    async def writer(one: Process, name: int) -> None:
        for _ in range(6):
            sent = [event(next(numbers), "status", f"a{name}", 10, state="working", summary=str(k)) for k in range(4)]
            assert (await one.append(sent)).accepted == 4
            taken.extend(sent)

    two = process(store, graph_id), process(store, graph_id)
    await asyncio.gather(*(writer(two[name % 2], name) for name in range(4)))
    await check(store, graph_id, taken)


async def test_a_long_ref_is_a_ref(store: Store) -> None:
    """Refs of 20 kB are stored, linked and found again: every key is a hash."""
    one = process(store, await new_graph(store))
    long = "x" * 20_000
    sent = [
        event(1, "session.started", long, 0),
        event(2, "agent.spawned", f"{long}/é", 10),
        event(3, "wait.started", "short", 20, wait_id="w", on=f"acme:{long}"),
    ]
    await one.append(sent)
    found = await contents(store, one.graph_id)
    assert found == expected(one.graph_id, [sent])
    assert {len(row["ref"]) for row in found["Node"]} == {20_005, 20_007, 10}
    assert (len(found["PARENT_OF"]), len(found["WAITS_ON"])) == (1, 1)


async def test_parts_have_the_places_in_which_they_were_added(store: Store) -> None:
    """E125: lists are in the order of adding, which positions keep, also over removals and repeated ids."""
    one = process(store, await new_graph(store))
    sent = [event(n, "message.sent", "a", n, message_id=f"m{n % 3}", to="acme:b", body=str(n)) for n in range(1, 10)]
    sent += [event(10 + n, "task.upserted", "a", 20 + n, id=str(9 - n), text=str(n), status="pending") for n in range(5)]
    sent += [event(20, "task.deleted", "a", 40, id="8"), event(21, "task.upserted", "a", 50, id="8", text="last", status="pending")]
    for call in (sent[:4], sent[4:12], sent[12:]):
        await one.append(call)
    found = await contents(store, one.graph_id)
    tasks = sorted(found["Task"], key=lambda row: row["position"])
    assert [row["text"] for row in tasks] == ["0", "2", "3", "4", "last"]
    messages = sorted((row for row in found["Message"] if row["ref"] == "acme:a"), key=lambda row: row["position"])
    kept = [row["body"] for row in messages]
    assert kept == sorted(kept)
    assert found == expected(one.graph_id, [sent[:4], sent[4:12], sent[12:]])


async def test_times_far_in_the_future_are_taken_in(store: Store) -> None:
    """E11 reads times up to the year 9999, which do not fit the store's integers in nanoseconds."""
    one = process(store, await new_graph(store))
    sent = [{**event(1, "status", "a", 0, state="working"), "ts": "9999-12-31T23:59:59.999999999Z"}]
    await one.append(sent)
    found = await contents(store, one.graph_id)
    assert found == expected(one.graph_id, [sent])
    assert int(found["Event"][0]["time_ns"]) == 253_402_300_799_999_999_999


async def test_projectors_are_a_bounded_cache(store: Store) -> None:
    """What was least used goes first; one that is larger than all the room is not kept; a projector that went is made again."""
    ids = [await new_graph(store) for _ in range(3)]
    one = process(store, ids[0], most_nodes=3)
    for graph_id, count in zip(ids, (2, 1, 2), strict=True):
        one.graph_id = graph_id
        await one.append([event(n, "activity", f"a{n}", n, tool="x") for n in range(1, count + 1)])
    assert [graph_id in one.projectors._held for graph_id in ids] == [False, True, True]
    one.graph_id = ids[0]
    more = [event(n, "activity", f"a{n}", n, tool="x") for n in range(3, 6)]
    assert (await one.append(more)).accepted == 3
    assert ids[0] not in one.projectors._held
    last = [event(n, "activity", f"a{n}", n, tool="x") for n in range(6, 8)]
    assert (await one.append(last)).accepted == 2  # also where it never fits
    first = [event(n, "activity", f"a{n}", n, tool="x") for n in range(1, 3)]
    assert await contents(store, ids[0]) == expected(ids[0], [first, more, last])


async def test_waiting_for_a_turn_ends_with_the_deadline(store: Store) -> None:
    """O25: one deadline covers the whole unit of work, waiting for other writers too."""
    one = process(store, await new_graph(store))
    async with one.appends._turn(one.graph_id, soon()):
        with pytest.raises(DeadlineExceeded):
            await one.append(FIRST, Deadline.after(0.05))
    assert (await one.append(FIRST)).accepted == 3


@pytest.mark.alone
async def test_a_large_append_leaves_the_loop_to_others(store: Store) -> None:
    """Issue 3: no slice of work holds the event loop over 20 ms, an append of 10,000 events included, nor folding them again.

    What else the machine does only adds to what is measured: the best of three counts, each into a graph of its own.
    """
    random = Random(7)
    sent = []
    for n in range(10_000):
        name = f"s{random.randrange(20)}"
        if n % 20 == 0:
            sent.append(event(n, "agent.spawned", f"{name}/a{n}", n, purpose="Read the docs"))
        elif n % 3:
            sent.append(event(n, "activity", name, n, tool="Bash", label="ls"))
        else:
            sent.append(event(n, "status", name, n, state="working", summary=f"Reading {n}", title="Task"))
    lines = [orjson.dumps(one) for one in sent]
    held: list[tuple[float, float]] = []
    while len(held) < TRIES and all(longest >= allowed for longest, allowed in held):
        one = process(store, await new_graph(store))
        with loop_steps() as steps:
            await asyncio.sleep(0)  # what begins now is a step of its own
            done = await one.append(lines)
            again = process(store, one.graph_id)
            assert (await again.append(lines[:1])).duplicates == 1
        assert (done.accepted, done.moment.seq) == (10_000, 10_000 * STEP)
        held.append((max(steps), longest_allowed()))
    assert any(longest < allowed for longest, allowed in held), held
