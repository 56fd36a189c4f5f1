"""Fixtures that everything shares: a migrated store for the whole session."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.embedded import EmbeddedStore
from app.store.connection import Store, StoreAddress
from app.store.deadline import Deadline
from app.store.migrations import migrate

ENGINES = {"embedded": ["embedded"], "neo4j": ["neo4j"], "both": ["embedded", "neo4j"]}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=sorted(ENGINES), default="embedded", help="which graph database the tests use")
    parser.addoption("--long", action="store_true", help="many more generated logs and rounds: what is run before a release")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames:
        metafunc.parametrize("engine", ENGINES[metafunc.config.getoption("--engine")], scope="session")


@pytest.fixture(scope="session")
def long(request: pytest.FixtureRequest) -> bool:
    """Whether this is a long run."""
    return bool(request.config.getoption("--long"))


@pytest_asyncio.fixture(scope="session")
async def store_address(engine: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[StoreAddress]:
    """Where a running graph database is: a fresh embedded one, or the Neo4j that NEO4J_URI names."""
    if engine == "embedded":
        embedded = EmbeddedStore(tmp_path_factory.mktemp("data"))
        address = await embedded.start()
        try:
            yield address
        finally:
            await embedded.stop()
    elif uri := os.environ.get("NEO4J_URI"):
        yield StoreAddress(
            uri,
            os.environ.get("NEO4J_USERNAME", "neo4j"),
            os.environ.get("NEO4J_PASSWORD", ""),
            os.environ.get("NEO4J_DATABASE"),
        )
    else:
        pytest.skip("no Neo4j: set NEO4J_URI")


@pytest_asyncio.fixture(scope="session")
async def store(store_address: StoreAddress) -> AsyncIterator[Store]:
    """A store of the engine under test, migrated; graphs of earlier tests are still in it."""
    opened = await Store.open(store_address, patience=90)
    try:
        await migrate(opened, Deadline.after(120))
        yield opened
    finally:
        await opened.close()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An empty data directory."""
    return tmp_path / "data"
