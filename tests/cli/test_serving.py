"""The address that a gateway listens at (O3)."""

from __future__ import annotations

import asyncio
import socket

import pytest

from app.cli import serving


async def test_connections_that_take_nothing_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Q25, Q28: with what waits for them, also where nothing more is to be sent."""
    monkeypatch.setattr(serving, "UNTAKEN_SECONDS", 1)
    with serving.listening("127.0.0.1", 0) as listener, socket.socket() as caller:
        listener.listen()
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        caller.connect(listener.getsockname())
        connection, _ = listener.accept()
        reader, writer = await asyncio.open_connection(sock=connection)
        writer.write(b"x" * 2**24)
        writer.close()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(30) as patience:
                await writer.wait_closed()
        assert not patience.expired()
        assert reader.exception() is not None
