"""A door on a port of this machine, for clients in processes of their own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp


class _Server(uvicorn.Server):
    """Leaves signals to the tests."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def listening(application: ASGIApp) -> AsyncIterator[str]:
    """Where it listens, for as long as the context lasts: `http://127.0.0.1:PORT`."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = _Server(uvicorn.Config(application, lifespan="off", log_config=None, access_log=False))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            while not server.started:
                await asyncio.sleep(0.01)
                if serving.done():
                    serving.result()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = server.force_exit = True
            with contextlib.suppress(asyncio.CancelledError):
                await serving
