"""Running the features of a mission wave by wave (G72)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from app.domain.rho.mission import Join, features_of_waves, mission_status
from app.domain.rho.timestamps import from_ms
from app.services.clock import Clock

WORKERS = 4

Work = Callable[[str], Awaitable[None]]
"""Does a feature; an exception says that it failed."""
Changed = Callable[[str, str], None]
"""Is told a feature's id and its new status."""
Store = Callable[[Join], Awaitable[None]]


async def run_waves(
    waves: Sequence[Sequence[str]],
    statuses: Mapping[str, str],
    work: Work,
    store: Store,
    clock: Clock,
    *,
    changed: Changed = lambda _id, _status: None,
    workers: int = WORKERS,
) -> str:
    """The mission's status after its waves have run, each in parallel, and each only after the join record of the one before is stored.

    `statuses`: every feature's own; those completed are not run again. After a wave with a failure the rest stays pending. When this is
    cancelled, the features of the wave that are not done are failed.

    Raises: Refused: no features, or a wave names one that is not known.
    """
    features_of_waves(waves, statuses)
    run = _Run(dict(statuses), work, changed, asyncio.Semaphore(workers))
    for number, wave in enumerate(waves, start=1):
        started = clock()
        await run.wave(wave)
        failed = sorted(id for id in wave if run.statuses[id] == "failed")
        completed = sorted(id for id in wave if run.statuses[id] == "completed")
        blocked = sorted(id for later in waves[number:] for id in later) if failed else []
        summary = f"Wave {number}: {len(completed)} completed, {len(failed)} failed, {len(blocked)} blocked"
        await store(Join(number, tuple(wave), tuple(completed), tuple(failed), tuple(blocked), from_ms(started), from_ms(clock()), summary))
        if failed:
            break
    return mission_status(run.statuses.values())


class _Run:
    def __init__(self, statuses: dict[str, str], work: Work, changed: Changed, places: asyncio.Semaphore) -> None:
        self.statuses = statuses
        self._work = work
        self._changed = changed
        self._places = places

    async def wave(self, wave: Sequence[str]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for id in wave:
                    if self.statuses[id] != "completed":
                        group.create_task(self._feature(id))
        except asyncio.CancelledError:  # those that never began know nothing of it
            for id in wave:
                if self.statuses[id] not in ("completed", "failed"):
                    self._set(id, "failed")
            raise

    async def _feature(self, id: str) -> None:
        try:
            async with self._places:
                self._set(id, "in_progress")
                await self._work(id)
        except asyncio.CancelledError:
            self._set(id, "failed")
            raise
        except Exception:  # noqa: BLE001 - whatever went wrong, the feature failed and the others go on
            self._set(id, "failed")
        else:
            self._set(id, "completed")

    def _set(self, id: str, status: str) -> None:
        self.statuses[id] = status
        self._changed(id, status)
