"""Every statement once before the first request: planning and compiling take longer than running (O26)."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.statements import statement, statement_names

_AT_ONCE = 4
_PARAMETER = re.compile(r"\$([a-z_]+)")
_WRITING = re.compile(r"\b(?:CREATE|MERGE|SET|DELETE|REMOVE)\b")


class _EnoughError(Exception):
    """Rolls a transaction back."""


async def warm(store: Store, deadline: Deadline) -> None:
    """Runs every statement on nothing. What one would write is rolled back; one that finds its parameters odd was planned all the same.

    Gives up quietly at the deadline: what was not warmed is only slower the first time.
    """
    places = asyncio.Semaphore(_AT_ONCE)

    async def one(name: str) -> None:
        async with places:
            await _run(store, name, deadline)

    await asyncio.gather(*(one(name) for name in statement_names()))


async def _run(store: Store, name: str, deadline: Deadline) -> None:
    params = nothing(statement(name))

    async def work(transaction: Transaction) -> None:
        await transaction.run(name, **params)
        raise _EnoughError

    try:
        if _WRITING.search(statement(name)):
            await store.write(work, deadline)
        else:
            await store.read(name, deadline, **params)
    except Exception:  # noqa: BLE001, S110 - see above
        pass


def nothing(text: str) -> dict[str, Any]:
    """Values for a statement's parameters under which it finds no row: empty lists, a key that nothing has, 1 for sizes."""
    return {name: _value(name, text) for name in set(_PARAMETER.findall(text))}


def _value(name: str, text: str) -> Any:
    if re.search(rf"(?:UNWIND|IN)\s+\${name}\b", text):
        return []
    if re.search(rf"(?:LIMIT|SKIP)\s+\${name}\b|\${name}\s*[-+*/<>]|[-+*/<>]=?\s*\${name}\b", text):
        return 1
    return {} if re.search(rf"SET\s+\w+\s*\+?=\s*\${name}\b", text) else ""
