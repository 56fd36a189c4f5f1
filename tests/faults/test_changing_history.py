"""Writers and stores killed while history changes: late events, trims, restarts, new generations (O22, O25, O40)."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.settings import StoreAddress
from app.store import deleting
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.migrations import migrate
from tests.engines.own import Engine
from tests.grown import soon
from tests.oracle import keyframe_lines, read_log
from tests.services.test_appending import process
from tests.services.test_retention import KEEP, Naive, cleared, keeping, same
from tests.strategies.logs import random_log

ROUNDS, LONG_ROUNDS = 2, 50
TAKEN_IN = b"taken in\n"


@dataclass
class Restarting(Naive):
    """The same of a graph that is restarted now and then: what its keyframe stands for counts as dropped."""

    gone: int = 0

    def take(self, events: list[dict[str, Any]]) -> None:
        self.came += len(events)
        self.log = read_log("\n".join([*self.lines, *(json.dumps(each) for each in events)]).encode())
        due = max((self.came // self.keep - 1) * self.keep - self.gone, 0)
        self.gone += due
        self.lines = [*keyframe_lines(self.log, due), *self.log.lines[due:]]
        self.log = read_log("\n".join(self.lines).encode())

    def restart(self) -> list[str]:
        """A keyframe of all that there is, and the graph as it is after it; its lines."""
        said = [json.loads(line) for line in keyframe_lines(self.log, len(self.log.events))]
        said = [{**part, "data": {**part["data"], "restart": True}} for part in said]
        self.lines = [json.dumps(part) for part in said]
        self.log = read_log("\n".join(self.lines).encode())
        self.gone = self.came
        return self.lines


def calls(seed: int, naive: Restarting) -> Iterator[list[str]]:
    """Calls without end, each of some events that come late or not, or a restart; `naive` has taken in what was given."""
    rng = random.Random(seed)
    number = 0
    while True:
        log = [{**event, "id": f"{number:03}{event['id']}"} for event in random_log(rng.randrange(1 << 30), 60)]
        for place in range(len(log) - 1):
            other = min(place + rng.choice((0, 0, 1, 3, 20)), len(log) - 1)
            log[place], log[other] = log[other], log[place]
        while log:
            batch = [log.pop(0) for _ in range(min(len(log), rng.choice((1, 1, 2, 5, 9))))]
            naive.take(batch)
            yield [json.dumps(event) for event in batch]
        yield naive.restart()
        number += 1


class Writer:
    """A process that writes, as often as it is killed."""

    def __init__(self, address: StoreAddress, graph_id: str, coming: Iterator[list[str]]) -> None:
        self._asked = json.dumps({"address": asdict(address), "graph": graph_id}).encode()
        self._coming = coming
        self._unsure: list[str] | None = None
        self.taken = 0

    async def start(self) -> None:
        """Begins, with the call again of which nobody knows what became."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.faults.history_process", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip
        self._say(self._asked)

    async def write(self) -> bool:
        """The next call, if the process lives to acknowledge it."""
        assert self._process.stdout is not None
        self._unsure = next(self._coming) if self._unsure is None else self._unsure
        self._say(json.dumps(self._unsure).encode())
        while (said := await self._process.stdout.readline()) != TAKEN_IN:  # it may log something too
            if not said:
                return False
        self._unsure = None
        self.taken += 1
        return True

    async def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        await self._process.wait()

    def _say(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")


async def killed_soon(writer: Writer, rng: random.Random) -> None:
    """Writes until it is killed, in the midst of a call or after it."""
    await writer.start()
    for _ in range(rng.randrange(1, 8)):
        assert await writer.write()
    last = asyncio.create_task(writer.write())
    await asyncio.sleep(rng.uniform(0, 0.15))
    await writer.kill()
    await last


async def test_a_writer_killed_while_history_changes(store: Store, store_address: StoreAddress, long: bool) -> None:
    """O25: nothing acknowledged is lost, nothing is there by half, and whoever comes next finishes it or gives it up."""
    rng = random.Random(7)
    graph_id, naive = await keeping(store), Restarting()
    writer = Writer(store_address, graph_id, calls(7, naive))
    for _ in range(LONG_ROUNDS if long else ROUNDS):
        await killed_soon(writer, rng)
    await in_order(store, store_address, writer, graph_id, naive, rng)
    assert writer.taken > ROUNDS


async def test_a_store_killed_while_history_changes(mortal: Engine, long: bool) -> None:
    """O22: the same where the store dies; the writer waits for it and sends again."""
    rng = random.Random(8)
    store = await Store.open(mortal.address, patience=90)
    try:
        await migrate(store, Deadline.after(120))
        graph_id, naive = await keeping(store), Restarting()
        writer = Writer(mortal.address, graph_id, calls(8, naive))
        await writer.start()
        for _ in range(LONG_ROUNDS if long else 1):
            for _ in range(rng.randrange(1, 8)):
                assert await writer.write()
            going_on = asyncio.create_task(writer.write())
            await asyncio.sleep(rng.uniform(0, 0.1))
            mortal.kill()
            await asyncio.to_thread(mortal.revive)
            assert await asyncio.wait_for(going_on, 90)
        await writer.kill()
        await in_order(store, mortal.address, writer, graph_id, naive, rng)
    finally:
        await store.close()


async def in_order(
    store: Store, address: StoreAddress, writer: Writer, graph_id: str, naive: Restarting, rng: random.Random
) -> None:  # fmt: skip
    """The graph is what one who was never killed would have made of the same calls; old generations and dropped rows are cleaned away."""
    await writer.start()
    assert await writer.write()
    while len(naive.log.events) < KEEP:  # a call after which there is something to look at
        assert await writer.write()
    await writer.kill()
    await same(store, graph_id, naive, rng)
    while gone := [each for each in await deleting.left(store, soon()) if each.id.startswith(graph_id)]:
        for each in gone:
            async for _ in deleting.clean(store, each):
                pass
    one = process(store, graph_id)
    one.retention.clear_soon(graph_id, KEEP)
    await one.retention.settled()
    await same(store, graph_id, naive, rng)
    await cleared(store, graph_id)
