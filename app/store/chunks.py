"""What is known of the chunks of a live share: where each began, and a hash of it (I5, I6, I32). Their bytes are not kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from neo4j import Record
from neo4j.exceptions import ConstraintError

from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.keys import digest

_AT_ONCE = 500


class Log(NamedTuple):
    """A log, as one offset sees it. `start`, `end`: of all chunks that are known (None: none is); `hash`: of the chunk at that offset."""

    account: str
    start: int | None
    end: int | None
    hash: str | None


async def look(store: Store, graph_id: str, offset: int, deadline: Deadline) -> Log | None:
    """The log, and what came at an offset. None: no such graph. While another process writes it may be of two times."""
    return _log(await store.one("ingest/look", deadline, id=graph_id, key=_key(graph_id, offset)))


async def look_locked(store: Store, graph_id: str, offset: int, deadline: Deadline) -> Log | None:
    """The same, of now for certain."""
    return await store.change("ingest/look_locked", _log, deadline, id=graph_id, key=_key(graph_id, offset))


async def record(
    store: Store, graph_id: str, offset: int, size: int, hashed: str, *, skipped: int, heard: int, deadline: Deadline
) -> bool:  # fmt: skip
    """Writes down that a chunk came, and when (Unix ms). False, and nothing done: the log is gone, or no longer ends at `offset`."""
    try:
        return await store.change(
            "ingest/record", lambda found: found is not None, deadline, id=graph_id, key=_key(graph_id, offset), offset=offset,
            upto=offset + size, hash=hashed, skipped=skipped, heard=heard,
        )  # fmt: skip
    except ConstraintError:
        return False


async def offsets(store: Store, graph_id: str, deadline: Deadline) -> list[int]:
    """Where the chunks begin that are known, in order."""
    found = await store.one("ingest/offsets", deadline, id=graph_id)
    return [] if found is None else found["offsets"]


async def forget(store: Store, graph_id: str, gone: Sequence[int], first: int, deadline: Deadline) -> None:
    """Forgets the chunks at these offsets, all before `first`, where the first one begins that stays."""
    for start in range(0, len(gone), _AT_ONCE):
        keys = [_key(graph_id, offset) for offset in gone[start : start + _AT_ONCE]]
        await store.change("ingest/forget", lambda _: None, deadline, id=graph_id, offset=first, keys=keys)


def _log(record: Record | None) -> Log | None:
    return None if record is None else Log(record["account"], record["start"], record["upto"], record["hash"])


def _key(graph_id: str, offset: int) -> str:
    return digest(graph_id, "chunk", offset)
