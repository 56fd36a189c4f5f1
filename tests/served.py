"""The GraphQL and REST doors over HTTP on the tests' store, with a clock that tests set and accounts of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.applications import Starlette
from starlette.types import ASGIApp

from app.graphql import graphql_routes
from app.ingest import ingest_routes
from app.rest import rest_routes
from app.rho import rho_routes
from app.services.access import Access
from app.services.appending import Appends
from app.services.bundle import Services
from app.services.deletions import Deletions
from app.services.graphs import Graphs
from app.services.keys import Keys
from app.services.live import Live
from app.services.logins import Logins
from app.services.moving import Moving
from app.services.operator_key import OperatorKey
from app.services.projectors import Projectors
from app.services.rates import RateLimits
from app.services.rho.rho import Rho
from app.services.shares import Shares
from app.services.viewer import ALL_SCOPES, Scope, Viewer
from app.settings import Settings
from app.store.connection import Store
from app.store.deadline import Deadline
from app.web.request_log import RequestLog

START_MS = 1_772_442_060_000


@dataclass
class SetClock:
    """A clock that stands still until it is set."""

    ms: int = START_MS

    def __call__(self) -> int:
        return self.ms


@dataclass
class Served:
    """A door with its clients."""

    services: Services
    clock: SetClock
    client: httpx.AsyncClient
    application: ASGIApp
    keys: dict[str, str] = field(default_factory=dict)

    async def key(self, account: str, scopes: tuple[Scope, ...] = ("read", "write"), graph_ids: list[str] | None = None) -> str:
        """A new key of an account, which is made if need be."""
        operator = Viewer(account="local", scopes=ALL_SCOPES, key_id="operator", operator=True)
        if graph_ids is not None:
            operator = Viewer(account=account, scopes=ALL_SCOPES, key_id="own", operator=True)
        _, secret = await self.services.keys.create(operator, "test", scopes, Deadline.after(30), graph_ids=graph_ids, account=account)
        return secret

    async def ask(self, key: str | None, query: str, variables: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        """The answer's body to a POST."""
        given = {"Accept": "application/graphql-response+json", **headers}
        if key is not None:
            given.setdefault("Authorization", f"Bearer {key}")
        answer = await self.client.post("/graphql", json={"query": query, "variables": variables}, headers=given)
        body: dict[str, Any] = answer.json()
        return body

    async def graph(self, key: str, events: list[Any], keep: int = 0) -> str:
        """A new graph with these events in it; `keep`: how many it keeps (0: all)."""
        made = await self.ask(key, f"mutation {{ createGraph(input: {{retentionEvents: {keep}}}) {{ graph {{ id }} }} }}")
        graph_id: str = made["data"]["createGraph"]["graph"]["id"]
        if events:
            await self.append(key, graph_id, events)
        return graph_id

    async def append(self, key: str, graph_id: str, events: list[Any]) -> None:
        """Takes events in."""
        done = await self.ask(key, APPEND, {"g": graph_id, "e": events})
        assert "errors" not in done, done


APPEND = "mutation($g: ID!, $e: [JSON!]!) { appendEvents(graphId: $g, events: $e) { accepted invalid { reason } } }"


@asynccontextmanager
async def served(store: Store, change: Callable[[Settings], Settings] = lambda settings: settings) -> AsyncIterator[Served]:
    """A door on a store, for as long as the context lasts."""
    clock = SetClock()
    settings = change(Settings(_env_file=None, public_url="https://graphs.example", rate_limit=0))  # type: ignore[call-arg]
    access = Access(store, clock)
    graphs = Graphs(store, clock, settings)
    live = Live(store, graphs, access, clock, settings)
    appends = Appends(store, Projectors(store), clock, told=live.news.tell)
    services = Services(
        settings=settings,
        clock=clock,
        store=store,
        access=access,
        keys=Keys(store, clock),
        logins=Logins(store, clock),
        graphs=graphs,
        appends=appends,
        moving=Moving(store, graphs, appends),
        shares=Shares(store, clock, graphs, appends),
        operator=OperatorKey("", None, made=False),
        rates=RateLimits(settings.rate_limit, settings.rate_burst, clock),
        deletions=Deletions(store, clock, graphs),
        live=live,
        rho=Rho.on(store, clock, settings.rho_snapshots),
    )
    routes = [*graphql_routes(services, settings), *rest_routes(services), *rho_routes(services), *ingest_routes(services)]
    application = RequestLog(Starlette(routes=routes))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://graphs.test") as client:
        yield Served(services, clock, client, application)
    await live.close()
    await services.deletions.close()
    await access.close()


def account() -> str:
    """The name of a new account."""
    return f"acc{uuid4().hex}"


@contextmanager
def written_down(store: Store, names: list[str]) -> Iterator[None]:
    """The names of the statements that are read with, in the order in which they are sent, for as long as the context lasts."""
    plain = store.read

    async def read(name: str, *args: Any, **params: Any) -> Any:
        names.append(name)
        return await plain(name, *args, **params)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "read", read)
        yield
