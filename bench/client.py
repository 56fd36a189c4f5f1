"""An HTTP client that costs next to nothing: one kept-alive connection, requests made beforehand, bodies read by their length."""

from __future__ import annotations

import asyncio
from types import TracebackType


class UnexpectedAnswerError(Exception):
    """An answer that is not 200."""


class Client:
    """One connection to a server on this machine."""

    def __init__(self, port: int, key: str) -> None:
        self.port = port
        self.key = key
        self._head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\nAccept: application/json\r\n"

    async def __aenter__(self) -> Client:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 26)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    def another(self) -> Client:
        """A second connection to the same server, not yet open."""
        return Client(self.port, self.key)

    def get(self, path: str, **headers: str) -> bytes:
        """A request for `ask`."""
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"GET {path} HTTP/1.1\r\n{self._head}{more}\r\n".encode()

    def post(self, path: str, body: bytes) -> bytes:
        """The same with a JSON body."""
        return f"POST {path} HTTP/1.1\r\n{self._head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    async def tag(self, request: bytes) -> str:
        """The `ETag` of the answer. Raises: UnexpectedAnswerError."""
        head, _ = await self._answer(request)
        return next(line[5:].strip().decode() for line in head.split(b"\r\n") if line.lower().startswith(b"etag:"))

    async def unchanged(self, request: bytes) -> None:
        """A question whose answer is 304. Raises: UnexpectedAnswerError."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 304"):
            raise UnexpectedAnswerError(head.splitlines()[0].decode())

    async def ask(self, request: bytes) -> bytes:
        """The body of the answer. Raises: UnexpectedAnswerError."""
        return (await self._answer(request))[1]

    async def _answer(self, request: bytes) -> tuple[bytes, bytes]:
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
        body = await self._reader.readexactly(length)
        if not head.startswith(b"HTTP/1.1 200"):
            raise UnexpectedAnswerError(f"{head.splitlines()[0].decode()}: {body[:500].decode()}")
        return head, body
