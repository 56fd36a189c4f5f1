"""Making and listing graphs, and resolving a moment (R10, R24-R27, R39)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from neo4j import AsyncGraphDatabase

from app.domain.moments import AsOf
from app.domain.problems import DeadlineExceeded, Forbidden, NotFound, OutsideRetentionWindow
from app.domain.times import NS_PER_MS
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.intervals import STEP
from tests.grown import CLOCK_MS, Grown, event, grow, soon

LENGTH = 200


@pytest.fixture(scope="module")
async def grown(store: Store) -> Grown:
    """Two events each second."""
    return await grow(store, [event(n, "activity", "a", n // 2 * 1_000) for n in range(LENGTH)])


async def test_now_is_after_the_last_event_judged_by_the_clock(grown: Grown) -> None:
    """R24: the server's clock, cut down to the whole second."""
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    assert (at.moment.seq, at.moment.event, at.moment.fixed) == (LENGTH * STEP, f"{LENGTH - 1:08d}", False)
    assert at.moment.time_ns == CLOCK_MS // 1_000 * 1_000 * NS_PER_MS
    assert at.moment.time_ns % (1_000 * NS_PER_MS) == 0


async def test_an_event_is_judged_at_its_own_time(grown: Grown) -> None:
    """R25, also for a bare log id (R15)."""
    for graph_id in (grown.graph_id, grown.graph_id.removeprefix("gph_")):
        at = await grown.graphs.at(grown.viewer, graph_id, AsOf(event="00000042"), soon())
        assert (at.moment.seq, at.moment.event, at.moment.fixed) == (43 * STEP, "00000042", True)
        assert at.moment.time_ns == (await at.event("00000042"))["time_ns"]
        assert at.info.last_event_id == f"{LENGTH - 1:08d}"  # always of now (Q2)


async def test_an_event_that_is_not_held_is_too_old_or_unknown(grown: Grown) -> None:
    """R25: below the first held id, as strings, it is outside what is held; else there is no such event."""
    with pytest.raises(OutsideRetentionWindow) as outside:
        await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(event="0000000"), soon())
    assert outside.value.extra == {"firstEventId": "evt_00000000", "lastEventId": f"evt_{LENGTH - 1:08d}"}
    for unknown in ("00000042x", "zzz"):
        with pytest.raises(NotFound):
            await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(event=unknown), soon())


async def test_a_time_is_after_all_events_of_its_millisecond(grown: Grown) -> None:
    """R26: judged at exactly that time; in the future the last event; before the first, outside."""
    first = (await grown.graphs.list(grown.viewer, soon()))[0].first_event_created
    assert first is not None
    for time, place in ((first, 2), (first + 999, 2), (first + 1_000, 4), (first + 50_500, 102), (first + 10**9, LENGTH)):
        at = await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(time_ms=time), soon())
        assert (at.moment.seq, at.moment.event, at.moment.time_ns) == (place * STEP, f"{place - 1:08d}", time * NS_PER_MS)
    with pytest.raises(OutsideRetentionWindow) as outside:
        await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(time_ms=first - 1), soon())
    assert outside.value.extra["firstEventId"] == "evt_00000000"


async def test_an_empty_graph_is_a_graph_without_moments(store: Store) -> None:
    """Q4, R27: now it is empty; any other moment is outside, without ids."""
    grown = await grow(store, [])
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    assert (at.moment.event, (await at.snapshot()).rows) == (None, [])
    assert (await at.counts())["nodes"] == 0
    assert (at.info.event_count, at.info.last_event, at.info.last_event_created) == (0, CLOCK_MS, None)
    for as_of in (AsOf(event="00000001"), AsOf(time_ms=0)):
        with pytest.raises(OutsideRetentionWindow) as outside:
            await grown.graphs.at(grown.viewer, grown.graph_id, as_of, soon())
        assert outside.value.extra == {}


