"""What keeps the gateway from using a store at all. Each message is one line for the operator that says what to do."""

from __future__ import annotations


class StoreProblem(Exception):  # noqa: N818 - told to a person, as the domain's problems are
    """The store cannot be used as it is set."""


class StoreUnreachable(StoreProblem):
    """Nothing answers at the address in time."""


class StoreRefused(StoreProblem):
    """The server answers, but not to us: wrong password, unknown database, a version that is too old."""


class StoreTooNew(StoreProblem):
    """A newer version of the program has migrated this store (O24)."""
