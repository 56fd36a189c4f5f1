"""The staged append: what each stage writes, in pieces, under the graph's lock."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from app.domain.envelope import parse_object
from app.domain.history import Batch
from app.domain.projector import Projector
from app.store import appending, graphs, pieces
from app.store.appending import Ground, Stale
from app.store.connection import Store
from app.store.graphs import Standing
from app.store.intervals import OPEN, STEP
from app.store.keys import event_key, node_key
from tests.grown import event, soon
from tests.store.contents import contents, expected, folded, new_graph, raw

FIRST = [
    event(1, "session.started", "lead", 0, title="Lead"),
    event(2, "tasks.updated", "lead", 10, items=[{"id": str(n), "text": f"Step {n}", "status": "pending"} for n in range(3)]),
    event(3, "spawn.requested", "lead", 20, call_id="c1", purpose="Read"),
    event(4, "agent.spawned", "lead/one", 30, call_id="c1", purpose="Read"),
    event(5, "message.sent", "lead", 40, message_id="m1", to="acme:lead/one", body="Hello"),
]
SECOND = [
    event(6, "wait.started", "lead/one", 50, wait_id="w1", on="acme:other"),
    event(7, "session.started", "other", 60),
    event(8, "tasks.updated", "lead", 70, items=[{"id": "0", "text": "Step 0", "status": "completed"}]),
    event(9, "activity", "lead/two", 80, parent="lead", tool="Bash"),
    event(10, "activity", "lead/two", 90, parent="lead/one", tool="Bash"),
    event(11, "wait.ended", "lead/one", 100, wait_id="w1"),
    event(12, "wait.started", "other", 110, wait_id="w1", on="acme:lead"),
    event(13, "wait.ended", "other", 115, wait_id="w1"),
    event(14, "session.ended", "lead", 120),
]


class Writer:
    """A writer with its projector, which does the stages one by one."""

    def __init__(self, store: Store, graph_id: str, name: str = "one") -> None:
        self.store, self.graph_id, self.name = store, graph_id, name
        self.projector = Projector()

    def fold(self, events: list[dict[str, Any]]) -> Batch:
        return folded(self.projector, [parse_object(event) for event in events])

    async def ground(self) -> Ground:
        found = await graphs.standing(self.store, self.graph_id, soon())
        assert found is not None
        return Ground(self.graph_id, *found, self.name)

    async def append(self, events: list[dict[str, Any]]) -> Ground:
        return await appending.write(self.store, await self.ground(), self.fold(events), 5, soon())


@pytest.fixture(params=[500, 3], ids=["whole", "in pieces"])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Rows of a piece: an append at once, and one cut into many."""
    monkeypatch.setattr(pieces, "PIECE", request.param)
    size: int = request.param
    return size


async def test_an_append_writes_just_what_it_changed(store: Store, piece: int) -> None:
    """Design, section 4: events, ended states once, current rows, edges with their spans; nothing else, nothing twice."""
    writer = Writer(store, await new_graph(store))
    await writer.append(FIRST)
    assert await contents(store, writer.graph_id) == expected(writer.graph_id, [FIRST])
    await writer.append(SECOND)
    found = await contents(store, writer.graph_id)
    assert found == expected(writer.graph_id, [FIRST, SECOND])
    assert [row["until"] == OPEN for row in found["PARENT_OF"]].count(False) == 1  # lead/two has moved
    assert found["WAITS_ON"]
    assert all(row["until"] < OPEN for row in found["WAITS_ON"])
    assert len(found["Task"]) == 1


async def test_readers_see_a_stage_only_after_the_one_before(store: Store, piece: int) -> None:
    """LATE 4: *adds* changes nothing that was there; whoever sees anything of *places* finds the past row; the head moves last."""
    writer = Writer(store, await new_graph(store))
    ground = await writer.append(FIRST)
    before = await contents(store, writer.graph_id)
    batch = writer.fold(SECOND)
    h0, h1 = ground.standing.head, batch.events[-1].seq

    ground = await appending.adds(store, ground, batch, soon())
    after_adds = await contents(store, writer.graph_id)
    for label in ("Node", "Task", "Spawn", "Wait", "Message", "PARENT_OF", "WAITS_ON"):
        assert after_adds[label] == before[label]
    assert ground.standing == Standing(h0, STEP, 0, 14, written=h1, applied=h0, held=5)
    assert ground == await writer.ground()

    ground = await appending.places(store, ground, batch, soon())
    now = await contents(store, writer.graph_id)
    newer = [row for row in now["Node"] if row["since"] > h0 and row["key"] in {old["key"] for old in before["Node"]}]
    assert newer
    for row in newer:
        past = [old for old in now["NodeVersion"] if old["of"] == row["key"] and old["since"] <= h0 < old["until"]]
        was = next(old for old in before["Node"] if old["key"] == row["key"])
        was = {name: value for name, value in was.items() if not name.startswith("rho")}  # such names find what is now
        assert [{**was, **{name: old[name] for name in ("of", "key", "until", "right", "left")}} for old in past] == past
    assert (ground.standing.head, ground.standing.applied) == (h0, h1)

    ground = await appending.head(store, ground, 77, soon())
    assert ground.standing == Standing(h1, STEP, 0, 14, h1, h1, held=14)
    graph = await graphs.one(store, writer.graph_id, soon())
    assert graph is not None
    assert (graph.standing, graph.heard) == (ground.standing, 77)


