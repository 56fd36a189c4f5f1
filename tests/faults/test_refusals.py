"""A store that cannot be used: one clear line that says what to do, and exit code 1 (O14, O23, O24)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from app.settings import StoreAddress
from app.store.connection import Store
from tests.cli.process import agw
from tests.store.contents import raw

MISTAKES = {
    "wrong password": ({"password": "not-this-one"}, ("refuses the login", "NEO4J_USERNAME", "NEO4J_PASSWORD")),
    "unknown database": ({"database": "nosuchdatabase"}, ("nosuchdatabase", "NEO4J_DATABASE")),
}


async def told(address: StoreAddress, data_dir: Path) -> str:
    """What a command says that needs the store, on standard error."""
    given = {"uri": address.uri, "username": address.username, "password": address.password, "database": address.database or ""}
    variables = {f"NEO4J_{name.upper()}": value for name, value in given.items()}
    done = await asyncio.to_thread(agw, data_dir, "migrate", "--check", **variables)
    assert done.returncode == 1
    assert done.stdout == ""
    assert address.password not in done.stderr
    return done.stderr


@pytest.mark.parametrize("mistake", MISTAKES)
async def test_a_mistake_is_one_line(store_address: StoreAddress, data_dir: Path, mistake: str) -> None:
    """O14, O23: which variable to look at; no traceback, no password."""
    change, words = MISTAKES[mistake]
    line = await told(replace(store_address, **change), data_dir)
    assert line.count("\n") == 1
    assert all(word in line for word in words), line


async def test_a_store_that_a_newer_program_migrated_is_one_line(store: Store, store_address: StoreAddress, data_dir: Path) -> None:
    """O24: refused, with what to do."""
    await raw(store, "CREATE (:Migration {number: 9999, name: 'of tomorrow'})")
    try:
        line = await told(store_address, data_dir)
    finally:
        await raw(store, "MATCH (m:Migration {number: 9999}) DELETE m")
    assert line.count("\n") == 1
    assert "9999" in line
    assert "install a newer agent-graph-gateway" in line
