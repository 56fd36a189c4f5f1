"""Running waves (G72)."""

from __future__ import annotations

import asyncio

import pytest

from app.domain.rho.mission import Join, task_status
from app.domain.rho.problems import Refused
from app.services.waves import run_waves

WAVES = [["a", "b"], ["c", "d", "e"], ["f"]]
PENDING = dict.fromkeys("abcdef", "pending")


class Desk:
    """Does the work, and remembers what happened in which order."""

    def __init__(self, fails: str = "", until: asyncio.Event | None = None) -> None:
        self.fails = fails
        self.until = until
        self.done: list[str] = []
        self.joins: list[Join] = []
        self.running = self.most = 0
        self.statuses: dict[str, str] = {}

    async def work(self, id: str) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        await (self.until.wait() if self.until else asyncio.sleep(0))
        self.running -= 1
        self.done.append(id)
        if id in self.fails:
            raise RuntimeError(id)

    async def store(self, join: Join) -> None:
        assert not self.running
        await asyncio.sleep(0)
        self.joins.append(join)
        self.done.append(f"join {join.wave}")

    def changed(self, id: str, status: str) -> None:
        self.statuses[id] = status


def clock() -> int:
    return 1_780_000_000_000


async def test_a_wave_starts_after_the_join_before_it_is_stored() -> None:
    """G72.2, G72.3, G72.5: in parallel up to the cap; completed features are skipped."""
    desk = Desk()
    status = await run_waves(WAVES, {**PENDING, "b": "completed"}, desk.work, desk.store, clock, changed=desk.changed, workers=2)
    assert status == "completed"
    assert (desk.done[:2], set(desk.done[2:5]), desk.done[5:]) == (["a", "join 1"], set("cde"), ["join 2", "f", "join 3"])
    assert desk.most == 2
    assert [(join.completed, join.failed, join.blocked, join.status) for join in desk.joins] == [
        (("a", "b"), (), (), "completed"),
        (("c", "d", "e"), (), (), "completed"),
        (("f",), (), (), "completed"),
    ]


async def test_a_failure_ends_the_run_after_its_wave() -> None:
    """G72.3-G72.6: later waves stay pending and are the blocked ones; a task that failed is pending again."""
    desk = Desk(fails="d")
    assert await run_waves(WAVES, PENDING, desk.work, desk.store, clock, changed=desk.changed) == "partial"
    assert [join.blocked for join in desk.joins] == [(), ("f",)]
    assert desk.joins[1].status == "failed"
    assert desk.statuses == {"a": "completed", "b": "completed", "c": "completed", "d": "failed", "e": "completed"}
    assert task_status(desk.statuses["d"]) == "pending"
    all_fail = Desk(fails="ab")
    assert await run_waves(WAVES, PENDING, all_fail.work, all_fail.store, clock) == "failed"


async def test_cancelling_marks_waiting_features_failed() -> None:
    """G72.6: those that never began too."""
    desk = Desk(until=asyncio.Event())
    run = asyncio.create_task(run_waves([["a", "b", "c"]], PENDING, desk.work, desk.store, clock, changed=desk.changed, workers=1))
    await asyncio.sleep(0.01)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert desk.statuses == dict.fromkeys("abc", "failed")
    assert not desk.joins


@pytest.mark.parametrize(("waves", "kind"), [([], "empty_graph"), ([[]], "empty_graph"), ([["a"], ["z"]], "unknown_feature")])
async def test_what_cannot_be_run(waves: list[list[str]], kind: str) -> None:
    """G72.1, G72.4: refused before anything is done."""
    desk = Desk()
    with pytest.raises(Refused) as caught:
        await run_waves(waves, PENDING, desk.work, desk.store, clock)
    assert caught.value.kind == kind
    assert not desk.done
