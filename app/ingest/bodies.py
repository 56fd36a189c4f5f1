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
from app.store.deadline import Deadline

MOST: Final = 512 * 1024
"""Bytes of a body, unpacked (I4, I5, I35)."""

_READ_ON = 4 * 1024 * 1024
"""Bytes beyond the most that are read and forgotten, so that whoever sends too much still hears so."""

_GZIP = 16 + zlib.MAX_WBITS


class Bodies:
    """Reads bodies. Callers hold a slot for as long as they work on one: the rest are not read from, which slows their senders down."""

    def __init__(self, at_once: int = 64) -> None:
        self._slots = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def of(self, request: Request, deadline: Deadline, *, most: int = MOST, packed: bool = False) -> AsyncIterator[bytes]:
        """A request's body. `packed`: it may be gzip, and `most` counts for what that holds.

        Raises: HTTPException 413, 415, and 400 where it ends early or is no gzip; DeadlineExceeded where a slot or the body takes too long.
        """
        unpack = _unpacker(request) if packed else None
        try:
            async with asyncio.timeout(deadline.remaining()):
                await self._slots.acquire()
        except TimeoutError:
            raise DeadlineExceeded("Too much comes in at the moment. Try again shortly.") from None
        try:
            try:
                async with asyncio.timeout(deadline.remaining()):
                    body = await _read(request, most, unpack)
            except TimeoutError:
                raise DeadlineExceeded("The body took too long to come.") from None
            yield body
        finally:
            self._slots.release()


class _Gunzip:
    """Unpacks gzip as it comes, never more at a time than is asked for."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP)
        self._begun = False

    def feed(self, piece: bytes, most: int) -> bytes:
        """What `piece` unpacks to: whole, or `most` bytes and perhaps more. Raises: zlib.error."""
        out = bytearray()
        while piece and len(out) < most:
            if self._stream.eof:  # another member
                self._stream, self._begun = zlib.decompressobj(_GZIP), False
            self._begun = True
            out += self._stream.decompress(piece, most - len(out))
            piece = self._stream.unconsumed_tail or self._stream.unused_data
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


async def _read(request: Request, most: int, unpack: _Gunzip | None) -> bytes:
    too_large = HTTPException(413, f"The body has more than {most:,} bytes.", {"Connection": "close"})
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and len(announced) <= 20 and int(announced) > most + _READ_ON:
        raise too_large
    body, came = bytearray(), 0
    try:
        async for piece in request.stream():
            came += len(piece)
            if came > most + _READ_ON:
                raise too_large
            if len(body) <= most:
                body += piece if unpack is None else unpack.feed(piece, most + 1 - len(body))
    except ClientDisconnect:
        raise HTTPException(400, "The body ended early.") from None
    except zlib.error:
        raise HTTPException(400, "The body is no gzip.") from None
    if len(body) > most:
        raise too_large
    if unpack is not None and not unpack.whole:
        raise HTTPException(400, "The body ended early.")
    return bytes(body)
