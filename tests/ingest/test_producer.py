"""A producer that keeps to the protocol loses nothing, whatever happens to requests, answers, the gateway and itself (I13-I21, I30-I32)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from app.demo.fleet import fleet
from app.services import appending
from app.services.graph_at import GraphAt
from app.services.viewer import ALL_SCOPES, Viewer
from app.store import chunks
from app.store.connection import Store
from tests.grown import soon
from tests.ingest.producer import Disk, Ended, Producer, log_order
from tests.ingest.wire import FAULTS, Killed, Wire, wire
from tests.oracle import read_log, state_after
from tests.served import account
from tests.services.test_graph_at import whole
from tests.strategies.logs import random_log

SCHEDULES = 50
LONG_SCHEDULES = 500
AT_ONCE = 4


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appending, "PATIENCE", 0.05)


class Run:
    """A producer with what happens to it: all that its machine knows of, and how much of it the producer has seen."""

    def __init__(self, on: Wire, owner: str, login: str, seed: int) -> None:
        self.wire = on
        self.viewer = Viewer(owner, ALL_SCOPES, key_id="key")
        self.rng = random.Random(seed)
        self.login = login
        self.happened: list[dict[str, Any]] = []
        self.coming = self._shaken(random_log(seed, self.rng.randrange(10, 30), odd_times=False))
        self.producer = self._new(Disk(part=self.rng.choice([300, 1_000, 196_608])))

    async def turn(self) -> None:
        """Some events happen, and are pushed, however often the producer has to be started again."""
        new = [self.coming.pop(0) for _ in range(min(self.rng.randrange(3, 14), len(self.coming)))]
        self.happened += new
        started = True
        try:
            if self.producer.disk.log_id is None:
                started = False
            else:
                for event in new:
                    self.producer.add(event)
                if self.rng.random() < 0.2:
                    self.producer.odd(self.rng.choice([b"{", b"", b'{"v": 2}', b"\xff\xfe", b"[" * 50]))
                await self.producer.push()
                await self.producer.check_in()
        except (Killed, Ended) as end:
            started = False
            if isinstance(end, Ended):
                self.producer.disk.log_id = None
        while not started:
            started = await self._started_again()

    async def _started_again(self) -> bool:
        """The producer's next run: on the old share where that goes on, on a new one where not (I17)."""
        known = self.producer.disk
        self.producer = self._new(known)
        ordered = sorted(self.happened, key=log_order)
        try:
            if known.log_id is not None:
                await self.producer.resume(ordered)
            else:
                await self.producer.begin(ordered)
            await self.producer.push()
        except Ended:
            self.producer.disk.log_id = None
            return False
        except (Killed, OSError):
            return False
        return True

    async def check(self) -> None:
        """The state at the gateway is the naive fold of the log as the producer meant it, and the events are its events."""
        await self.wire.settled()
        log = read_log(self.producer.disk.log)
        at = await self.now()
        assert await whole(at) == state_after(log, len(log.events), at.moment.time_ns)
        assert at.info.event_count == len(log.events)

    async def now(self) -> GraphAt:
        """The graph as the gateway has it now."""
        return await self.wire.server.services.graphs.at(self.viewer, f"gph_{self.producer.disk.log_id}", None, soon())

    def _new(self, disk: Disk) -> Producer:
        rng = self.rng
        return Producer(self.wire.send, self.login, disk, rng.randrange(4, 10), rng.randrange(600, 4_000))

    def _shaken(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Some events come late."""
        for _ in range(self.rng.randrange(3)):
            at = self.rng.randrange(len(events))
            events.insert(min(at + self.rng.randrange(1, 15), len(events) - 1), events.pop(at))
        return events


async def begun(on: Wire, seed: int) -> Run:
    owner = account()
    return Run(on, owner, await on.server.key(owner, ("write",)), seed)


async def test_random_schedules(store: Store, long: bool, share: Callable[[range], range]) -> None:
    """Faults at every step of first shares, appends, keyframes, restarts, trims, claims and resumed runs."""
    seeds = share(range(LONG_SCHEDULES if long else SCHEDULES))
    places = asyncio.Semaphore(AT_ONCE)
    met = await asyncio.gather(*(schedule(store, seed, places) for seed in seeds))
    assert set().union(*met) == set(FAULTS)


async def schedule(store: Store, seed: int, places: asyncio.Semaphore) -> set[str]:
    """One of them; after each turn that met a fault, and at the end, the gateway knows what the producer meant. Gives the faults."""
    async with places, wire(store, seed) as on:
        run = await begun(on, seed)
        on.share = on.rng.choice([0.0, 0.1, 0.25])
        while run.coming:
            before = len(on.met)
            await run.turn()
            if len(on.met) > before or not run.coming:
                await run.check()
        return set(on.met)


async def test_a_day_later(store: Store) -> None:
    """I13, I17, I31, I40: a first share from a keyframe on; what happened till the next run is in its restart keyframe alone."""
    async with wire(store, 1) as on:
        run = await begun(on, 1)
        events = random_log(11, 100, odd_times=False)
        run.producer = Producer(on.send, run.login, Disk(part=500), every=20, most=1_000)
        run.happened = events[:50]
        await run.producer.begin(list(run.happened))
        await run.producer.push()
        await run.check()
        at = await run.now()
        assert at.info.event_count == 30, "the first 20 are in the keyframe"
        for event in events[50:60]:
            run.producer.add(event)
        await run.producer.push()
        await on.start()
        offset = run.producer.disk.offset
        on.server.clock.ms += 24 * 3_600_000
        run.producer = Producer(on.send, run.login, run.producer.disk, every=20, most=1_000)
        await run.producer.resume(events[:80])
        await run.producer.push()
        await run.check()
        at = await run.now()
        assert (at.info.event_count, at.moment.event) == (0, None), "what it starts from is shown, and no event is a point (R67)"
        kept = await chunks.offsets(store, at.info.id, soon())
        assert kept[0] == offset
        for event in events[80:]:
            run.producer.add(event)
        await run.producer.push()
        await run.check()
        assert (await run.now()).info.event_count == 20


async def test_with_the_tool_s_own_numbers(store: Store) -> None:
    """I8, I11, I13-I15: chunks of 256 KiB, a keyframe every 1,000 events; a log of more than two thousand."""
    async with wire(store, 2) as on:
        run = await begun(on, 2)
        events = list(fleet(2_350, seed=5, keyframe=False))
        run.producer = Producer(on.send, run.login, Disk(), every=1_000, most=256 * 1024)
        await run.producer.begin(events[:2_100])
        await run.producer.push()
        for event in events[2_100:]:
            run.producer.add(event)
        await run.producer.push()
        await run.check()
        assert (await run.now()).info.event_count == 1_350
