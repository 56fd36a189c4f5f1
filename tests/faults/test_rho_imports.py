"""A process killed in the midst of taking a Rho graph in, and whoever takes the same in afterwards (M6-M8, G50)."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.domain.problems import NotFound
from app.domain.rho.apart import take_apart
from app.domain.rho.envelope import canonical_json
from app.services.rho.rho import Rho
from app.services.viewer import Viewer
from app.settings import StoreAddress
from app.store.connection import Store
from app.store.rho.keys import snapshot_key
from tests.domain.rho.envelopes import AT, edge, envelope, event, node, session
from tests.faults.rho_import_process import KEEP, PROJECT
from tests.grown import CLOCK_MS, soon
from tests.services.rho.test_storing import imported, left_behind, mirroring, somebody, upload
from tests.store.contents import raw

OLDER, NEWER = "2026-10-01T07:59:59Z", "2026-10-01T08:00:01Z"
DOCUMENT = envelope(
    node("rho/session/a", entity_type="rho_session"), node("rho/task/t"), edge("e", "contains", "rho/session/a", "rho/task/t"),
    event("v", "rho/task/t"), at=AT,
)  # fmt: skip
FACTS = 4


class Killed(NamedTuple):
    """An import that is killed before a statement; `written`: after its first transaction.

    `there`: the time of the graph's current snapshot, if it has one; `sync_id`: of an upload.
    """

    before: str
    written: bool
    there: str | None = None
    sync_id: str | None = None


CASES = [
    Killed("rho/facts_put", written=False),
    Killed("rho/facts_put", written=False, there=OLDER),
    Killed("rho/sync_put", written=False, sync_id="sync-1"),
    Killed("rho/current_move", written=True),
    Killed("rho/current_move", written=True, there=OLDER),
    Killed("rho/snapshot_stand", written=True, there=NEWER),
    Killed("rho/current_move", written=True, sync_id="sync-1"),
    Killed("rho/snapshot_stand", written=True, there=NEWER, sync_id="sync-1"),
]


async def killed(address: StoreAddress, imports: list[dict[str, Any]]) -> None:
    """kill -9 for a process that has come so far with each of these imports."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.faults.rho_import_process", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps({"address": asdict(address), "imports": imports}).encode() + b"\n")
        for _ in imports:
            assert await asyncio.wait_for(process.stdout.readline(), 60) == b"stopped\n"
    finally:
        process.kill()
        await process.wait()


async def test_what_a_killed_process_began_is_finished(store: Store, store_address: StoreAddress) -> None:
    """M6-M8, G50: nobody sees it; the same again finishes it, to the byte; one snapshot is current, the newest; it alone has mirrors."""
    rho = Rho.on(store, lambda: CLOCK_MS, KEEP)
    viewers = [somebody() for _ in CASES]
    each = list(zip(viewers, CASES, strict=True))
    olds = [await imported(rho, viewer, session("a", case.there), PROJECT) if case.there else None for viewer, case in each]
    asked = [
        {"account": viewer.account, "envelope": DOCUMENT, "before": case.before, "sync_id": case.sync_id} for viewer, case in each
    ]  # fmt: skip
    await killed(store_address, asked)
    for (viewer, case), old in zip(each, olds, strict=True):
        key = snapshot_key(viewer.account, take_apart(DOCUMENT).sha256)
        with pytest.raises(NotFound):
            await rho.reading.export(viewer, key, soon())
        assert await currents(store, viewer) == ([old] if old else [])

        assert await again(rho, viewer, case) == case.written
        assert await rho.reading.export(viewer, key, soon()) == canonical_json(DOCUMENT)
        current = old if case.there == NEWER else key
        assert await currents(store, viewer) == [current]
        assert [graph.current for graph in await rho.reading.graphs(viewer, soon())] == [current]
        assert await left_behind(rho, viewer) == (1 + bool(old), FACTS + bool(old))
        assert await mirroring(store, viewer) == [current]


async def again(rho: Rho, viewer: Viewer, case: Killed) -> bool:
    """The same once more; whether it was there already."""
    if case.sync_id is None:
        return not (await rho.imports.import_envelope(viewer, DOCUMENT, PROJECT, soon())).created
    done = await rho.imports.sync(viewer, upload(DOCUMENT, case.sync_id, PROJECT), soon())
    assert [one.sync_id for one in await rho.reading.syncs_of(viewer, PROJECT, soon())] == [case.sync_id]
    return done.duplicate


async def currents(store: Store, viewer: Viewer) -> list[str]:
    """The keys of the snapshots that the account's graphs point to as current."""
    of = "MATCH (:RhoGraph {account: $account})-[:RHO_CURRENT]->(s) RETURN s.key AS key"
    return [row["key"] for row in await raw(store, of, account=viewer.account)]
