"""What comes on a connection before anybody has shown a key is bounded."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect

from app.cli import heads
from app.cli.heads import heads_of

MOST = 10_000
START = b"GET /a HTTP/1.1\r\nHost: x\r\n"


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Tells how long the body was; a WebSocket's messages are sent back."""
    if scope["type"] == "websocket":
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        async for text in socket.iter_text():
            await socket.send_text(text)
        return
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{len(body)} bytes")(scope, receive, send)


@asynccontextmanager
async def listening() -> AsyncIterator[int]:
    """A server's port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(application, http=heads_of(MOST), lifespan="off", log_config=None, access_log=False))
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            await running


async def told(*pieces: bytes, port: int) -> bytes:
    """All that is answered to these pieces, sent one after the other, until the server hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.005)
    except ConnectionError:
        pass
    try:
        return await asyncio.wait_for(reader.read(), 20)
    except ConnectionError:
        return b"hung up"
    finally:
        writer.close()


CLOSE = b"Connection: close\r\n\r\n"
CHUNKED = b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("pieces", "status"),
    [
        ([START + CLOSE], b"200"),
        ([START + b"X: " + b"a" * (MOST - 100) + b"\r\n" + CLOSE], b"200"),
        ([START + b"X: " + b"a" * MOST + b"\r\n" + CLOSE], b"431"),
        ([START, *[b"X: a\r\n" * 200] * 20, CLOSE], b"431"),
        ([START, *[b"a" * 1_000] * 20], b"431"),
        ([START + b"X: ", *[b"a" * 1_000] * 20], b"431"),
        ([b"GET /" + b"a" * MOST + b" HTTP/1.1\r\nHost: x\r\n" + CLOSE], b"414"),
        ([b"GET /a?", *[b"a" * 1_000] * 20], b"414"),
        ([b"GET /a HTTP/1.1\r\nnonsense\r\n\r\n"], b"400"),
        ([CHUNKED + b"what is this\r\n"], b"400"),
        ([CHUNKED, b"5\r\nhello\r\n0\r\n\r\n"], b"200"),
        ([CHUNKED, *[b"1000\r\n" + b"a" * 4_096 + b"\r\n"] * 20, b"0\r\n\r\n"], b"200"),
        ([b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 80000\r\n" + CLOSE, *[b"a" * 1_000] * 80], b"200"),
    ],
)
async def test_a_head_has_a_largest_size(pieces: list[bytes], status: bytes) -> None:
    """Address and headers together; a body has other bounds."""
    async with listening() as port:
        answer = await told(*pieces, port=port)
    assert answer.startswith(b"HTTP/1.1 " + status)
    if status in (b"431", b"414"):
        assert f"at most {MOST:,} bytes".encode() in answer


@pytest.mark.parametrize("endless", [b"5;" + b"a" * 1_000, b"0\r\n" + b"X: a\r\n" * 200, b"0\r\nX: " + b"a" * 1_000])
async def test_nor_can_anything_else_be_collected_without_end(endless: bytes) -> None:
    """What stands around a body's chunks is no body: a caller who sends more and more of it is hung up on."""
    async with listening() as port:
        assert not (await told(CHUNKED, *[endless, *[endless[-900:]] * 30], port=port)).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(("sent", "status"), [(b"", b""), (b"GET /a HTT", b"HTTP/1.1 408"), (START, b"HTTP/1.1 408")])
async def test_a_head_has_a_longest_time(monkeypatch: pytest.MonkeyPatch, sent: bytes, status: bytes) -> None:
    """A connection on which no request comes, or half of one, is not kept: there are only so many."""
    monkeypatch.setattr(heads, "HEAD_SECONDS", 0.3)
    async with listening() as port:
        answer = await told(sent, port=port)
        assert answer.startswith(status)
        assert bool(answer) == bool(status)


async def test_whoever_came_in_time_has_all_the_time_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that comes slowly, and a WebSocket on which nothing is said, are not heads."""
    monkeypatch.setattr(heads, "HEAD_SECONDS", 0.2)
    async with listening() as port, connect(f"ws://127.0.0.1:{port}/") as talk:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\na")
        await asyncio.sleep(0.5)
        writer.write(b"b")
        assert (await reader.read()).endswith(b"2 bytes")
        writer.close()
        await talk.send("still here")
        assert await talk.recv() == "still here"
