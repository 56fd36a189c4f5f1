"""The store that benchmarks run on, and logs in it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from app.embedded import EmbeddedStore
from app.services.appending import Appends
from app.services.clock import system_clock
from app.services.graphs import Graphs
from app.services.projectors import Projectors
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import Settings, StoreAddress
from app.store.access import LOCAL
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.migrations import migrate

VIEWER = Viewer(LOCAL, ALL_SCOPES, key_id="bench")
LOAD = 2_000
"""Events of one append while a log is loaded."""


class NoStoreError(Exception):
    """The engine asked for cannot be had; the text says what to do."""


def soon() -> Deadline:
    """Far more than one unit of work takes."""
    return Deadline.after(120)


@dataclass(slots=True)
class Bed:
    """A migrated store, the services on it, and how its engine is called in results."""

    engine: str
    address: StoreAddress
    store: Store
    appends: Appends
    graphs: Graphs
    folder: Path
    loaded: dict[str, str] = field(default_factory=dict)
    """Graphs that later benchmarks of the run use again, by what they hold."""
    logs: dict[str, Iterator[dict[str, Any]]] = field(default_factory=dict)
    """What those graphs have not been sent yet."""

    async def new_graph(self) -> str:
        """An empty graph; its id."""
        return (await self.graphs.create(VIEWER, "Bench", "watch", 0, soon())).id

    async def kept(self, name: str, log: Callable[[], Iterable[dict[str, Any]]]) -> str:
        """The graph with this log that the run has already, or makes now; its id."""
        if name not in self.loaded:
            graph_id = await self.new_graph()
            await self.load(graph_id, log())
            self.loaded[name] = graph_id
        return self.loaded[name]

    async def load(self, graph_id: str, events: Iterable[dict[str, Any]]) -> int:
        """Takes events in through the append service; gives how many."""
        waiting: list[object] = []
        count = 0
        for event in events:
            waiting.append(orjson.dumps(event))
            if len(waiting) == LOAD:
                count += await self._append(graph_id, waiting)
                waiting = []
        return count + await self._append(graph_id, waiting)

    async def _append(self, graph_id: str, lines: list[object]) -> int:
        done = await self.appends.append(VIEWER, graph_id, lines, soon())
        if done.accepted != len(lines):
            raise AssertionError(f"{done.accepted} of {len(lines)} events were taken in")
        return done.accepted


@asynccontextmanager
async def made(engine: str) -> AsyncIterator[Bed]:
    """An embedded store in a folder of its own, or the Neo4j that the environment names. Raises: NoStoreError."""
    with tempfile.TemporaryDirectory(prefix="agw-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        async with _address(engine, folder) as address:
            store = await Store.open(address, patience=90)
            try:
                await migrate(store, soon())
                settings = Settings(_env_file=None, data_dir=folder)  # type: ignore[call-arg]
                graphs = Graphs(store, system_clock, settings)
                yield Bed(engine, address, store, Appends(store, Projectors(store), system_clock), graphs, folder)
            finally:
                await store.close()


@asynccontextmanager
async def _address(engine: str, folder: Path) -> AsyncIterator[StoreAddress]:
    if engine == "embedded":
        embedded = EmbeddedStore(folder)
        try:
            yield await embedded.start()
        finally:
            await embedded.stop()
        return
    uri = os.environ.get("NEO4J_URI")
    if uri is None:
        raise NoStoreError("No Neo4j: set NEO4J_URI (and NEO4J_USERNAME, NEO4J_PASSWORD).")
    username, password = os.environ.get("NEO4J_USERNAME", "neo4j"), os.environ.get("NEO4J_PASSWORD", "")
    yield StoreAddress(uri, username, password, os.environ.get("NEO4J_DATABASE"))