async def test_whose_graph_it_is_comes_before_what_a_key_may_see(grown: Grown) -> None:
    """R10: another account's graph is not there for any key; an own one outside a restricted key's list is forbidden."""
    other = Viewer("acc_other", ALL_SCOPES, key_id="k", graph_ids=frozenset())
    for viewer, graph_id in ((other, grown.graph_id), (grown.viewer, "gph_aaaaaaaaaaaa"), (grown.viewer, "nonsense")):
        with pytest.raises(NotFound):
            await grown.graphs.at(viewer, graph_id, None, soon())
    with pytest.raises(Forbidden):
        await grown.graphs.at(replace(grown.viewer, graph_ids=frozenset(("gph_aaaaaaaaaaaa",))), grown.graph_id, None, soon())
    with pytest.raises(Forbidden):
        await grown.graphs.at(replace(grown.viewer, scopes=frozenset(("write",))), grown.graph_id, None, soon())
    allowed = replace(grown.viewer, graph_ids=frozenset((grown.graph_id,)))
    assert (await grown.graphs.at(allowed, grown.graph_id, None, soon())).info.id == grown.graph_id


async def test_graphs_are_listed_by_latest_activity(store: Store) -> None:
    """R39: equal ones by id; only those that the key may read."""
    grown = await grow(store, [event(0, "activity", "a", 0)])
    made = [await grown.graphs.create(grown.viewer, f"title {n}", "watch", None, soon()) for n in range(3)]
    listed = await grown.graphs.list(grown.viewer, soon())
    assert [info.id for info in listed] == [*sorted(info.id for info in made), grown.graph_id]  # the clock is later than the event
    assert {info.title for info in listed} == {None, "title 0", "title 1", "title 2"}
    some = replace(grown.viewer, graph_ids=frozenset((grown.graph_id,)))
    assert [info.id for info in await grown.graphs.list(some, soon())] == [grown.graph_id]


async def test_making_graphs_needs_scope_and_an_unrestricted_key(grown: Grown) -> None:
    """Q20, Q21."""
    for viewer in (replace(grown.viewer, scopes=frozenset(("read",))), replace(grown.viewer, graph_ids=frozenset())):
        with pytest.raises(Forbidden):
            await grown.graphs.create(viewer, None, "watch", None, soon())


async def test_readers_wait_while_history_is_being_changed(store: Store, store_address: StoreAddress) -> None:
    """Design, section 4: at an odd revision no moment is resolved; a deadline ends the wait."""
    grown = await grow(store, [event(0, "activity", "a", 0)])
    async with AsyncGraphDatabase.driver(store_address.uri, auth=(store_address.username, store_address.password)) as driver:
        await driver.execute_query(
            "MATCH (g:Graph {id: $id}) SET g.at = [g.at[0], g.at[1], 1, g.at[3], g.at[4], g.at[5], g.at[6]]",
            {"id": grown.graph_id}, database_=store_address.database,
        )  # fmt: skip
    with pytest.raises(DeadlineExceeded):
        await grown.graphs.at(grown.viewer, grown.graph_id, None, Deadline.after(0.2))


async def test_the_moment_after_an_append_is_read_as_such(store: Store) -> None:
    """Q3, Q19: an append that comes later is not seen in it."""
    grown = await grow(store, [event(0, "activity", "a", 0)])
    moment = await grown.append([event(1, "activity", "b", 1)])
    await grown.append([event(2, "activity", "c", 2)])
    at = await grown.graphs.at_moment(grown.viewer, moment, soon())
    assert set((await at.snapshot()).by_ref) == {"acme:a", "acme:b"}
    with pytest.raises(NotFound):
        await grown.graphs.at_moment(Viewer("acc_other", ALL_SCOPES, key_id="k"), moment, soon())
    with pytest.raises(Forbidden):
        await grown.graphs.at_moment(Viewer(grown.viewer.account, frozenset({"write"}), key_id="k"), moment, soon())
