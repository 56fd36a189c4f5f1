"""Waiting for a Neo4j's first answer."""

from __future__ import annotations

import time
from collections.abc import Callable

from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

START_SECONDS = 180
_PAUSE = 0.1


def ask(uri: str, auth: tuple[str, str], text: str, database: str | None = None, **params: str) -> None:
    """Runs one statement on a connection of its own. Raises what the driver raises."""
    with GraphDatabase.driver(uri, auth=auth, connection_timeout=2) as driver, driver.session(database=database) as session:
        session.run(text, params).consume()


def wait_for(attempt: Callable[[], None], alive: Callable[[], bool], log: Callable[[], str]) -> None:
    """Tries until it works, while the server lives. Raises: RuntimeError with the end of its log."""
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            attempt()
        except (DriverError, Neo4jError) as error:
            if not alive() or time.monotonic() > until:
                raise RuntimeError(f"Neo4j does not start ({error}): {log()[-2000:]}") from error
            time.sleep(_PAUSE)
        else:
            return
