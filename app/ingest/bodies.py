"""Request bodies of bounded size, and few enough at once that memory stays bounded (I8, I34, I35)."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from app.domain.problems import DeadlineExceeded
from app.ingest.places import Places
from app.store.deadline import Deadline
from app.store.pace import Pace

MOST: Final = 512 * 1024
"""Bytes of a body, unpacked (I4, I5, I35)."""

AHEAD: Final = 64 * 1024
"""Bytes that are read of a body before it has a place. The server holds as many for a caller who is not read from."""

_PACKED = 4 * 1024 * 1024
"""Bytes that a packed body may have beyond the most that it may hold: one of many members is longer than what it holds."""

_GZIP = 16 + zlib.MAX_WBITS

_STEP = 4_096
"""Bytes that are unpacked in one go."""


class Bodies:
    """Reads bodies. Callers hold a place for as long as they work on one: the rest are not read from, which slows their senders down.

    The beginning of a body is read before a place is taken, so that one that does not come takes none.
    """

    def __init__(self, at_once: int = 64) -> None:
        self._places = Places(at_once)

    @asynccontextmanager
    async def of(
        self, request: Request, caller: str, deadline: Deadline, *, most: int = MOST, packed: bool = False
    ) -> AsyncIterator[bytes]:
        """A request's body. `caller`: whose share of the places it is; `packed`: it may be gzip, and `most` counts for what that holds.

        Raises: HTTPException 413, 415, and 400 where it ends early or is no gzip; DeadlineExceeded where a place or it takes too long.
        """
        body = _Body(request, most, _unpacker(request) if packed else None)
        try:
            async with asyncio.timeout(deadline.remaining()):
                await body.begin()
        except TimeoutError:
            raise _late() from None
        async with self._places.taken(caller, deadline):
            try:
                async with self._places.hurried(deadline):
                    await body.go_on()
            except TimeoutError:
                raise _late() from None
            yield body.whole()


def _late() -> DeadlineExceeded:
    return DeadlineExceeded("The body took too long to come.")


class _Gunzip:
    """Unpacks gzip as it comes, never more at a time than is asked for."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP)
        self._begun = False

    async def feed(self, piece: bytes, most: int) -> bytes:
        """What `piece` unpacks to: whole, or `most` bytes and perhaps more. Raises: zlib.error."""
        out, pace = bytearray(), Pace()
        for start in range(0, len(piece), _STEP):  # small, as each member's end copies what is left of it
            step = piece[start : start + _STEP]
            while step and len(out) < most:
                if self._stream.eof:  # another member
                    self._stream, self._begun = zlib.decompressobj(_GZIP), False
                self._begun = True
                out += self._stream.decompress(step, most - len(out))
                step = self._stream.unconsumed_tail or self._stream.unused_data
                if pace.due:
                    await pace.rest()
        return bytes(out)

    @property
    def whole(self) -> bool:
        """Whether nothing is missing at the end."""
        return self._stream.eof or not self._begun


def _unpacker(request: Request) -> _Gunzip | None:
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("gzip", "x-gzip"):
        return _Gunzip()
    if encoding not in ("", "identity"):
        raise HTTPException(415, "Bodies come as they are, or with Content-Encoding: gzip.", {"Accept-Encoding": "gzip"})
    return None


class _Body:
    """A body as it comes: first as much as a server holds for a caller in any case, then the rest, of which no more is kept than may be."""

    def __init__(self, request: Request, most: int, unpack: _Gunzip | None) -> None:
        """Raises: HTTPException 413, where it says itself that it is too large."""
        self._most = most
        self._most_sent = most if unpack is None else most + _PACKED
        announced = request.headers.get("content-length", "")
        if announced.isdecimal() and len(announced) <= 20 and int(announced) > self._most_sent:
            raise _too_large(most)
        self._unpack = unpack
        self._pieces = self._read(request)
        self._beginning = bytearray()
        self._body = bytearray()

    async def begin(self) -> None:
        """Its beginning, not unpacked yet; all of it, where only little of it may be kept."""
        little = self._unpack is None and self._most < AHEAD
        async for piece in self._pieces:
            if len(self._beginning) <= AHEAD:
                self._beginning += piece
            if len(self._beginning) > AHEAD and not little:
                return

    async def go_on(self) -> None:
        """The rest."""
        await self._add(bytes(self._beginning))
        self._beginning.clear()
        async for piece in self._pieces:
            await self._add(piece)

    def whole(self) -> bytes:
        """All of it. Raises: HTTPException 400."""
        if self._unpack is not None and not self._unpack.whole:
            raise HTTPException(400, "The body ended early.")
        return bytes(self._body)

    async def _add(self, piece: bytes) -> None:
        try:
            self._body += piece if self._unpack is None else await self._unpack.feed(piece, self._most + 1 - len(self._body))
        except zlib.error:
            raise HTTPException(400, "The body is no gzip.") from None
        if len(self._body) > self._most:
            raise _too_large(self._most)

    async def _read(self, request: Request) -> AsyncIterator[bytes]:
        came = 0
        try:
            async for piece in request.stream():
                came += len(piece)
                if came > self._most_sent:
                    raise _too_large(self._most)
                yield piece
        except ClientDisconnect:
            raise HTTPException(400, "The body ended early.") from None


def _too_large(most: int) -> HTTPException:
    # The connection is not closed: the server reads the rest of the body, and forgets it. Closed, it would be reset under whoever still
    # sends, who would not hear why, and would send the same again and again (I21).
    return HTTPException(413, f"The body has more than {most:,} bytes.")
