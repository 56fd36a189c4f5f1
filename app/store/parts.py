"""Tasks, spawns, waits and messages at a place: of a whole graph, or of certain nodes."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Literal, TypeAlias

from app.domain.rows import MessageRow, SpawnRow, TaskRow, WaitRow
from app.store.keys import node_key
from app.store.reading import Reading, Stored, Values, by_position, named

PartKind: TypeAlias = Literal["task", "spawn", "wait", "message"]

_PLACE = ("ref", "since", "position")

COLUMNS: dict[PartKind, tuple[str, ...]] = {
    "task": (*_PLACE, *TaskRow._fields),
    "spawn": (*_PLACE, *SpawnRow._fields),
    "wait": (*_PLACE, *WaitRow._fields),
    "message": (*_PLACE, *MessageRow._fields),
}
"""Names of the values of a row. A wait's `on` is `target` in the store."""


async def whole(reading: Reading, kind: PartKind) -> dict[str, list[Values]]:
    """The parts of every node that has any, by its ref, each node's in order (E125): the values of the kind's columns."""
    current = await reading.rows(f"read/{kind}s_now", g=reading.g, seq=reading.seq)
    rows = await reading.merged(current, lambda at: reading.past(f"read/{kind}s_past", at), by_position)
    found: dict[str, list[Values]] = {}
    for row in sorted(rows, key=itemgetter(2)):
        found.setdefault(row[0], []).append(row)
    return found


async def of(reading: Reading, kind: PartKind, refs: Iterable[str]) -> dict[str, list[Stored]]:
    """The parts of certain nodes, by their refs, each node's in order (E125). One without any is not in it."""
    keys = [node_key(reading.g, ref) for ref in dict.fromkeys(refs)]
    if not keys:
        return {}
    current = await reading.rows(f"read/{kind}s_of_now", keys=keys)
    rows = await reading.merged(current, lambda _: reading.rows(f"read/{kind}s_of_past", keys=keys, seq=reading.seq), by_position)
    found: dict[str, list[Stored]] = {}
    for row in sorted(await named(COLUMNS[kind], rows), key=itemgetter("position")):
        found.setdefault(row["ref"], []).append(row)
    return found
