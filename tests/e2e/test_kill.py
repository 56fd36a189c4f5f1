"""The store killed without warning in the middle of appends (O22): nothing acknowledged is lost, nothing is there by half."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

from app.demo.fleet import fleet
from app.domain.problems import DeadlineExceeded, StoreUnavailable
from app.services.appending import Appends
from app.services.projectors import Projectors
from app.services.viewer import ALL_SCOPES, Viewer
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.migrations import migrate
from tests.engines.own import Engine
from tests.grown import CLOCK_MS, reader, soon
from tests.oracle import log_of, state_after
from tests.services.test_graph_at import whole

ROUNDS = {"embedded": 3, "neo4j": 1}
"""Neo4j takes half a minute to come back."""

LONG_ROUNDS = {"embedded": 25, "neo4j": 5}
BATCH = 120
"""Events of one append: several pieces in each stage."""

VIEWER = Viewer("acc_kill", ALL_SCOPES, key_id="key")


class Writer:
    """Sends the log in batches, each again and again until it is acknowledged, as a producer does."""

    def __init__(self, store: Store, graph_id: str, events: list[dict[str, Any]]) -> None:
        self.acknowledged = 0
        self.enough = False
        self._store = store
        self._graph_id = graph_id
        self._lines = [json.dumps(event, ensure_ascii=False).encode() for event in events]
        self._appends = self.fresh()

    def fresh(self) -> Appends:
        """An append service that remembers nothing."""
        return Appends(self._store, Projectors(self._store), lambda: CLOCK_MS)

    @property
    def more(self) -> bool:
        """Whether anything is left to send."""
        return self.acknowledged < len(self._lines)

    async def one(self, patience: float = 5.0) -> None:
        """The next batch, once. Raises what the service raises."""
        lines = self._lines[self.acknowledged : self.acknowledged + BATCH]
        done = await self._appends.append(VIEWER, self._graph_id, lines, Deadline.after(patience))
        assert done.accepted + done.duplicates == len(lines)
        self.acknowledged += len(lines)

    async def until_it_fails(self) -> None:
        """Batch after batch until the store is gone; where it comes back soon enough for an append to live through that, until `enough`."""
        self.enough = False
        try:
            while self.more and not self.enough:
                await self.one()
        except (StoreUnavailable, DeadlineExceeded):
            self._appends = self.fresh()

    async def until_taken(self) -> None:
        """The next batch until it is acknowledged, as often as it takes."""
        batch = self.acknowledged
        deadline = Deadline.after(60)
        while self.acknowledged == batch:
            try:
                await self.one()
            except (StoreUnavailable, DeadlineExceeded):
                assert not deadline.expired, "the store did not come back"
                await asyncio.sleep(0.1)


async def visible(store: Store, graph_id: str) -> int:
    """How many events readers see, as soon as the store answers."""
    deadline = Deadline.after(60)
    while True:
        try:
            at = await reader(store, snapshot_cache_nodes=0).at(VIEWER, graph_id, None, Deadline.after(5))
            return at.info.event_count
        except (StoreUnavailable, DeadlineExceeded):
            assert not deadline.expired, "the store did not come back"
            await asyncio.sleep(0.1)


async def stored_events(store: Store) -> int:
    """How many events lie in the store, seen or not."""

    async def work(transaction: Transaction) -> int:
        return int((await transaction.run_text("MATCH (e:Event) RETURN count(e) AS n"))[0]["n"])

    return await store.write(work, soon())


async def test_a_store_killed_in_the_middle_of_appends_has_each_batch_wholly_or_not_at_all(mortal: Engine, engine: str, long: bool) -> None:
    """Q19, O22: kill -9 by pid at a moment of chance, round after round; what is there is the naive fold of whole batches."""
    rng = random.Random(20270304)
    rounds = (LONG_ROUNDS if long else ROUNDS)[engine]
    events = list(fleet(rounds * 2_000, keyframe=False))
    log = log_of(events)
    store = await Store.open(mortal.address, patience=90)
    try:
        await migrate(store, Deadline.after(120))
        graph_id = (await reader(store).create(VIEWER, None, "watch", 0, soon())).id
        writer = Writer(store, graph_id, events)
        for _ in range(rounds):
            writing = asyncio.create_task(writer.until_it_fails())
            await asyncio.sleep(0.2 + 0.6 * rng.random())
            assert not writing.done(), "there was nothing left to be written"
            mortal.kill()
            mortal.revive()
            await visible(store, graph_id)
            writer.enough = True
            await writing

            seen = await visible(store, graph_id)
            assert seen in (writer.acknowledged, min(writer.acknowledged + BATCH, len(events))), "a batch is lost, or there by half"
            if seen:
                at = await reader(store, snapshot_cache_nodes=0).at(VIEWER, graph_id, None, soon())
                assert await whole(at) == state_after(log, seen, at.moment.time_ns)
            await writer.until_taken()  # the batch that was cut off, or the one after it: sending again is always safe
            assert await visible(store, graph_id) == writer.acknowledged
            assert await stored_events(store) == writer.acknowledged, "leftovers of a broken append"
            at = await reader(store, snapshot_cache_nodes=0).at(VIEWER, graph_id, None, soon())
            assert await whole(at) == state_after(log, writer.acknowledged, at.moment.time_ns)
    finally:
        await store.close()
