"""Why there is no embedded store. Each message is one line for the operator that says what to do."""

from __future__ import annotations

ELSEWHERE = "or set NEO4J_URI to a Neo4j 5.26 or later"
ANOTHER_FOLDER = "choose another directory with --data-dir or AGW_DATA_DIR"


class EmbeddedProblem(Exception):  # noqa: N818 - told to a person, as the domain's problems are
    """The embedded store cannot be used."""


class NotInstalled(EmbeddedProblem):
    """This platform has no embedded store, or its installation is broken."""


class FolderUnusable(EmbeddedProblem):
    """The data directory cannot be made or written to."""


class FolderInUse(EmbeddedProblem):
    """Another gateway owns the data directory, or a store that it left behind does not end."""


class StartFailed(EmbeddedProblem):
    """The store's process ended, or said nothing, before it was ready."""
