"""Connections that are cut or go silent, at every stage of a transaction (O25, O30): by a proxy that reads along."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import orjson
import pytest
import pytest_asyncio

from app.demo.fleet import fleet
from app.domain.moments import AsOf
from app.domain.problems import DeadlineExceeded, StoreUnavailable
from app.services.appending import Appends
from app.services.graph_at import GraphAt
from app.services.projectors import Projectors
from app.settings import StoreAddress
from app.store import graphs
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.intervals import STEP
from tests.faults.proxy import Break, Proxy, Stage, Trap, proxied
from tests.grown import CLOCK_MS, Grown, grow, reader, soon
from tests.oracle import log_of, state_after
from tests.services.test_appending import FIRST, SECOND, THIRD, Process, process
from tests.services.test_graph_at import whole
from tests.store.contents import contents, expected, new_graph
from tests.timing import least

WRITES = ("append/adds", "append/current", "append/applied", "append/head")
AHEAD = ("append/current", "append/applied")
COMMITTING = (Stage.BEFORE_RUN, Stage.AFTER_RUN, Stage.BEFORE_COMMIT, Stage.AFTER_COMMIT)
READS = ("graph/one", "read/events_by_key", "read/nodes_now_full", "read/nodes_past_full")
READING = (Stage.BEFORE_RUN, Stage.AFTER_RUN, Stage.MIDDLE)
PATIENCE = 1.0


@pytest_asyncio.fixture
async def proxy(store: Store, store_address: StoreAddress) -> AsyncIterator[Proxy]:
    async with proxied(store_address) as found:
        yield found


@pytest_asyncio.fixture
async def near(proxy: Proxy) -> AsyncIterator[Store]:
    """A gateway's store, reached through the proxy."""
    opened = await Store.open(proxy.address, patience=30)
    try:
        yield opened
    finally:
        await opened.close()


@pytest.mark.parametrize("stage", COMMITTING)
@pytest.mark.parametrize("name", WRITES)
async def test_an_append_that_is_cut_off_is_whole_when_it_is_sent_again(
    store: Store, near: Store, proxy: Proxy, name: str, stage: Stage
) -> None:
    """O25, Q19: a cut is made good within the deadline, but where the commit was asked for: that is told, and sending again is safe.

    Of what is written ahead of its turn it does not matter: whoever does it as usual then sees whether it is there.
    """
    graph_id = await new_graph(store)
    writer = process(near, graph_id)
    await writer.append(FIRST)
    trap = proxy.set(Trap(name, stage, Break.CUT))
    lost = False
    try:
        done = await writer.append(SECOND)
        assert (done.accepted, done.duplicates) == (6, 0)
    except StoreUnavailable:
        lost = True
        again = await writer.append(SECOND)
        there = name != "append/adds" or stage is Stage.AFTER_COMMIT
        assert (again.accepted, again.duplicates) == ((0, 6) if there else (6, 0))
    assert trap.sprung == [f"{name} cut {stage.value}"]
    assert lost is (name not in AHEAD and stage in (Stage.BEFORE_COMMIT, Stage.AFTER_COMMIT))
    assert await contents(store, graph_id) == expected(graph_id, [FIRST, SECOND])
    assert (await process(store, graph_id).append(SECOND)).duplicates == 6


@pytest.mark.alone
@pytest.mark.parametrize("stage", [Stage.AFTER_RUN, Stage.AFTER_COMMIT])
@pytest.mark.parametrize("name", WRITES)
async def test_an_append_on_a_silent_connection_ends_at_its_deadline(
    store: Store, near: Store, proxy: Proxy, name: str, stage: Stage
) -> None:
    """O25: one deadline; what the store still holds for the lost transaction it lets go by itself, and the next writer goes on."""
    graph_id: str
    writer: Process
    trap: Trap

    async def prepare() -> None:
        nonlocal graph_id, writer, trap
        graph_id = await new_graph(store)
        writer = process(near, graph_id)
        await writer.append(FIRST)
        trap = proxy.set(Trap(name, stage, Break.STALL))

    async def ended() -> None:
        with pytest.raises(DeadlineExceeded):
            await writer.append(SECOND, Deadline.after(PATIENCE))

    assert await least(ended, PATIENCE + 1, prepare) < PATIENCE + 1
    assert trap.sprung == [f"{name} stalled {stage.value}"]
    again = await process(store, graph_id).append(SECOND)
    assert again.accepted + again.duplicates == 6
    assert (again.accepted == 6) is (name == "append/adds" and stage is Stage.AFTER_RUN)
    assert (await writer.append(THIRD)).accepted == 1
    assert await contents(store, graph_id) == expected(graph_id, [FIRST, SECOND, THIRD])


