"""A served graph, what the oracle says of it, and other people's programs to ask for it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.demo.fleet import fleet
from app.domain.ids import event_id, node_id
from app.store.connection import Store
from tests.clients.packages import NODE, MissingError, node_modules, node_program
from tests.conftest import CI
from tests.listening import listening
from tests.oracle import log_of, state_after, tree_order
from tests.served import START_MS, Served, account, served

SECONDS = 120
"""Far more than a program takes."""


@dataclass
class Gateway:
    """A door on a port, a key, a graph, and facts about it for programs that get them as JSON."""

    door: Served
    url: str
    key: str
    graph: str
    events: list[dict[str, Any]]
    facts: dict[str, Any]


@pytest_asyncio.fixture(scope="module")
async def gateway(store: Store) -> AsyncIterator[Gateway]:
    async with served(store) as door, listening(door.application) as address:
        door.clock.ms = START_MS * 2
        key = await door.key(account())
        events = list(fleet(240, seed=3, keyframe=False))
        graph = await door.graph(key, events)
        url = f"http://{address}"
        facts = {"url": url, "key": key, "graph": graph, **known(events)}
        yield Gateway(door, url, key, graph, events, facts)


def known(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What the oracle says: the nodes and the tree after the middle event and after the last, and a node that differs between them."""
    log = log_of(events)
    middle, last = len(events) // 2, len(events)
    states = [state_after(log, place) for place in (middle, last)]
    moments = [
        {"event": event_id(log.events[place - 1]["id"]), "refs": tree_order(state), "tree": levels(state, None, 3)}
        for place, state in zip((middle, last), states, strict=True)
    ]
    ref = next(ref for ref in states[0] if states[0][ref]["state"] != states[1][ref]["state"])
    changed = {"ref": ref, "id": node_id(ref), "states": [state[ref]["state"].upper() for state in states]}
    return {"early": moments[0], "late": moments[1], "changed": changed, "ids": [event_id(each["id"]) for each in log.events]}


def levels(state: dict[str, Any], parent: str | None, depth: int) -> list[dict[str, Any]]:
    """Nodes under a parent, each with its state and, so many levels deep, what is under it."""
    found = [ref for ref in tree_order(state) if state[ref]["parent"] == parent]
    inner = [{"children": levels(state, ref, depth - 1)} if depth > 1 else {} for ref in found]
    return [{"ref": ref, "state": state[ref]["state"].upper(), **more} for ref, more in zip(found, inner, strict=True)]


@pytest.fixture(scope="session")
def node_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of tests/clients/node beside their packages."""
    try:
        node_program()
        modules = node_modules()
    except MissingError as missing:
        (pytest.fail if CI else pytest.skip)(str(missing))
    folder = tmp_path_factory.mktemp("node") / "clients"
    shutil.copytree(NODE, folder, ignore=shutil.ignore_patterns("node_modules"))
    (folder / "node_modules").symlink_to(modules, target_is_directory=True)
    return folder


async def run(*command: str | Path, facts: dict[str, Any], folder: Path, seconds: float = SECONDS) -> str:
    """What a program prints that gets the facts on standard input. It must end well, without a word of complaint."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AGW_", "NEO4J_", "PYTHON", "NODE_"))}
    process = await asyncio.create_subprocess_exec(
        *map(str, command), cwd=folder, env=environment,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(seconds):
            out, err = await process.communicate(json.dumps(facts).encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert (process.returncode, err.decode()) == (0, ""), f"{out.decode()}\n{err.decode()}"
    return out.decode()


@pytest.fixture
def ask(gateway: Gateway, node_folder: Path) -> Callable[..., Any]:
    """Runs a Node program with the gateway's facts; what it prints."""

    async def asked(*program: str | Path, **more: Any) -> str:
        return await run(node_program(), *program, facts={**gateway.facts, **more}, folder=node_folder)

    return asked
