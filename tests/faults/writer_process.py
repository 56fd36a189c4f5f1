"""`python -m tests.faults.writer_process`: some of the writers of one graph, in a process of their own.

The one line of standard input is `{"address", "account", "graph", "writers", "appends"}`. Each writer sends so many batches about a session
of its own, one after the other, each stamped when it is made: so some come late. Prints the ids that were
taken in, writer by writer, in the order in which they were sent.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from itertools import count
from typing import Any

import orjson
from ulid import ULID

from app.services.appending import Appends
from app.services.projectors import Projectors
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store.connection import Store
from app.store.deadline import Deadline

BATCH = 5
PATIENCE = 120.0
_numbers = count()


def batch(writer: int) -> list[dict[str, Any]]:
    """The next reports about a writer's session, of now."""
    made = []
    for _ in range(BATCH):
        now_ms = time.time_ns() // 1_000_000
        ts = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now_ms // 1000)) + f".{now_ms % 1000:03d}Z"
        data = {"state": "working", "summary": f"Step {next(_numbers)}"}
        made.append(
            {"v": 1, "id": str(ULID()), "ts": ts, "type": "status", "node": f"acme:w{writer}", "source": {"provider": "acme"}, "data": data}
        )
    return sorted(made, key=lambda event: (event["ts"], event["id"]))


async def write(appends: Appends, viewer: Viewer, graph_id: str, writer: int, times: int) -> list[str]:
    """One writer's whole work."""
    taken: list[str] = []
    while len(taken) < times * BATCH:
        events = batch(writer)
        done = await appends.append(viewer, graph_id, [orjson.dumps(event) for event in events], Deadline.after(PATIENCE))
        assert done.accepted == BATCH
        taken += [event["id"] for event in events]
    return taken


async def main(asked: dict[str, Any]) -> None:
    """All writers of this process at once, on one append service, as in one gateway."""
    store = await Store.open(StoreAddress(**asked["address"]), patience=60)
    try:
        appends = Appends(store, Projectors(store), lambda: time.time_ns() // 1_000_000)
        viewer = Viewer(asked["account"], ALL_SCOPES, key_id="writer")
        work = [write(appends, viewer, asked["graph"], writer, asked["appends"]) for writer in asked["writers"]]
        sys.stdout.write(json.dumps(dict(zip(asked["writers"], await asyncio.gather(*work), strict=True))) + "\n")
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.stdin.readline())))
