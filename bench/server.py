"""`python -m bench.server`: the gateway as it is served, with the floors beside it in the same process on the same HTTP stack.

Reads one line of JSON (`Order`) from standard input, prints its port, and serves until it is told to stop.
"""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec
import uvicorn
from pydantic import SecretStr
from starlette.types import Receive, Scope, Send

from app.cli.serving import run_until_stopped
from app.main import create_app
from app.services.garbage import settle_garbage
from app.settings import Settings, StoreAddress
from app.store.connection import driver_for
from bench.floors import floor_app


@dataclass(frozen=True, slots=True)
class Order:
    """What to serve: a store that runs, the operator's key, and how many nodes of whole graphs may be kept in memory."""

    uri: str
    username: str
    password: str
    database: str | None
    data_dir: str
    key: str
    cached_nodes: int


class Server(uvicorn.Server):
    """Says where it listens once it does."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Opens the doors."""
        await super().startup(sockets)
        assert sockets is not None
        sys.stdout.write(f"{sockets[0].getsockname()[1]}\n")
        sys.stdout.flush()


async def serve(order: Order) -> None:
    """Serves until a signal comes."""
    settings = Settings(
        _env_file=None,  # type: ignore[call-arg]
        data_dir=Path(order.data_dir),
        neo4j_uri=order.uri,
        neo4j_username=order.username,
        neo4j_password=SecretStr(order.password),
        neo4j_database=order.database,
        admin_key=SecretStr(order.key),
        rate_limit=0,
        write_deadline=120,
        snapshot_cache_nodes=order.cached_nodes,
        log_level="warning",
    )
    gateway = create_app(settings)
    driver = driver_for(StoreAddress(order.uri, order.username, order.password, order.database))
    floors = floor_app(driver, order.database)

    async def either(scope: Scope, receive: Receive, send: Send) -> None:
        await (floors if scope["path"].startswith("/floor/") else gateway)(scope, receive, send)

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(either, lifespan="off", log_config=None, access_log=False, server_header=False)
        async with driver, gateway.router.lifespan_context(gateway):
            settle_garbage()
            await Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    run_until_stopped(serve(msgspec.json.decode(sys.stdin.readline(), type=Order)))
