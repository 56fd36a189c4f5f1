"""Many writers of one graph in several processes (O25, Q19)."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

from app.services.event_pages import EventPage
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store.connection import Store
from tests.faults.writer_process import BATCH
from tests.grown import reader, soon
from tests.oracle import log_of, state_after
from tests.services.test_graph_at import whole

PROCESSES = 4
WRITERS = 8
APPENDS = 6
LONG_APPENDS = 50


async def writers(asked: dict[str, Any]) -> dict[str, list[str]]:
    """A process with some of the writers; what each of them was told is there."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.faults.writer_process", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    output, _ = await process.communicate(json.dumps(asked).encode() + b"\n")
    assert process.returncode == 0
    found: dict[str, list[str]] = json.loads(output)
    return found


async def test_no_batch_of_many_writers_is_lost_and_their_order_is_kept(store: Store, store_address: StoreAddress, long: bool) -> None:
    """O25, Q19: one writer at a time, across processes; each batch once, in its writer's order, and the graph is the fold of all."""
    appends = LONG_APPENDS if long else APPENDS
    viewer = Viewer(f"acc_{uuid4().hex}", ALL_SCOPES, key_id="key")
    graph_id = (await reader(store).create(viewer, None, "watch", 0, soon())).id
    asked = {"address": asdict(store_address), "account": viewer.account, "graph": graph_id, "appends": appends}
    each = WRITERS // PROCESSES
    told = await asyncio.gather(*(writers({**asked, "writers": list(range(first, first + each))}) for first in range(0, WRITERS, each)))
    taken = {writer: ids for part in told for writer, ids in part.items()}
    assert [len(ids) for ids in taken.values()] == [appends * BATCH] * WRITERS

    at = await reader(store, snapshot_cache_nodes=0).at(viewer, graph_id, None, soon())
    assert at.info.event_count == WRITERS * appends * BATCH
    rows: list[dict[str, Any]] = []
    while True:
        page = await at.events(EventPage(500, ascending=True, after=rows[-1]["id"] if rows else None))
        rows += page.rows
        if not page.has_next:
            break
    assert [row["seq"] for row in rows] == sorted({row["seq"] for row in rows})
    for writer, ids in taken.items():
        assert [row["id"] for row in rows if row["ref"] == f"acme:w{writer}"] == ids
    log = log_of([json.loads(row["line"]) for row in rows])
    assert await whole(at.later(soon())) == state_after(log, len(rows), at.moment.time_ns)
