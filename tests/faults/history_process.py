"""`python -m tests.faults.history_process`: a writer whose history changes all the time, to be killed.

The first line of standard input is `{"address", "graph"}`; each that follows is a call: a list of lines. Prints a line for each call that
was acknowledged. Late events soon change more than one transaction may, and pieces are small.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from app.domain.problems import StoreUnavailable
from app.services import appending as service
from app.services.appending import Appends
from app.services.projectors import Projectors
from app.services.retention import Retention
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store import pieces, trims
from app.store.connection import Store
from app.store.deadline import Deadline

MOST_CHANGED = 12
CHECKPOINT_EVERY = 7


async def main() -> None:
    """Takes in one call after the other; one that the store was gone for is sent again."""
    service.MOST_CHANGED, service.CHECKPOINT_EVERY, pieces.PIECE, trims.PIECE = MOST_CHANGED, CHECKPOINT_EVERY, 20, 4
    service.PATIENCE = service.BUILDING_PATIENCE = 0.3
    asked = json.loads(sys.stdin.readline())
    store = await Store.open(StoreAddress(**asked["address"]), patience=60)
    projectors = Projectors(store)
    appends = Appends(store, projectors, lambda: time.time_ns() // 1_000_000, Retention(store, projectors, 0))
    viewer = Viewer("acc", ALL_SCOPES, key_id="writer")
    for line in sys.stdin:
        lines = [text.encode() for text in json.loads(line)]
        while True:
            try:
                await appends.append(viewer, asked["graph"], lines, Deadline.after(60), restart=True)
                break
            except StoreUnavailable:
                await asyncio.sleep(0.1)
        sys.stdout.write("taken in\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
