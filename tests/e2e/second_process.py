"""`python -m tests.e2e.second_process`: a reader in a process of its own, which has never seen the graphs that it is asked for.

The first line of standard input says where the store is; each one after it is `{"account", "graph", "events"}`. For each it prints the
whole state as of each of these events, as the oracle shows it, with nothing kept in memory from one to the next.
"""

from __future__ import annotations

import asyncio
import json
import sys

from app.domain.moments import AsOf
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store.connection import Store
from tests.grown import reader, soon
from tests.services.test_graph_at import whole


async def serve(address: StoreAddress) -> None:
    """Answers until the input ends."""
    store = await Store.open(address, patience=30)
    try:
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            viewer = Viewer(asked["account"], ALL_SCOPES, key_id="second")
            states = []
            for own_id in asked["events"]:
                graphs = reader(store, snapshot_cache_nodes=0)
                states.append(await whole(await graphs.at(viewer, asked["graph"], AsOf(event=own_id), soon())))
            sys.stdout.write(json.dumps(states) + "\n")
            sys.stdout.flush()
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(serve(StoreAddress(**json.loads(sys.stdin.readline()))))
