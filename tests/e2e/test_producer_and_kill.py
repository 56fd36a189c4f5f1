"""A gateway's process killed without warning under a producer, over a real wire (I30, I40): nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import random
import socket
from contextlib import AbstractContextManager
from pathlib import Path

from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store.connection import Store
from tests.application import KEY
from tests.cli.process import Serving, serving
from tests.grown import reader, soon
from tests.ingest.producer import Disk, Producer
from tests.ingest.tool import HttpWire
from tests.oracle import read_log, state_after
from tests.services.test_graph_at import whole
from tests.strategies.logs import random_log

KILLS = 2
LONG_KILLS = 20
EVENTS = 60
VIEWER = Viewer("local", ALL_SCOPES, key_id="key")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Gateway:
    """`agw serve` on one port, started again and again."""

    def __init__(self, data_dir: Path, port: int, variables: dict[str, str]) -> None:
        self._start = lambda: serving(data_dir, "--port", str(port), **variables)
        self._running: AbstractContextManager[Serving] | None = None
        self._serving: Serving | None = None

    async def start(self) -> None:
        """Returns when it serves."""
        self._running = self._start()
        self._serving = await asyncio.to_thread(self._running.__enter__)

    async def kill(self) -> None:
        """kill -9."""
        assert self._running is not None
        assert self._serving is not None
        self._serving.process.kill()
        await asyncio.to_thread(self._running.__exit__, None, None, None)


async def test_kill_9_of_the_gateway_in_the_middle_of_pushes(store: Store, store_address: StoreAddress, data_dir: Path, long: bool) -> None:
    """I7, I30: the producer repeats the same bytes until they are acknowledged; then the state is the fold of its log."""
    rng = random.Random(9)
    port = free_port()
    wire = HttpWire(f"http://127.0.0.1:{port}")
    variables = {"NEO4J_URI": store_address.uri, "NEO4J_USERNAME": store_address.username, "NEO4J_PASSWORD": store_address.password}
    variables |= {"AGW_ADMIN_KEY": KEY, "AGW_RETENTION_EVENTS": "0"}
    if store_address.database:
        variables["NEO4J_DATABASE"] = store_address.database
    producer = Producer(wire.send, KEY, Disk(part=700), every=20, most=2_000)
    rounds = LONG_KILLS if long else KILLS
    events = random_log(9, (rounds + 1) * EVENTS, odd_times=False)
    gateway = Gateway(data_dir, port, variables)
    await gateway.start()
    try:
        await producer.begin(events[:1])
        for number in range(rounds + 1):
            for event in events[number * EVENTS or 1 : (number + 1) * EVENTS]:
                producer.add(event)
            pushing, reached = asyncio.create_task(producer.push()), producer.disk.offset
            if number < rounds:
                while producer.disk.offset == reached:  # noqa: ASYNC110 - another task moves it
                    await asyncio.sleep(0.001)
                await asyncio.sleep(rng.random() * 0.2)
                await gateway.kill()
                await gateway.start()
            await pushing
    finally:
        await gateway.kill()
        await wire.client.aclose()
    log = read_log(producer.disk.log)
    at = await reader(store).at(VIEWER, f"gph_{producer.disk.log_id}", None, soon())
    assert at.info.event_count == len(log.events) == len(events)
    assert await whole(at) == state_after(log, len(log.events), at.moment.time_ns)
