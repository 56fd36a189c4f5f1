"""Fixtures that everything shares: a migrated store for the whole session, on one engine or on each of both."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory

import pytest
import pytest_asyncio
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from app.embedded.problems import EmbeddedProblem
from app.settings import StoreAddress
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.migrations import migrate
from app.store.problems import StoreProblem
from app.training import train
from tests import beside
from tests.engines.jars import MissingError
from tests.engines.own import Engine, own_engine

ENGINES = {**{each: [each] for each in beside.ENGINES}, "both": list(beside.ENGINES)}
CI = os.environ.get("CI") == "true"
"""Continuous integration has both engines: one that is missing is a failure."""

MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "which graph database the tests use (default: embedded; in continuous integration both)"
    parser.addoption("--engine", choices=sorted(ENGINES), default="both" if CI else "embedded", help=told)
    written = "write what statements and operations cost (tests/store/budgets, tests/graphql/data) instead of checking it"
    parser.addoption("--write-budgets", action="store_true", help=written)
    parser.addoption("--long", action="store_true", help="many more generated logs and rounds: what is run before a release")


def pytest_configure(config: pytest.Config) -> None:
    settings.register_profile("sample", derandomize=True, deadline=None)
    settings.register_profile("search", derandomize=False, deadline=None)
    settings.load_profile("search" if config.getoption("--long") else "sample")
    config.addinivalue_line("markers", "store: runs on a graph database (set by the fixture `engine`); `-m store` runs these alone")
    config.addinivalue_line("markers", "only(engine): for what one engine alone has or does")
    config.addinivalue_line("markers", "once: about a door or its callers; where there are two engines it runs on the first")
    config.addinivalue_line("markers", "alone: measures time, or waits only so long; nothing that shares the run goes on beside it")
    config.addinivalue_line("markers", "shared: generated cases; where there are two engines, each takes its part of them")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames:
        only = metafunc.definition.get_closest_marker("only")
        engines = ENGINES[metafunc.config.getoption("--engine")]
        wanted = [each for each in engines if only is None or each in only.args]
        if metafunc.definition.get_closest_marker("once"):
            wanted = wanted[:1]
        metafunc.parametrize("engine", wanted or [None], scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    engines = ENGINES[config.getoption("--engine")]
    for_another = [item for item in items if "engine" in (on := _parameters(item)) and on["engine"] is None]
    shared: dict[tuple[object, object], int] = Counter()
    for item in items:
        if item.get_closest_marker("shared"):
            engine = _parameters(item)["engine"]
            number = shared[function := (getattr(item, "function", None), engine)]
            shared[function] += 1
            if engines[number % len(engines)] != engine:
                for_another.append(item)
    items[:] = [item for item in items if item not in for_another]
    config.hook.pytest_deselected(items=for_another)
    for item in items:
        if "engine" in _parameters(item):
            item.add_marker(pytest.mark.store)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return beside.ByEngine(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with beside.turn(alone=item.get_closest_marker("alone") is not None):
        return (yield)


def _parameters(item: pytest.Item) -> dict[str, object]:
    return item.callspec.params if hasattr(item, "callspec") else {}


@pytest.fixture(scope="session")
def long(request: pytest.FixtureRequest) -> bool:
    """Whether this is a long run."""
    return bool(request.config.getoption("--long"))


@pytest.fixture
def share(request: pytest.FixtureRequest, engine: str) -> Callable[[range], range]:
    """What an engine takes of generated cases: all, or where there are two engines its part of them."""
    engines = ENGINES[request.config.getoption("--engine")]
    return lambda cases: cases[engines.index(engine) :: len(engines)] if len(cases) >= len(engines) else cases


@contextmanager
def started(kind: str) -> Iterator[Engine]:
    """An engine of one's own, from start to end; without it the test is skipped, or fails in continuous integration.

    Its files are in memory where there is room: a commit waits for no disk, and whoever is killed loses as little as on one.
    """
    roomy = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and disk_usage(MEMORY).free > ROOM
    with TemporaryDirectory(prefix=f"agw-{kind}-", dir=MEMORY if roomy else None, ignore_cleanup_errors=True) as folder:
        try:
            engine = own_engine(kind, Path(folder))
        except MissingError as missing:
            (pytest.fail if CI else pytest.skip)(str(missing))
        try:
            engine.start()
            yield engine
        finally:
            engine.stop()


@pytest.fixture(scope="session", autouse=True)
def start_cache() -> None:
    """Embedded stores start with what makes that faster; it is made in seconds where it is not there. Without it they start as well."""
    with suppress(EmbeddedProblem, StoreProblem, OSError):
        train()


@pytest.fixture(scope="session")
def store_address(engine: str) -> Iterator[StoreAddress]:
    """Where a running graph database is: a fresh one, or the Neo4j that NEO4J_URI names."""
    uri = os.environ.get("NEO4J_URI")
    if engine == "neo4j" and uri:
        given = {name: os.environ.get(f"NEO4J_{name.upper()}") for name in ("username", "password", "database")}
        yield StoreAddress(uri, given["username"] or "neo4j", given["password"] or "", given["database"])
        return
    with started(engine) as own:
        yield own.address


@pytest.fixture(scope="module")
def mortal(engine: str) -> Iterator[Engine]:
    """An engine that the tests of one module kill as they like, empty at first."""
    with started(engine) as own:
        yield own


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
