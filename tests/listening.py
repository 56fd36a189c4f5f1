"""A door on a port of this machine, for clients that open connections of their own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

import uvicorn
from starlette.types import ASGIApp


@asynccontextmanager
async def listening(application: ASGIApp) -> AsyncIterator[str]:
    """Where it listens, for as long as the context lasts: `127.0.0.1:PORT`."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32_768)  # so that who takes nothing is noticed soon
        listener.bind(("127.0.0.1", 0))
        host, port = listener.getsockname()
        config = uvicorn.Config(application, lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        server.capture_signals = nullcontext  # type: ignore[method-assign]  # signals are the tests' own
        work = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            while not server.started:  # noqa: ASYNC110 - there is nothing to wait for
                await asyncio.sleep(0.01)
            yield f"{host}:{port}"
        finally:
            server.should_exit = True
            await work
