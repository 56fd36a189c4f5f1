"""Reads that are shared: begun after each who gets them has asked, one at a time for a key, whatever becomes of the others."""

from __future__ import annotations

import asyncio

import pytest

from app.domain.problems import DeadlineExceeded, NotFound
from app.services.shared import SharedReads
from app.store.deadline import Deadline


class Counter:
    """A value that reads see as it was when they began; each takes a few turns of the loop."""

    def __init__(self) -> None:
        self.value = 0
        self.reads = 0
        self.at_once = 0
        self.fails = False
        self.gate: asyncio.Event | None = None
        self.shared = SharedReads[int]()

    async def read(self, deadline: Deadline) -> int:
        self.reads += 1
        self.at_once += 1
        try:
            found = self.value
            if self.gate is not None:
                await self.gate.wait()
            for _ in range(3):
                await asyncio.sleep(0)
            if self.fails:
                raise NotFound("gone")
            return found
        finally:
            self.at_once -= 1

    async def get(self, seconds: float = 10) -> int:
        return await self.shared.get("key", self.read, Deadline.after(seconds))


async def test_nobody_is_given_what_is_older_than_his_question() -> None:
    """Whoever asks after a write sees it, however many ask, and far fewer reads are made than questions."""
    counter = Counter()

    async def asker() -> None:
        for _ in range(40):
            known = counter.value
            assert await counter.get() >= known
            counter.value += 1

    await asyncio.gather(*(asker() for _ in range(20)))
    assert counter.reads < 20 * 40 / 5


async def asked(counter: Counter, times: int) -> list[asyncio.Task[int]]:
    """Callers whose questions have got as far as they can."""
    tasks = [asyncio.create_task(counter.get()) for _ in range(times)]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


async def test_others_wait_on_when_one_goes() -> None:
    """A caller who goes away, the one who began a read too, takes nobody along."""
    counter = Counter()
    counter.gate = asyncio.Event()
    first, second = await asked(counter, 2)
    third, fourth = await asked(counter, 2)
    first.cancel()
    third.cancel()
    counter.value = 7
    await asyncio.sleep(0)
    counter.gate.set()
    assert (await second, await fourth) == (0, 7)
    assert (first.cancelled(), third.cancelled(), counter.reads) == (True, True, 2)


async def test_a_read_that_nobody_waits_for_any_more_is_given_up() -> None:
    """O25: when all have gone, so has the read; who comes later is given one of his own, also where it had not begun."""
    counter = Counter()
    counter.gate = asyncio.Event()
    gone = await asked(counter, 3)
    following = await asked(counter, 2)
    for task in (*gone, *following):
        task.cancel()
    await asyncio.gather(*gone, *following, return_exceptions=True)
    await asyncio.sleep(0)
    assert (counter.reads, counter.at_once) == (1, 0)
    counter.gate = None
    assert await counter.get() == 0
    assert counter.reads == 2


async def test_who_asks_together_is_given_one_read() -> None:
    """A burst of questions is one read."""
    counter = Counter()
    assert await asyncio.gather(*(counter.get() for _ in range(50))) == [0] * 50
    assert counter.reads == 1


async def test_each_has_his_own_deadline_and_all_the_same_error() -> None:
    """O25: who has no time left is told so; a read that fails fails for all who got it, and is made again for the next."""
    counter = Counter()
    counter.gate = asyncio.Event()
    first = asyncio.create_task(counter.get())
    await asyncio.sleep(0)
    with pytest.raises(DeadlineExceeded):
        await counter.get(0.01)
    counter.fails = True
    waiting = [asyncio.create_task(counter.get()) for _ in range(3)]
    await asyncio.sleep(0)
    counter.gate.set()
    outcomes = await asyncio.gather(first, *waiting, return_exceptions=True)
    assert [type(each) for each in outcomes] == [NotFound] * 4
    counter.fails = False
    assert await counter.get() == 0
