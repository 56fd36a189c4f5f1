"""The first words with a server: is it there, does it let us in, what is it, is it new enough (O23)."""

from __future__ import annotations

import asyncio
import re
from typing import Literal, TypeAlias

from neo4j import READ_ACCESS, AsyncDriver
from neo4j.exceptions import AuthError, ClientError, ConfigurationError, DriverError, Neo4jError

from app.store.deadline import Deadline
from app.store.faults import is_gone, is_retryable
from app.store.problems import StoreRefused, StoreUnreachable

Engine: TypeAlias = Literal["neo4j", "embedded"]

OLDEST_NEO4J = (5, 26)

_PAUSE = 0.02


async def greet(driver: AsyncDriver, uri: str, database: str | None, patience: Deadline) -> tuple[Engine, str]:
    """The engine and its agent string (`Neo4j/5.26.18`), once a statement has been answered.

    Raises: StoreUnreachable, StoreRefused.
    """
    while True:
        try:
            async with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
                summary = await (await session.run("RETURN 1 AS one")).consume()
            agent = summary.server.agent
            engine = engine_of(agent)
        except (DriverError, Neo4jError) as error:
            if isinstance(error, AuthError) or not (is_gone(error) or is_retryable(error)):
                raise _refusal(error, uri, database) from error
            if patience.expired:
                raise StoreUnreachable(f"No graph database answers at {uri}: check NEO4J_URI and that the server runs.") from error
        else:
            return engine, agent
        await asyncio.sleep(_PAUSE)


def engine_of(agent: str) -> Engine:
    """Which engine an agent string names.

    Raises: StoreRefused for a Neo4j older than 5.26.
    """
    if "arcade" in agent.lower():
        return "embedded"
    numbers = re.findall(r"\d+", agent.rpartition("/")[2])
    found = tuple(int(number) for number in numbers[:2])
    if found < OLDEST_NEO4J:
        raise StoreRefused(f"The server at NEO4J_URI is {agent}: Neo4j 5.26 or later is needed.")
    return "neo4j"


def _refusal(error: Exception, uri: str, database: str | None) -> Exception:
    if isinstance(error, AuthError):
        return StoreRefused(f"The graph database at {uri} refuses the login: check NEO4J_USERNAME and NEO4J_PASSWORD.")
    if isinstance(error, ClientError) and "DatabaseNotFound" in (error.code or ""):
        return StoreRefused(f"The graph database at {uri} has no database {database!r}: check NEO4J_DATABASE.")
    if isinstance(error, ConfigurationError):
        return StoreRefused(f"NEO4J_URI is not usable: {error}")
    return error
