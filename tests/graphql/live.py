"""The gateway on a port of its own, in this process, and clients that subscribe: over WebSocket and server-sent events."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

PROTOCOL = Subprotocol("graphql-transport-ws")
PATIENCE = 60.0


@dataclass
class Caller:
    """One WebSocket connection. Messages are sorted by the operation that they belong to."""

    socket: ClientConnection
    waiting: dict[str, asyncio.Queue[dict[str, Any]]] = field(default_factory=dict)
    number: int = 0
    reading: asyncio.Task[None] | None = None

    async def subscribe(self, query: str, **variables: Any) -> Subscribed:
        """Begins an operation."""
        self.number += 1
        name = str(self.number)
        self.waiting[name] = asyncio.Queue()
        await self.say({"type": "subscribe", "id": name, "payload": {"query": query, "variables": variables}})
        return Subscribed(self, name)

    async def say(self, message: Any) -> None:
        """Sends a message as it is."""
        await self.socket.send(message if isinstance(message, str) else json.dumps(message))

    async def hear(self) -> dict[str, Any]:
        """The next message, for a caller that sorts nothing."""
        async with asyncio.timeout(PATIENCE):
            found: dict[str, Any] = json.loads(await self.socket.recv())
        return found

    async def read(self) -> None:
        """Sorts messages, and answers pings."""
        async for text in self.socket:
            message = json.loads(text)
            if message["type"] == "ping":
                await self.say({"type": "pong"})
            elif "id" in message:
                self.waiting[message["id"]].put_nowait(message)


@dataclass
class Subscribed:
    """An operation on a connection."""

    caller: Caller
    name: str

    async def message(self, seconds: float = PATIENCE) -> dict[str, Any]:
        """Its next message."""
        async with asyncio.timeout(seconds):
            return await self.caller.waiting[self.name].get()

    async def next(self, seconds: float = PATIENCE) -> dict[str, Any]:
        """The next answer's data."""
        message = await self.message(seconds)
        assert message["type"] == "next", message
        assert "errors" not in message["payload"], message
        data: dict[str, Any] = message["payload"]["data"]
        (value,) = data.values()
        found: dict[str, Any] = value
        return found

    async def error(self) -> dict[str, Any]:
        """The error that it ended with, as `extensions` tell it."""
        message = await self.message()
        assert message["type"] == "error", message
        (error,) = message["payload"]
        found: dict[str, Any] = error["extensions"]
        return found

    async def nothing(self, seconds: float) -> None:
        """There is no message for so long."""
        await asyncio.sleep(seconds)
        assert self.caller.waiting[self.name].empty(), self.caller.waiting[self.name].get_nowait()

    async def end(self) -> None:
        """Takes it back."""
        await self.caller.say({"type": "complete", "id": self.name})


@asynccontextmanager
async def calling(address: str, key: str | None, *, read: bool = True, **more: Any) -> AsyncIterator[Caller]:
    """A connection that has said who it is. `read`: messages are sorted as they come; without it they wait on the way."""
    if not read:
        host, _, port = address.partition(":")
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32_768)
        narrow.connect((host, int(port)))
        more |= {"sock": narrow, "compression": None, "max_queue": 1}
    async with connect(f"ws://{address}/graphql", subprotocols=[PROTOCOL], max_size=None, **more) as made:
        caller = Caller(made)
        await caller.say({"type": "connection_init", "payload": {} if key is None else {"Authorization": f"Bearer {key}"}})
        assert await caller.hear() == {"type": "connection_ack"}
        if read:
            caller.reading = asyncio.create_task(caller.read())
        try:
            yield caller
        finally:
            if caller.reading is not None:
                caller.reading.cancel()


@asynccontextmanager
async def streaming(address: str, key: str, query: str, variables: dict[str, Any], **headers: str) -> AsyncIterator[AsyncIterator[Any]]:
    """An operation over server-sent events: gives (event, id, data) of each."""
    given = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream", **headers}
    async with (
        httpx.AsyncClient(timeout=PATIENCE) as client,
        client.stream("POST", f"http://{address}/graphql", json={"query": query, "variables": variables}, headers=given) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield _events(answer)


async def _events(answer: httpx.Response) -> AsyncIterator[tuple[str, str | None, Any]]:
    found: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if line:
            name, _, value = line.partition(":")
            found[name] = value.strip()
            continue
        if "event" in found:
            yield found["event"], found.get("id"), json.loads(found["data"]) if found.get("data") else None
        found = {}
