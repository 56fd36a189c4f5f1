"""Subscriptions while the store is gone (O30): they stay open, and go on when it is back, with nothing missed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.domain.problems import Problem
from app.services.viewer import ALL_SCOPES, Viewer
from tests.application import opened
from tests.engines.own import Engine
from tests.faults.test_processes import answers_again
from tests.graphql.live import calling
from tests.graphql.test_subscriptions import EVENTS, GRAPH, ids, named, some
from tests.grown import soon
from tests.listening import listening

AWAY = 2.0


async def test_subscriptions_outlast_the_store(mortal: Engine, tmp_path: Path) -> None:
    """O30: of a store that is killed nobody who follows is told anything; then everything comes, once."""
    viewer = Viewer("local", ALL_SCOPES, key_id="operator")
    async with (
        opened(mortal.address, tmp_path, deadline=60) as gateway,
        listening(gateway.app) as address,
        calling(address, gateway.key) as caller,
    ):
        graph_id = (await gateway.services.graphs.create(viewer, None, "watch", 0, soon())).id
        await gateway.services.appends.append(viewer, graph_id, some(0, 2), soon())
        events, graph = await caller.subscribe(EVENTS, g=graph_id, a="evt_00000000"), await caller.subscribe(GRAPH, g=graph_id)
        assert ids(await events.next()) == named([1])
        await graph.next()
        mortal.kill()
        await asyncio.gather(events.nothing(AWAY), graph.nothing(AWAY))
        mortal.revive()
        await answers_again(mortal.address)
        done = 0
        while not done:
            try:
                taken = await gateway.services.appends.append(viewer, graph_id, some(2, 3), soon())
                done = taken.accepted + taken.duplicates
            except Problem:
                await asyncio.sleep(0.2)
        assert ids(await events.next(30)) == named([2, 3, 4])
        while (await graph.next(30))["graph"]["asOfEventId"] != "evt_00000004":
            pass
