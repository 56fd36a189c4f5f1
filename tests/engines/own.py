"""An engine of a test's own: one that may be killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Protocol

from app.embedded import EmbeddedStore
from app.settings import StoreAddress
from tests.engines.container import Neo4jContainer, docker_answers
from tests.engines.jars import MissingError
from tests.engines.neo4j_server import Neo4jServer


class Engine(Protocol):
    """A graph database that a test starts, kills and revives. Its address stays the same."""

    @property
    def address(self) -> StoreAddress:
        """Where it is, or will be."""

    def start(self) -> None:
        """Starts it, and waits until it answers."""

    def kill(self) -> None:
        """Ends it without warning, by its pid."""

    def revive(self) -> None:
        """Starts it again after that, without waiting."""

    def stop(self) -> None:
        """Ends it."""


class Embedded:
    """The embedded store as such an engine: it is revived by its supervisor, without anybody's help (O22)."""

    def __init__(self, folder: Path) -> None:
        self.store = EmbeddedStore(folder)

    @property
    def address(self) -> StoreAddress:
        """Where it is."""
        return self.store.address

    def start(self) -> None:
        """Starts it, and waits until its port is open."""
        self.store.start_now()

    def kill(self) -> None:
        """Ends it without warning, by its pid."""
        assert self.store.pid is not None
        os.kill(self.store.pid, signal.SIGKILL)

    def revive(self) -> None:
        """Nothing: that is its supervisor's."""

    def stop(self) -> None:
        """Ends it cleanly."""
        self.store.stop_now()


def own_engine(kind: str, folder: Path) -> Engine:
    """A new engine, not started yet. Raises: MissingError where this machine has no Neo4j."""
    if kind == "embedded":
        return Embedded(folder)
    if docker_answers():
        return Neo4jContainer()
    try:
        return Neo4jServer(folder)
    except MissingError as missing:
        raise MissingError(f"no Neo4j: set NEO4J_URI, or let a Docker engine run; here there is {missing}") from missing