@pytest.fixture(scope="module")
def log() -> list[dict[str, Any]]:
    return list(fleet(200, seed=8, keyframe=False))


@pytest_asyncio.fixture(scope="module")
async def grown(store: Store, log: list[dict[str, Any]]) -> Grown:
    return await grow(store, log)


@pytest.mark.parametrize("stage", READING)
@pytest.mark.parametrize("name", READS)
async def test_a_read_that_is_cut_off_is_made_again_and_whole(
    near: Store, proxy: Proxy, grown: Grown, log: list[dict[str, Any]], name: str, stage: Stage
) -> None:
    """O25, E13: the caller notices nothing, in the middle of the rows neither."""
    trap = proxy.set(Trap(name, stage, Break.CUT))
    at = await reader(near, snapshot_cache_nodes=0).at(grown.viewer, grown.graph_id, AsOf(event=log[99]["id"]), soon())
    assert await whole(at) == state_after(log_of(log), 100)
    assert trap.sprung == [f"{name} cut {stage.value}"]


@pytest.mark.alone
@pytest.mark.parametrize("stage", READING)
async def test_a_read_on_a_silent_connection_ends_at_its_deadline(
    near: Store, proxy: Proxy, grown: Grown, log: list[dict[str, Any]], stage: Stage
) -> None:
    """O25: and the next one is answered, on another connection."""
    at: GraphAt

    async def prepare() -> None:
        nonlocal at
        proxy.set(Trap("read/nodes_now_full", stage, Break.STALL))
        begun = await reader(near, snapshot_cache_nodes=0).at(grown.viewer, grown.graph_id, AsOf(event=log[99]["id"]), soon())
        at = begun.later(Deadline.after(PATIENCE))

    async def ended() -> None:
        with pytest.raises(DeadlineExceeded):
            await at.snapshot()

    assert await least(ended, PATIENCE + 1, prepare) < PATIENCE + 1
    assert await whole(at.later(soon())) == state_after(log_of(log), 100)


async def test_connections_cut_again_and_again_under_load(store: Store, near: Store, proxy: Proxy, long: bool) -> None:
    """O25, O30: every answer is right or says that the store was not there; whatever was told to be taken in is there, once."""
    log = list(fleet(3_000 if long else 400, seed=9, keyframe=False))
    grown = await grow(store, [])
    lines, size = [orjson.dumps(event) for event in log], 10 if long else 2
    naive = log_of(log)
    states = {0: dict[str, Any]()}
    rng = Random(20270305)
    appends = Appends(near, Projectors(near), lambda: CLOCK_MS)
    told = lost = answered = 0
    going_on = True

    async def write() -> None:
        nonlocal told, lost
        while told < len(lines):
            try:
                done = await appends.append(grown.viewer, grown.graph_id, lines[told : told + size], Deadline.after(10))
            except (StoreUnavailable, DeadlineExceeded):
                lost += 1
            else:
                assert done.accepted + done.duplicates == len(lines[told : told + size])
                told += size

    async def read() -> None:
        nonlocal answered
        while going_on:
            try:
                at = await reader(near, snapshot_cache_nodes=0).at(grown.viewer, grown.graph_id, None, Deadline.after(10))
                rows = (await at.snapshot()).by_ref
            except (StoreUnavailable, DeadlineExceeded):
                continue
            n = at.moment.seq // STEP
            if n not in states:
                states[n] = state_after(naive, n)
            assert set(rows) == set(states[n]), f"as of {at.moment.event}"
            answered += 1

    async def cut() -> None:
        for _ in range(300 if long else 30):
            await asyncio.sleep(0.02 + 0.3 * rng.random())
            proxy.cut()

    readers = [asyncio.create_task(read()) for _ in range(2)]
    try:
        await asyncio.gather(write(), cut())
    finally:
        going_on = False
        await asyncio.gather(*readers)
    assert answered > 0
    assert lost > 0, "no connection was cut while it mattered"
    row = await graphs.one(store, grown.graph_id, soon())
    assert row is not None
    assert row.standing.held == len(lines)
    at = await reader(store, snapshot_cache_nodes=0).at(grown.viewer, grown.graph_id, None, soon())
    assert await whole(at) == state_after(naive, len(lines), at.moment.time_ns)
