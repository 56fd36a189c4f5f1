"""The application on the store under test, asked without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from app import running
from app.domain.key_form import new_secret
from app.main import create_app
from app.services.bundle import Services
from app.settings import Settings, StoreAddress
from app.store.connection import Store
from app.store.deadline import Deadline

KEY = new_secret()
"""The operator's key of every application here: they share a store, and another key would end the one before."""

_NO_JAR = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # cookies are sent by hand

ORIGIN = "http://127.0.0.1:8080"

_warm: set[str] = set()
"""Addresses of stores on which an application has run every statement already."""


@dataclass
class Opened:
    """A running application, its operator's key, and a client that sends it."""

    app: Starlette
    services: Services
    key: str
    client: httpx.AsyncClient
    nobody: httpx.AsyncClient


def settings_on(address: StoreAddress, data_dir: Path, **more: Any) -> Settings:
    """Settings for the store at `address`, whichever engine it is; nothing of the environment's."""
    return Settings(
        _env_file=None,
        data_dir=data_dir,
        neo4j_uri=address.uri,
        neo4j_username=address.username,
        neo4j_password=address.password,
        neo4j_database=address.database,
        rate_limit=0,
        **more,
    )


@asynccontextmanager
async def opened(address: StoreAddress, data_dir: Path, clock: Callable[[], int] | None = None, **more: Any) -> AsyncIterator[Opened]:
    """The application, from start to end; what is warm already it does not warm again."""
    app = create_app(settings_on(address, data_dir, admin_key=KEY, **more), clock=clock)

    async def not_again(store: Store, deadline: Deadline) -> None: ...

    async with AsyncExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            if address.uri in _warm:
                patch.setattr(running, "warm_statements", not_again)
            await stack.enter_async_context(app.router.lifespan_context(app))
        _warm.add(address.uri)
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with (
            httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers={"Authorization": f"Bearer {KEY}"}, cookies=_NO_JAR) as client,
            httpx.AsyncClient(transport=transport, base_url=ORIGIN, cookies=_NO_JAR) as nobody,
        ):
            yield Opened(app, app.state.services, KEY, client, nobody)
