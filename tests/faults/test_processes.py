"""Processes that come and go: gateways that start at once, a store killed and started again under load (O22, O24, O25, O30)."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from app.demo.fleet import fleet
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store.migrations import known_migrations
from tests.application import Opened, opened
from tests.cli.process import agw
from tests.engines.own import Engine
from tests.grown import reader, soon
from tests.oracle import log_of, state_after
from tests.served import APPEND
from tests.services.test_graph_at import whole
from tests.timing import TRIES

BATCH = 40
AWAY = 2.5
"""Seconds for which the store is gone at least, where somebody has to start it again."""
IN_TIME = 2.5
"""O30's 2 s, and a little for a machine that has two cores for all of this."""

QUESTION = "query($g: ID!) { graph(id: $g) { counts { nodes blocked } roots(first: 5) { nodes { title children { nodes { state } } } } } }"


@dataclass
class Answer:
    """When something was asked and answered (monotonic seconds), and what came: `ok`, `unavailable`, `late`, or what should not."""

    began: float
    ended: float
    what: str


@dataclass
class Load:
    """Producers and readers of one gateway, for as long as `going_on`."""

    gateway: Opened
    answers: list[Answer] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)
    going_on: bool = True

    async def timed(self, ask: Callable[[], Awaitable[httpx.Response]]) -> Answer:
        """One request."""
        began = time.monotonic()
        what = told(await ask())
        self.answers.append(Answer(began, time.monotonic(), what))
        return self.answers[-1]

    async def produce(self, graph_id: str, log: list[dict[str, Any]]) -> None:
        """Sends a log in batches, each until it is acknowledged, as a producer does."""
        self.taken[graph_id] = 0
        while self.going_on and (batch := log[self.taken[graph_id] :][:BATCH]):
            body = {"query": APPEND, "variables": {"g": graph_id, "e": batch}}
            answer = await self.timed(lambda body=body: self.gateway.client.post("/graphql", json=body))  # type: ignore[misc]
            if answer.what == "ok":
                self.taken[graph_id] += len(batch)
            else:
                await asyncio.sleep(0.1)

    async def look(self, graph_id: str) -> None:
        """Asks for a graph again and again."""
        while self.going_on:
            body = {"query": QUESTION, "variables": {"g": graph_id}}
            await self.timed(lambda body=body: self.gateway.client.post("/graphql", json=body))  # type: ignore[misc]
            await asyncio.sleep(0.02)

    async def ready(self) -> float:
        """Waits until the gateway says that it is ready; when that was."""
        while (await self.gateway.nobody.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - that is how one finds out
            await asyncio.sleep(0.05)
        return time.monotonic()


def told(answer: httpx.Response) -> str:
    """What an answer says."""
    errors = answer.json().get("errors", [])
    codes = {error["extensions"]["code"] for error in errors}
    if answer.status_code == 503 and codes == {"STORE_UNAVAILABLE"}:
        return "unavailable"
    if codes == {"DEADLINE_EXCEEDED"}:
        return "late"
    return "ok" if answer.status_code == 200 and not codes else f"{answer.status_code} {answer.text[:300]}"


async def answers_again(address: StoreAddress) -> float:
    """Waits until the store answers a statement; when that was."""
    while True:
        try:
            auth = (address.username, address.password)
            async with AsyncGraphDatabase.driver(address.uri, auth=auth, connection_timeout=0.5) as own:
                await own.execute_query("RETURN 1", database_=address.database)
            return time.monotonic()
        except (DriverError, Neo4jError):
            await asyncio.sleep(0.05)


@pytest_asyncio.fixture
async def load(mortal: Engine, tmp_path: Path) -> AsyncIterator[Load]:
    async with opened(mortal.address, tmp_path, retention_events=0) as gateway:
        yield Load(gateway)


async def test_of_two_gateways_that_start_at_once_one_migrates(mortal: Engine, tmp_path: Path) -> None:
    """O24: by the lock in the store, across processes; the other waits, and finds nothing to do. The store is empty as yet."""
    to = mortal.address
    where = {"NEO4J_URI": to.uri, "NEO4J_USERNAME": to.username, "NEO4J_PASSWORD": to.password, "NEO4J_DATABASE": to.database or ""}
    both = [asyncio.to_thread(agw, tmp_path / name, "migrate", "--json", **where) for name in ("one", "other")]
    done = await asyncio.gather(*both)
    assert [each.returncode for each in done] == [0, 0], [each.stderr for each in done]
    applied = sorted((json.loads(each.stdout)["applied"] for each in done), key=len)
    assert [len(each) for each in applied] == [0, len(known_migrations())]
    again = await asyncio.to_thread(agw, tmp_path / "one", "migrate", "--check", "--json", **where)
    assert json.loads(again.stdout)["missing"] == []


@pytest.mark.alone
async def test_a_store_killed_and_started_again_under_load(mortal: Engine, load: Load, engine: str, long: bool) -> None:
    """O30: 503 within 2 s while it is gone, ready within 5 s of its return, producers lose nothing; O25: nobody waits beyond a deadline."""
    gateway = load.gateway
    viewer = Viewer("local", ALL_SCOPES, key_id="operator")
    logs = {}
    for seed in (31, 32):
        made = (await gateway.services.graphs.create(viewer, None, "watch", 0, soon())).id
        logs[made] = list(fleet(60_000 if long else 12_000, seed=seed, keyframe=False))
    work = [asyncio.create_task(load.produce(graph_id, log)) for graph_id, log in logs.items()]
    work += [asyncio.create_task(load.look(graph_id)) for graph_id in logs]
    try:
        in_time = late = 0
        while in_time < (5 if long else 1):
            await asyncio.sleep(1.5)
            assert any(answer.what == "ok" for answer in load.answers)
            before = dict(load.taken)
            mortal.kill()
            killed = time.monotonic()
            await asyncio.sleep(AWAY)
            mortal.revive()
            back = await answers_again(mortal.address)
            ready = await load.ready()
            await asyncio.sleep(1.5)
            while load.taken == before:  # the first batch after it may have to be folded again
                assert time.monotonic() - back < 30
                await asyncio.sleep(0.1)
            served = min(answer.ended for answer in load.answers if answer.began > killed and answer.what == "ok")
            gone = [answer for answer in load.answers if answer.began > killed and answer.ended < min(back, served)]
            assert {answer.what for answer in gone} <= {"unavailable"}
            waited = max((answer.ended - answer.began for answer in gone), default=served - killed)  # back before anybody had to be told
            if ready - back < 5 and waited < IN_TIME:
                in_time += 1
            else:  # what else the machine does only ever adds
                late += 1
            assert late < TRIES
    finally:
        load.going_on = False
        await asyncio.gather(*work)
    assert {answer.what for answer in load.answers} <= {"ok", "unavailable", "late"}
    for graph_id, log in logs.items():
        taken = load.taken[graph_id]
        at = await reader(gateway.services.store, snapshot_cache_nodes=0).at(viewer, graph_id, None, soon())
        assert at.info.event_count in (taken, taken + len(log[taken:][:BATCH])), "a batch is lost, or there by half"
        assert await whole(at) == state_after(log_of(log), at.info.event_count, at.moment.time_ns)
