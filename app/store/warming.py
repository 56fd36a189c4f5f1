"""Every statement once before the first request: planning and compiling take longer than running (O26).

Neo4j makes a plan for each kind of parameters: their types, and for a text the order of its length. So a parameter's name says its kind in
every statement, and statements are warmed with what they are run with (lists are in a map, see `with_lists`).
"""

from __future__ import annotations

import asyncio
import re
from typing import Any, Final

from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.statements import statement, statement_names

_AT_ONCE = 4
_PARAMETER = re.compile(r"\$(?:lists\.)?([a-z_]+)")
_WRITING = re.compile(r"\b(?:CREATE|MERGE|SET|DELETE|REMOVE)\b")

_TEXT: Final = "-" * 32
"""As long as keys and ids are: of 11 to 100 characters. Nothing is called that."""

_SHORT: Final = "-" * 5
"""As long as names are: of 2 to 10 characters."""

SAMPLES: Final[dict[str, Any]] = {
    **dict.fromkeys(
        ("challenge", "current", "first", "g", "gone", "graph", "hash", "id", "key", "last", "title", "to_g", "value", "writer"), _TEXT
    ),
    **dict.fromkeys(("account", "name", "source", "use"), _SHORT),
    **dict.fromkeys(("adding", "after", "arrival", "before", "cleared", "created", "expires", "floor", "head", "heard", "high"), 1),
    **dict.fromkeys(("limit", "low", "now", "offset", "part", "pending", "remembered", "retention", "seq", "skipped", "time_ms"), 1),
    **dict.fromkeys(("to_adding", "trimmed", "upto", "width"), 1),
    **dict.fromkeys(("incomplete", "taking", "whole"), False),
    "row": {},
    "rows": {},
    **{name: [_TEXT] for name in ("coming", "ends", "families", "first_end", "ids", "keys", "last_end", "left", "right", "types")},
    **{name: [0] for name in ("arrivals", "buckets", "parts", "places", "seqs")},
    **{name: [0] * 7 for name in ("at", "to_at")},
    "ranges": [[_TEXT, _TEXT]],
}
"""For each parameter's name a value of its kind under which nothing is found. Where null is given instead, that is one plan more."""


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
    params = samples(name)

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


def samples(name: str) -> dict[str, Any]:
    """A statement's parameters, as its callers give them. Raises: KeyError for a name that is not in `SAMPLES`."""
    return {parameter: SAMPLES[parameter] for parameter in set(_PARAMETER.findall(statement(name)))}
