"""Graphs without news are deleted after a while (I25), where that is set; whatever a producer sends is news."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.services.deletions import Deletions
from app.services.expiry import Expiry
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store import deleting, graphs
from app.store.connection import Store
from app.store.keys import generation_key
from tests.application import opened
from tests.grown import event, soon
from tests.served import SetClock, account, served
from tests.store.contents import raw

WEEK_S = 7 * 24 * 3600
WEEK_MS = WEEK_S * 1000


async def test_what_had_no_news_for_so_long_goes(store: Store) -> None:
    """I25: the last event that came, or check-in, counts; without any, when the graph was made. Its rows go too."""
    async with served(store) as door:
        viewer = Viewer(account(), ALL_SCOPES, key_id="key")
        services, clock = door.services, door.clock
        clock.ms = -10 * WEEK_MS  # long before whatever other tests left in the store
        expiry = Expiry(store, clock, services.deletions, WEEK_S)
        _, fed, checked_in = [(await services.graphs.create(viewer, None, "watch", None, soon())).id for _ in range(3)]
        share = await services.shares.create(viewer, "watch", b"\n", soon())
        clock.ms += WEEK_MS
        await services.appends.append(viewer, fed, [event(1, "activity", "lead", 1)], soon())
        await services.shares.check_in(checked_in, 1, None, soon())
        assert await expiry.once() == 0, "a week is not longer than a week"
        clock.ms += 1
        assert await expiry.once() == 2
        await services.deletions.cleaned()
        assert {row.id for row in await graphs.of_account(store, viewer.account, soon())} == {fed, checked_in}
        assert await raw(store, "MATCH (c:Chunk {graph: $id}) RETURN c", id=share.graph_id) == []
        clock.ms += WEEK_MS
        assert await expiry.once() == 2
        await services.deletions.cleaned()
        assert await raw(store, "MATCH (x:Event {g: $g}) RETURN x", g=generation_key(fed, 1)) == []


async def test_news_that_come_at_the_last_moment_count(store: Store) -> None:
    """I25: whether a graph is silent is looked at under its lock."""
    async with served(store) as door:
        viewer = Viewer(account(), ALL_SCOPES, key_id="key")
        graph_id = (await door.services.graphs.create(viewer, None, "watch", None, soon())).id
        await door.services.shares.check_in(graph_id, 1, None, soon())
        now = door.clock.ms
        assert not await deleting.delete(store, graph_id, now, soon(), silent_since=now)
        assert await deleting.delete(store, graph_id, now, soon(), silent_since=now + 1)


async def test_a_gateway_looks_by_itself(store_address: StoreAddress, data_dir: Path, store: Store) -> None:
    """O15: AGW_EXPIRE_AFTER; off by default."""
    clock = SetClock(-5 * WEEK_MS)  # as above
    viewer = Viewer(account(), ALL_SCOPES, key_id="key")
    async with opened(store_address, data_dir, clock) as gateway:
        graph_id = (await gateway.services.graphs.create(viewer, None, "watch", None, soon())).id
    clock.ms += WEEK_MS + 1
    async with opened(store_address, data_dir, clock):
        assert await graphs.one(store, graph_id, soon()) is not None
    async with opened(store_address, data_dir, clock, expire_after=float(WEEK_S)):
        deadline = soon()
        while await graphs.one(store, graph_id, deadline) is not None:
            assert not deadline.expired
            await asyncio.sleep(0.02)


async def test_what_goes_wrong_is_tried_again(store: Store) -> None:
    """A store that does not answer stops nothing."""
    async with served(store) as door:

        class Gone:
            def __getattr__(self, _: str) -> None:
                raise ConnectionError

        expiry = Expiry(Gone(), door.clock, Deletions(store, door.clock, door.services.graphs), 0.01)  # type: ignore[arg-type]
        expiry.begin()
        await asyncio.sleep(0.05)
        await expiry.close()
