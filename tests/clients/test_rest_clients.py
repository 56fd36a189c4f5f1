"""Clients generated from `openapi.json` work: pages, searches, expansions, following, 304, 410, 429 (R1, R13, R25, R30, R33, R47, R52)."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.demo.fleet import fleet
from app.domain.ids import event_id
from app.store.connection import Store
from tests.clients.conftest import Gateway, run
from tests.clients.packages import PYTHON, MissingError, generator_python
from tests.conftest import CI
from tests.listening import listening
from tests.served import account, served

pytestmark = pytest.mark.once

DOCUMENT = Path(__file__).parents[2] / "openapi.json"
BURST = 4
KEPT = 20


@pytest_asyncio.fixture
async def facts(store: Store, gateway: Gateway) -> AsyncIterator[dict[str, Any]]:
    """The gateway's, with a graph that is still being written, one that lost its oldest events, and a door that counts requests."""
    door, key = gateway.door, gateway.key
    events = list(fleet(150, seed=4, keyframe=False))
    followed = {
        "graph": await door.graph(key, events[:100]),
        "later": events[100:],
        "ids": [event_id(each["id"]) for each in events],
    }
    trimmed = {"graph": await door.graph(key, events, KEPT), "event": event_id(events[0]["id"])}
    limits = {"rate_limit": 1, "rate_burst": BURST}
    async with (
        served(store, lambda settings: settings.model_copy(update=limits)) as limited,
        listening(limited.application) as limited_address,
    ):
        limit = {"limited_url": f"http://{limited_address}", "limited_key": await limited.key(account()), "burst": BURST}
        yield {**gateway.facts, **limit, "followed": followed, "trimmed": trimmed}


async def test_a_client_of_python(facts: dict[str, Any], tmp_path: Path) -> None:
    """Made by openapi-python-client, typed, over httpx. (It knows no `deepObject` parameters, so ranges are the other client's.)"""
    try:
        python = generator_python()
    except MissingError as missing:
        (pytest.fail if CI else pytest.skip)(str(missing))
    shutil.copy(PYTHON / "smoke.py", tmp_path)
    made = ("generate", "--path", DOCUMENT, "--meta", "none", "--config", PYTHON / "generator.yaml", "--output-path", "gateway_client")
    await run(python, "-m", "openapi_python_client", *made, facts={}, folder=tmp_path)
    steps = (await run(python, "smoke.py", facts=facts, folder=tmp_path)).split()
    assert steps == [
        "graphs", "pages_forward", "pages_backward", "searches", "expands", "follows", "not_modified", "gone", "limited"
    ]  # fmt: skip


async def test_a_client_of_typescript(ask: Callable[..., Any], node_folder: Path, facts: dict[str, Any]) -> None:
    """Made by openapi-typescript and openapi-fetch: what it sends and reads fits the types, and the answers fit what it expects."""
    modules = node_folder / "node_modules"
    await ask(modules / "openapi-typescript/bin/cli.js", DOCUMENT, "--output", "api.d.ts")
    await ask(modules / "typescript/bin/tsc", "--project", "tsconfig.json")
    steps = (await ask("built/rest.js", **facts)).split()
    assert steps == [
        "graphs", "pagesForward", "pagesBackward", "searches", "ranges", "expands", "follows", "notModified", "gone", "limited"
    ]  # fmt: skip
