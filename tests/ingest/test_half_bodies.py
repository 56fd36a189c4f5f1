"""Bodies that do not come, over real connections: nobody else waits for them (I8, I34, I35)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import httpx
import pytest
import pytest_asyncio

from app.domain.problems import DeadlineExceeded
from app.ingest import places
from app.ingest.places import Places
from app.store.connection import Store
from app.store.deadline import Deadline
from tests.grown import event
from tests.ingest.test_direct import lines
from tests.listening import listening
from tests.served import Served, account, served

SMALL, LARGE = 10, 200_000
"""Bytes of half a body: before it has a place, and in one."""
TRIES = 3
"""Of as many honest requests the quickest counts: others work on the same machine."""
PATIENCE = 3.0
"""Seconds that it may take in any case. Whoever has to wait for half bodies waits for 25 s."""


@dataclass
class Door:
    """A gateway on a port, an honest producer's share at it, and somebody else's."""

    served: Served
    at: str
    http: httpx.AsyncClient
    key: str
    other_key: str

    async def share(self, key: str) -> tuple[str, str]:
        """A new share: the address to append at, and its write token."""
        made = await self.http.post("/api/logs", headers={"Authorization": f"Bearer {key}"})
        assert made.status_code == 201, made.text
        return f"/api/logs/{made.json()['id']}/append?offset=0", made.json()["writeToken"]

    async def honest(self, tries: int = TRIES) -> float:
        """How long a producer with a share of its own, and one with a key, wait for their answers, at best."""
        return min([await self._honest() for _ in range(tries)])

    async def _honest(self) -> float:
        path, token = await self.share(self.key)
        graph = await self.served.graph(self.other_key, [])
        body = lines(*(event(number, "activity", "lead", number, tool="Bash") for number in range(1, 5)))
        began = time.monotonic()
        chunk = await self.http.post(path, content=body, headers={"Authorization": f"Bearer {token}"})
        direct = await self.http.post(f"/api/ingest/{graph}", content=body, headers={"Authorization": f"Bearer {self.other_key}"})
        took = time.monotonic() - began
        assert (chunk.status_code, direct.status_code) == (204, 200), (chunk.text, direct.text)
        return took

    @asynccontextmanager
    async def halves(self, number: int, size: int, *callers: tuple[str, str]) -> AsyncIterator[list[asyncio.StreamReader]]:
        """So many connections that have sent a part of what they announced; each caller has a path and a token."""
        host, port = self.at.split(":")
        async with AsyncExitStack() as stack:
            readers = []
            for turn in range(number):
                path, token = callers[turn % len(callers)]
                reader, writer = await asyncio.open_connection(host, int(port))
                stack.callback(writer.close)
                head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 500000\r\n\r\n"
                writer.write(head.encode() + b"\n" * size)
                readers.append(reader)
            await asyncio.sleep(1 + number / 250)
            yield readers


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Door]:
    async with served(store) as door, listening(door.application) as at, httpx.AsyncClient(base_url=f"http://{at}", timeout=60) as http:
        yield Door(door, at, http, await door.key(account()), await door.key(account()))


@pytest.mark.alone
@pytest.mark.parametrize(
    ("by", "number", "size"),
    [("write token", 64, SMALL), ("key", 64, LARGE), ("key", 500, SMALL), ("write token", 500, LARGE)],
)
async def test_others_are_answered_beside_half_bodies(door: Door, by: str, number: int, size: int) -> None:
    """I34, I35: those of one token or one key are in nobody else's way."""
    if by == "key":
        key = await door.served.key(account())
        caller = f"/api/ingest/{await door.served.graph(key, [])}", key
    else:
        caller = await door.share(door.key)
    alone = await door.honest()
    async with door.halves(number, size, caller):
        assert await door.honest() < max(3 * alone, PATIENCE)


@pytest.mark.alone
async def test_half_bodies_of_many_callers_are_waited_for_only_until_places_are_wanted(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """I34: whoever holds the last places and sends nothing is told to come again; none of it is taken in."""
    monkeypatch.setattr(places, "HURRIED", 1.0)
    callers = [await door.share(door.key) for _ in range(70)]
    async with door.halves(70, LARGE, *callers) as readers:
        assert await door.honest(1) < 5
        answered = [asyncio.create_task(reader.readline()) for reader in readers]
        done, waiting = await asyncio.wait(answered, timeout=1)
        assert {task.result().split()[1] for task in done} == {b"503"}
        assert 1 <= len(done) < 20
        for task in waiting:
            task.cancel()


async def test_a_body_that_comes_slowly_is_taken_in(door: Door) -> None:
    """I5: as long as nobody else needs the place."""
    path, token = await door.share(door.key)
    body = lines(event(1, "activity", "lead", 1, tool="Bash")) + b"\n" * 300_000

    async def slowly() -> AsyncIterator[bytes]:
        for at in range(0, len(body), 40_000):
            yield body[at : at + 40_000]
            await asyncio.sleep(0.1)

    assert (await door.http.post(path, content=slowly(), headers={"Authorization": f"Bearer {token}"})).status_code == 204


async def test_places_are_shared_caller_by_caller() -> None:
    """I34: one caller alone has half of them, a second a third, and who waits comes in turn; who gives up leaves nothing behind."""
    shared, soon = Places(6), Deadline.after(0.05)
    async with AsyncExitStack() as first, AsyncExitStack() as second:
        for stack, caller, most in ((first, "one", 3), (second, "other", 2)):
            for _ in range(most):
                await stack.enter_async_context(shared.taken(caller, soon))
            with pytest.raises(DeadlineExceeded):
                await stack.enter_async_context(shared.taken(caller, soon))
        async with shared.taken("third", soon):
            order: list[str] = []

            async def work(caller: str) -> None:
                async with shared.taken(caller, Deadline.after(5)):
                    order.append(caller)

            waiting = [asyncio.create_task(work(caller)) for caller in ("fourth", "fourth", "fifth")]
            gone = asyncio.create_task(work("sixth"))
            await asyncio.sleep(0)
            gone.cancel()
        await asyncio.gather(*waiting)
        assert order == ["fourth", "fifth", "fourth"]
    async with AsyncExitStack() as again:
        for _ in range(3):
            await again.enter_async_context(shared.taken("seventh", soon))
