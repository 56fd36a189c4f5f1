"""Readings that are begun again where history was changed under them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

from app.store.reading import Overtaken

TRIES: Final = 3
"""So often is a reading begun."""

T = TypeVar("T")


async def undisturbed(read: Callable[[], Awaitable[T]]) -> T:
    """What `read` gives, which resolves its moment itself, each time anew. Raises: Overtaken, where history was changed each time."""
    for _ in range(TRIES - 1):
        with suppress(Overtaken):
            return await read()
    return await read()