async def test_a_writer_that_thinks_wrong_of_the_graph_writes_nothing(store: Store, piece: int) -> None:
    """One writer at a time: every piece looks, under the lock, whether the graph stands where the writer left it."""
    graph_id = await new_graph(store)
    early, other = Writer(store, graph_id), Writer(store, graph_id, "two")
    thought = await early.ground()
    await other.append(FIRST)
    before = await contents(store, graph_id)
    with pytest.raises(Stale):
        await appending.write(store, thought, early.fold(SECOND), 5, soon())
    assert await contents(store, graph_id) == before


async def test_a_writer_whose_turn_was_taken_stops(store: Store) -> None:
    """A slow writer's next stage finds that it is another's turn, and that the append will be there all the same."""
    graph_id = await new_graph(store)
    slow, quick = Writer(store, graph_id, "slow"), Writer(store, graph_id, "quick")
    batch = slow.fold(FIRST)
    ground = await appending.adds(store, await slow.ground(), batch, soon())
    taken = await appending.places(store, await quick.ground(), quick.fold(FIRST), soon(), again=True)
    with pytest.raises(Stale):
        await appending.places(store, ground, batch, soon())
    await appending.head(store, taken, None, soon())
    assert await contents(store, graph_id) == expected(graph_id, [FIRST])


async def test_half_a_first_stage_is_taken_away(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a writer left that died before `written` moved is cleared, and its events can come again."""
    monkeypatch.setattr(pieces, "PIECE", 4)
    graph_id = await new_graph(store)
    dead, next_one = Writer(store, graph_id, "dead"), Writer(store, graph_id, "next")
    await dead.append(FIRST)
    next_one.fold(FIRST)
    before = await contents(store, graph_id)

    writes = 0

    async def three_pieces(*args: Any, **more: Any) -> Any:
        nonlocal writes
        writes += 1
        if writes > 3:
            raise KeyboardInterrupt
        return await whole(*args, **more)

    whole = appending.guarded
    with monkeypatch.context() as dying:
        dying.setattr(appending, "guarded", three_pieces)
        with pytest.raises(KeyboardInterrupt):
            await dead.append(SECOND)
    assert len((await contents(store, graph_id))["Event"]) > len(before["Event"])

    look = await appending.look(store, graph_id, None, [], soon())
    assert look is not None
    assert not look.settled
    with pytest.raises(Stale):
        await next_one.append([event(15, "activity", "lead", 300, tool="x")])
    await appending.clear(store, await next_one.ground(), look.adding, soon())
    assert await contents(store, graph_id) == before

    next_one.projector = Projector()
    next_one.fold(FIRST)
    await next_one.append(SECOND)
    assert await contents(store, graph_id) == expected(graph_id, [FIRST, SECOND])


async def test_an_edge_without_its_end_fails_the_whole_piece(store: Store) -> None:
    """An edge whose end does not exist would drop its row without a word: the counts are compared before the commit."""
    writer = Writer(store, await new_graph(store))
    await writer.append(FIRST)
    batch = writer.fold(SECOND)
    ground = await appending.adds(store, await writer.ground(), batch, soon())
    await raw(store, "MATCH (n:Node {key: $key}) DETACH DELETE n", key=node_key(ground.g, "acme:lead/one"))
    batch.after = {cell: state for cell, state in batch.after.items() if cell.ref != "acme:lead/one"}
    before = await contents(store, writer.graph_id)
    with pytest.raises(RuntimeError, match=r"(parent|waits)_.*: 0 of 1"):
        await appending.places(store, ground, batch, soon())
    assert await contents(store, writer.graph_id) == before
    assert (await writer.ground()).standing == ground.standing


async def test_a_look_tells_which_events_are_there(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """E9: events are told apart by id, however many are asked for."""
    monkeypatch.setattr(appending, "_KEYS_AT_ONCE", 2)
    writer = Writer(store, await new_graph(store))
    ground = await writer.append(FIRST)
    look = await appending.look(store, writer.graph_id, ground.g, ["00000001", "x", "00000003", "00000005", "y"], soon())
    assert look is not None
    assert look.known == {"00000001": STEP, "00000003": 3 * STEP, "00000005": 5 * STEP}
    assert (look.account, look.standing, look.settled) == ("acc", ground.standing, True)
    assert await appending.look(store, "gph_000000000000", ground.g, ["00000001"], soon()) is None


async def test_events_come_back_page_by_page_in_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A projector is made again from the events as they were sent."""
    monkeypatch.setattr(appending, "_READ_BUCKETS", 1)
    writer = Writer(store, await new_graph(store))
    events = [event(n, "activity", "a", n, tool="é") for n in range(1, 201)]
    ground = await writer.append(events)
    pages = [page async for page in appending.events_after(store, ground.g, 10 * STEP, 150 * STEP, soon())]
    assert len(pages) == 3
    assert [seq for page in pages for seq, _ in page] == [n * STEP for n in range(11, 151)]
    assert [line for page in pages for _, line in page] == [parse_object(sent).line.decode() for sent in events[10:150]]
    rows = await raw(store, "MATCH (e:Event {key: $key}) RETURN e.arrival AS arrival", key=event_key(ground.g, "00000150"))
    assert rows[0]["arrival"] == 150


async def test_long_rows_make_small_pieces(store: Store) -> None:
    """A statement's size is bounded in characters too, so that no packing of it holds the loop for long."""
    events = [event(n, "message.sent", "a", n, message_id=f"m{n}", to="b", body="x" * 200_000) for n in range(1, 21)]
    batch = folded(Projector(), [parse_object(event) for event in events])
    async with pieces.Pieces(pieces.added("g", batch, count(1)), pieces.ADDS) as cut:
        sizes = [sum(len(row["line"]) for row in rows["events"]) async for rows, _ in cut]
    assert len(sizes) > 1
    assert max(sizes) <= pieces.PIECE * pieces.LONG + 500_000
