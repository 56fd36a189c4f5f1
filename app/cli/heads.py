"""Connections on which a request's head (its address and headers) has a largest size and a longest time: nobody has shown a key yet."""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from typing import Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

HEAD_SECONDS: Final = 30.0
"""So long may a head take to come, counted from when the connection is there or the head begins."""

LINGER_SECONDS: Final = 2.0
"""What is still sent by a caller who was refused is read for so long: a connection that is broken off takes the answer along."""

_REFUSED: Final = b"content-type: text/plain; charset=utf-8\r\ncache-control: no-store\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"


def heads_of(most: int) -> type[HttpToolsProtocol]:
    """Connections on which a head has at most so many bytes."""
    return type("Heads", (_Heads,), {"most": most})


class _TooLarge(Exception):  # noqa: N818 - ends the parser's work; the answer says the rest
    pass


class _Heads(HttpToolsProtocol):
    """Heads are counted as they are read, and what is not whole yet (a header, what stands around a chunk) as it comes."""

    most: int

    _in_head = False
    _served = False
    _refused = False
    _head = 0
    _not_whole = 0
    _why: tuple[int, str] | None = None
    _timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as the parent has it
        """A caller is there."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(HEAD_SECONDS, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """The caller is gone."""
        self._no_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """More bytes."""
        if self._refused or self.transport.is_closing():
            return
        self._not_whole += len(data)
        super().data_received(data)
        if self._refused or self.transport.is_closing():
            return
        if not self._waits():
            self._no_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self._too_slow)
        if self._not_whole > self.most:
            self._refuse(*self._too_large())

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._in_head, self._head = True, 0

    def on_url(self, url: bytes) -> None:
        """A piece of the address."""
        super().on_url(url)
        self._count(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or a trailer behind a body in chunks."""
        super().on_header(name, value)
        self._count(name, value)

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._in_head, self._served, self._not_whole = False, True, 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of a body. How much of one may come is the doors' business."""
        self._not_whole = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._not_whole = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuses what the parser gave up on."""
        self._refuse(*(self._why or (400, msg)))

    def _waits(self) -> bool:
        """Whether it is the caller's turn. Where a WebSocket has taken the connection over there is no cycle."""
        return self._in_head or not self._served or (self.cycle is not None and self.cycle.response_complete)

    def _count(self, *parts: bytes) -> None:
        self._head += sum(map(len, parts))
        if self._head > self.most:
            self._why = self._too_large()
            raise _TooLarge

    def _too_large(self) -> tuple[int, str]:
        if len(self.url) > self.most:
            return 414, f"An address has at most {self.most:,} bytes."
        return 431, f"The address and headers of a request have at most {self.most:,} bytes."

    def _too_slow(self) -> None:
        self._timer = None
        if self._in_head:
            self._refuse(408, f"The address and headers of a request come within {HEAD_SECONDS:.0f} s.")
        else:
            self.transport.close()

    def _refuse(self, status: int, why: str) -> None:
        """Says why, unless the caller waits for another answer first, and hangs up."""
        self._no_timer()
        text = why.encode("ascii")
        answer = STATUS_LINE[status] + _REFUSED % len(text) + text
        if self.cycle is not None and not self.cycle.response_complete:
            if not (self._in_head or self.pipeline or self.cycle.response_started):  # it is this request's own body
                self.transport.write(answer)
            self.transport.close()
            return
        self._refused = True
        self.transport.write(answer)
        self.transport.write_eof()
        self._timer = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _no_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
