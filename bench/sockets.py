"""A WebSocket client for subscriptions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

import orjson
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol


class Socket:
    """One connection of `graphql-transport-ws`."""

    def __init__(self, port: int, key: str) -> None:
        self._made = connect(
            f"ws://127.0.0.1:{port}/graphql", subprotocols=[Subprotocol("graphql-transport-ws")], compression=None, max_size=None
        )  # fmt: skip
        self._key = key
        self._count = 0

    async def __aenter__(self) -> Socket:
        self._socket = await self._made.__aenter__()
        await self._say({"type": "connection_init", "payload": {"Authorization": f"Bearer {self._key}"}})
        await self._socket.recv()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._made.__aexit__(kind, error, trace)

    async def subscribe(self, query: str, variables: dict[str, Any]) -> None:
        """Begins one more subscription."""
        self._count += 1
        await self._say({"type": "subscribe", "id": str(self._count), "payload": {"query": query, "variables": variables}})

    async def payloads(self) -> AsyncIterator[dict[str, Any]]:
        """What its subscriptions are told; pings are answered."""
        async for text in self._socket:
            message = orjson.loads(text)
            if message["type"] == "ping":
                await self._say({"type": "pong"})
            elif message["type"] == "next":
                yield message["payload"]
            else:
                raise AssertionError(message)

    def drop(self) -> None:
        """Ends the connection without a word."""
        self._socket.transport.abort()

    async def _say(self, message: dict[str, Any]) -> None:
        await self._socket.send(orjson.dumps(message).decode())
