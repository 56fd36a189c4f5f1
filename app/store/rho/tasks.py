"""Every state that the tasks of certain nodes have had (M27)."""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.rho.task_times import TaskSpan
from app.store.keys import node_key
from app.store.reading import Reading


async def ended_states(reading: Reading, refs: Iterable[str]) -> list[TaskSpan]:
    """The states that are over, of those that began at the place or before. Raises: Overtaken."""
    keys = [node_key(reading.g, ref) for ref in dict.fromkeys(refs)]
    if not keys:
        return []
    records = await reading.ranged("rho/task_states", keys=keys, seq=reading.seq)
    return [TaskSpan(ref, id, since, tuple(says)) for record in records for ref, id, since, *says in record["rows"]]
