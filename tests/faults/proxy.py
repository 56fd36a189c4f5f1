"""A TCP proxy between gateway and store that breaks at a stage of a Bolt transaction that a test names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from urllib.parse import urlsplit

from app.settings import StoreAddress
from app.store.statements import in_one_go, statement

_COMMIT = b"\x00\x02\xb0\x12\x00\x00"
"""Bolt's COMMIT as it goes over the wire: one chunk of two bytes and the end of the message."""

_BLOCK = 65_536

GREETING = "greeting"
"""The name, for a trap, of the first message on a connection."""


class Stage(Enum):
    """Where in a statement's transaction: `before` the store has heard of it, `after` it has answered and nobody heard that."""

    BEFORE_RUN = "before run"
    AFTER_RUN = "after run"
    MIDDLE = "in the middle of the rows"
    BEFORE_COMMIT = "before commit"
    AFTER_COMMIT = "after commit"


class Break(Enum):
    """How a connection breaks: it is cut, or nothing comes through any more."""

    CUT = "cut"
    STALL = "stalled"


@dataclass
class Trap:
    """Breaks the first connection on which a statement, or the `GREETING`, reaches a stage. Once only, unless `times` says more."""

    name: str
    stage: Stage
    how: Break
    times: int = 1
    sprung: list[str] = field(default_factory=list)
    """The stages as they were seen, for the record."""

    def __post_init__(self) -> None:
        text = "agent-graph-gateway" if self.name == GREETING else statement(self.name)
        self.texts = (text.encode(), in_one_go(text).encode())

    @property
    def set(self) -> bool:
        """Whether it waits for something still."""
        return len(self.sprung) < self.times


class Link:
    """One connection through the proxy."""

    def __init__(self, trap: Trap | None) -> None:
        self.watch(trap)
        self.stalled = False

    def watch(self, trap: Trap | None) -> None:
        """Looks out for a trap's statement from now on."""
        self.trap = trap
        self._tail = b""
        self._stage: Stage | None = None

    def from_gateway(self, block: bytes) -> bool:
        """Whether the block may pass; otherwise the link breaks now."""
        trap = self.trap
        if trap is None or not trap.set:
            return True
        seen = self._tail + block
        self._tail = seen[-max(map(len, trap.texts)) :]
        if any(text in seen for text in trap.texts):
            self._stage, self._tail = Stage.AFTER_RUN, b""
            return trap.stage is not Stage.BEFORE_RUN
        if self._stage is Stage.AFTER_RUN and _COMMIT in seen:
            self._stage = Stage.AFTER_COMMIT
            return trap.stage is not Stage.BEFORE_COMMIT
        return True

    def from_store(self, block: bytes) -> tuple[bytes, bool]:
        """What may pass of a block, and whether the link goes on."""
        trap = self.trap
        if trap is None or not trap.set or self._stage is None:
            return block, True
        if trap.stage is Stage.MIDDLE:
            return block[: len(block) // 2], False
        return (b"", False) if trap.stage is self._stage else (block, True)


class Proxy:
    """Passes everything on, until a trap is sprung or it is told to `cut`, `stall` or `refuse`."""

    def __init__(self, address: StoreAddress) -> None:
        parts = urlsplit(address.uri)
        self._to = (parts.hostname, parts.port)
        self._given = address
        self._server: asyncio.Server | None = None
        self._port = 0
        self._links: dict[Link, tuple[asyncio.StreamWriter, ...]] = {}
        self._trap: Trap | None = None
        self._stalled = False

    @property
    def address(self) -> StoreAddress:
        """The store's address by this way."""
        return replace(self._given, uri=f"bolt://127.0.0.1:{self._port}")

    def set(self, trap: Trap) -> Trap:
        """Sets a trap in place of the one before, for connections that are there as well as new ones."""
        self._trap = trap
        for link in self._links:
            link.watch(trap)
        return trap

    async def start(self) -> None:
        """Listens, on the same port as before if there was one."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def refuse(self) -> None:
        """Lets nobody in any more, and cuts all connections, as a store does that died."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self.cut()
        await asyncio.sleep(0)

    def cut(self) -> None:
        """Cuts all connections; new ones are let in."""
        for writers in list(self._links.values()):
            for writer in writers:
                writer.transport.abort()

    def stall(self, stalled: bool = True) -> None:
        """Passes nothing on, on any connection, old or new, as a store does whose machine is gone."""
        self._stalled = stalled

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = Link(self._trap)
        self._links[link] = (writer,)
        try:
            there, back = await asyncio.open_connection(*self._to)
            self._links[link] = (writer, back)
            ways = [asyncio.create_task(self._outwards(link, reader, back)), asyncio.create_task(self._inwards(link, there, writer))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        except OSError:
            pass
        finally:
            for each in self._links.pop(link):
                each.transport.abort()

    async def _outwards(self, link: Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while block := await reader.read(_BLOCK):
                await self._flows(link)
                if not link.from_gateway(block):
                    await self._break(link)
                    return
                writer.write(block)
                await writer.drain()

    async def _inwards(self, link: Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while block := await reader.read(_BLOCK):
                await self._flows(link)
                passed, goes_on = link.from_store(block)
                writer.write(passed)
                await writer.drain()
                if not goes_on:
                    await self._break(link)
                    return

    async def _flows(self, link: Link) -> None:
        while self._stalled or link.stalled:  # noqa: ASYNC110 - for as long as a test likes
            await asyncio.sleep(0.01)

    async def _break(self, link: Link) -> None:
        assert link.trap is not None
        link.trap.sprung.append(f"{link.trap.name} {link.trap.how.value} {link.trap.stage.value}")
        if link.trap.how is Break.STALL:
            link.stalled = True
            await asyncio.Event().wait()


@asynccontextmanager
async def proxied(address: StoreAddress) -> AsyncIterator[Proxy]:
    """A proxy in front of a store, for as long as the context lasts."""
    proxy = Proxy(address)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.refuse()
