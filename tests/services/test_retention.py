"""How much history a graph keeps (R67, I33, I36): the oldest events go, what they led to stays, and every held moment is as it was."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest

from app.domain.moments import AsOf
from app.domain.problems import OutsideRetentionWindow, StoreUnavailable
from app.services import appending as service
from app.services.projectors import Projectors
from app.services.retention import due
from app.store import graphs, trims
from app.store.connection import Store
from app.store.graphs import Standing
from app.store.keys import generation_key
from tests.grown import event, reader, soon
from tests.oracle import changes, read_log, state_after
from tests.oracle import keyframe_lines as lines_after
from tests.oracle.reading import Log
from tests.services.test_appending import VIEWER, Dying, process
from tests.services.test_graph_at import whole
from tests.store.contents import LABELS, generation, raw
from tests.strategies.logs import random_log

KEEP = 10


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "CHECKPOINT_EVERY", 7)
    monkeypatch.setattr(trims, "PIECE", 4)


@dataclass
class Naive:
    """What a graph holds by R67's words: a log that is read again, as a whole, whenever lines come, and cut where that says so."""

    keep: int = KEEP
    came: int = 0
    lines: list[str] = field(default_factory=list)
    log: Log = field(default_factory=Log)

    def take(self, events: list[dict[str, Any]]) -> None:
        self.came += len(events)
        self.log = read_log("\n".join([*self.lines, *(json.dumps(each) for each in events)]).encode())
        held = self.came
        if self.came // self.keep >= 2:
            held = self.came - (self.came // self.keep - 1) * self.keep
        gone = len(self.log.events) - held
        self.lines = [*lines_after(self.log, gone), *self.log.lines[gone:]]
        self.log = read_log("\n".join(self.lines).encode())


async def keeping(store: Store, keep: int | None = KEEP) -> str:
    graph_id = "gph_" + uuid4().hex[:12]
    await graphs.create(store, graph_id=graph_id, account="acc", title=None, source="watch", created=1, retention=keep, deadline=soon())
    return graph_id


async def same(store: Store, graph_id: str, naive: Naive, rng: random.Random, *, ends: bool = True) -> None:
    """The graph now, at some held event and (`ends`) its first and its last, and what these changed."""
    at = await reader(store).at(VIEWER, graph_id, None, soon())
    held = naive.log.events
    assert at.info.event_count == len(held)
    assert (at.info.first_event_id, at.info.last_event_id) == (held[0]["id"], held[-1]["id"])
    for n in {rng.randrange(len(held)) + 1, *((1, len(held)) if ends else ())}:
        at = await reader(store).at(VIEWER, graph_id, AsOf(event=held[n - 1]["id"]), soon())
        assert await whole(at) == state_after(naive.log, n), n
        found = await at.event(held[n - 1]["id"])
        assert found is not None
        if n > 1:
            wanted = [{name: value for name, value in change.items() if name != "ref"} for change in changes(naive.log, n)]
            assert json.loads(found["changes"]) == wanted, n


async def cleared(store: Store, graph_id: str) -> None:
    """Of what was dropped nothing is there any more but ids."""
    g = await generation(store, graph_id)
    row = await graphs.one(store, graph_id, soon())
    assert row is not None
    floor = row.standing.floor
    [events] = await raw(store, "MATCH (e:Event) WHERE e.g = $g RETURN count(*) AS n, min(e.seq) AS low", g=g)
    assert (events["n"], events["low"]) == (row.standing.held, floor)
    for label in LABELS.values():
        [found] = await raw(store, f"MATCH (x:{label}Version) WHERE x.g = $g AND x.until < $floor RETURN count(*) AS n", g=g, floor=floor)
        assert found["n"] == 0, label
    for edge in ("PARENT_OF", "WAITS_ON"):
        text = f"MATCH (a:Node)-[e:{edge}]->() WHERE a.g = $g AND e.until < $floor RETURN count(*) AS n"
        assert (await raw(store, text, g=g, floor=floor))[0]["n"] == 0, edge
    [kept] = await raw(store, "MATCH (c:Checkpoint) WHERE c.g = $g AND c.seq < $floor RETURN count(DISTINCT c.seq) AS n", g=g, floor=floor)
    assert kept["n"] == (1 if row.standing.arrival > row.standing.held else 0)


@pytest.mark.parametrize("most", [service.MOST_CHANGED, 4], ids=["in one transaction", "written anew"])
async def test_what_is_held_is_exact_whatever_was_dropped(
    store: Store, long: bool, share: Callable[[range], range], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R67, E12, I33: late events too, between the held ones and from before the window; in this process and in others."""
    monkeypatch.setattr(service, "MOST_CHANGED", most)
    for seed in share(range(40 if long else 2 if most > 4 else 1)):
        rng = random.Random(seed)
        log = random_log(seed, 120 if long else 80)
        for number in range(len(log) - 1):  # most come a little late, some very much so
            other = min(number + rng.choice((0, 0, 1, 3, 40)), len(log) - 1)
            log[number], log[other] = log[other], log[number]
        graph_id, naive = await keeping(store), Naive()
        many = [process(store, graph_id) for _ in range(2)]
        while log:
            one = many[rng.randrange(30) // 28]
            batch = [log.pop(0) for _ in range(min(len(log), rng.choice((1, 2, 5, 9, 25))))]
            done = await one.append(batch)
            naive.take(batch)
            assert done.accepted == len(batch)
            if rng.random() < 0.5:
                await one.retention.settled()
            await same(store, graph_id, naive, rng)
        for one in many:
            await one.retention.settled()
        await naive_restart(store, graph_id, naive, rng)
        await cleared(store, graph_id)


async def naive_restart(store: Store, graph_id: str, naive: Naive, rng: random.Random) -> None:
    """A process that has just started goes on from what is kept."""
    more = [{**each, "id": f"9{number:025}", "ts": "2029-01-01T00:00:00Z"} for number, each in enumerate(random_log(rng.randrange(99), 25))]
    one = process(store, graph_id)
    await one.append(more)
    naive.take(more)
    await one.retention.settled()
    await same(store, graph_id, naive, rng)


@pytest.mark.parametrize(("keep", "sizes"), [(0, (7, 30, 80)), (7, (13, 1, 6, 1, 90)), (1, (1, 1, 1, 5)), (100, (99, 100, 1, 99, 1))])
async def test_the_window_is_the_documented_one(store: Store, keep: int, sizes: tuple[int, ...]) -> None:
    """R67: cut only when the number ever received reaches a multiple of K; 0 keeps all."""
    log = iter(random_log(1, 400))
    one = process(store, await keeping(store, keep))
    came = 0
    for size in sizes:
        await one.append([next(log) for _ in range(size)])
        came += size
        row = await graphs.one(store, one.graph_id, soon())
        assert row is not None
        dropped = (came // keep - 1) * keep if keep and came // keep >= 2 else 0
        assert (row.standing.held, row.standing.arrival) == (came - dropped, came)
    await one.retention.settled()


def test_no_more_goes_than_is_due() -> None:
    """R67, for a window that was another before: nothing comes back, and nothing goes that the new one holds."""
    at = Standing(head=0, floor=0, revision=0, arrival=2_500, written=0, applied=0, held=1_500)
    assert [due(at, keep) for keep in (0, 100, 1_000, 1_250, 1_300)] == [0, 1_400, 0, 250, 0]


@pytest.mark.parametrize("most", [service.MOST_CHANGED, -1], ids=["in one transaction", "written anew"])
async def test_dropped_moments_are_refused_and_their_ids_remembered(store: Store, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """R25, I36: an event that was dropped is no point any more; sent again it is a duplicate, for ten windows at least."""
    log = random_log(3, 260)
    one = process(store, await keeping(store))
    for start in range(0, 260, 13):
        await one.append(log[start : start + 13])
        await one.retention.settled()
    with pytest.raises(OutsideRetentionWindow):
        await reader(store).at(VIEWER, one.graph_id, AsOf(event=log[200]["id"]), soon())
    monkeypatch.setattr(service, "MOST_CHANGED", most)
    assert (await one.append([{**log[259], "id": "0" * 26}])).accepted == 1  # a late one, by its id
    done = await process(store, one.graph_id).append(log[-110:])
    assert (done.accepted, done.duplicates) == (0, 110)
    [row] = await raw(store, "MATCH (t:Trimmed) WHERE t.g = $g RETURN count(*) AS n", g=await generation(store, one.graph_id))
    assert 100 <= row["n"] <= 260


async def test_ids_from_long_ago_are_forgotten(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """I36: what is remembered is bounded."""
    monkeypatch.setattr(trims, "PART", 20)
    log = random_log(3, 400)
    one = process(store, await keeping(store))
    for start in range(0, 400, 20):
        await one.append(log[start : start + 20])
        await one.retention.settled()
    [row] = await raw(store, "MATCH (t:Trimmed) WHERE t.g = $g RETURN count(*) AS n", g=generation_key(one.graph_id, 1))
    assert 100 <= row["n"] <= 150
    assert (await process(store, one.graph_id).append(log[300:])).duplicates == 100


@pytest.mark.parametrize("commits", [False, True], ids=["before a commit", "after a commit"])
async def test_whoever_dies_while_trimming(
    store: Store, commits: bool, long: bool, share: Callable[[range], range], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The floor moves wholly or not at all; what is not cleared away, the next trim clears away."""
    monkeypatch.setattr(service, "PATIENCE", 0.05)
    log = random_log(5, 60)
    rng = random.Random(5)
    for lives in share(range(1 + commits, 22, 2 if long else 5)):
        graph_id, naive = await keeping(store), Naive()
        dying = process(Dying(store, lives, commits=commits), graph_id)
        with contextlib.suppress(StoreUnavailable):
            await dying.append(log[:35])
        await asyncio.gather(dying.retention.settled(), return_exceptions=True)
        naive.take(log[:35])
        again = await process(store, graph_id).append(log[:35])
        assert again.accepted + again.duplicates == 35
        one = process(store, graph_id)
        await one.append(log[35:])
        naive.take(log[35:])
        await one.retention.settled()
        await same(store, graph_id, naive, rng)
        await cleared(store, graph_id)


async def test_readers_are_exact_while_history_goes(store: Store) -> None:
    """Design, section 4: each answer is that of the held log at its event, or says that it is not held any more."""
    log = random_log(8, 110)
    naive = read_log("\n".join(json.dumps(each) for each in log).encode())
    number = {each["id"]: n for n, each in enumerate(naive.events, 1)}
    one = process(store, await keeping(store))
    await one.append(log[:40])
    exact = refused = 0
    going_on = True

    async def read(rng: random.Random) -> None:
        nonlocal exact, refused
        while going_on:
            row = await graphs.one(store, one.graph_id, soon())
            assert row is not None
            assert row.first is not None
            wanted = rng.choice((None, row.first.id))
            try:
                at = await reader(store, snapshot_cache_nodes=0).at(VIEWER, one.graph_id, wanted and AsOf(event=wanted), soon())
                found = set((await at.snapshot()).by_ref)
            except (OutsideRetentionWindow, StoreUnavailable):
                refused += 1
                continue
            assert at.moment.event is not None
            assert found == set(state_after(naive, number[at.moment.event]))
            exact += 1

    readers = [asyncio.create_task(read(random.Random(seed))) for seed in range(2)]
    try:
        for start in range(40, 110, 5):
            await one.append(log[start : start + 5])
    finally:
        going_on = False
        await asyncio.gather(*readers)
    await one.retention.settled()
    assert exact > 10


async def test_a_restart_folds_no_more_than_what_came_since_the_last_checkpoint(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design, section 4: checkpoints are where restarts begin."""
    log = random_log(9, 200)
    one = process(store, await keeping(store, 0))
    for start in range(0, 200, 5):
        await one.append(log[start : start + 5])
    folded = 0
    real = Projectors.again  # what is read again is what is folded again

    async def counted(*args: Any) -> Any:
        nonlocal folded
        async for events in real(*args):
            folded += len(events)
            yield events

    monkeypatch.setattr(Projectors, "again", counted)
    nodes = await (await reader(store).at(VIEWER, one.graph_id, None, soon())).node_count()
    await process(store, one.graph_id).append([{**event(1, "activity", "x", 0), "ts": "2029-01-01T00:00:00Z"}])
    assert folded < max(7, nodes) + 5
