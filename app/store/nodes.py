"""Nodes at a place: of a whole graph in four sizes, or certain ones."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from enum import IntEnum
from operator import itemgetter

from app.domain.rows import NodeRow
from app.store.graphs import Standing
from app.store.intervals import STEP
from app.store.keys import node_key, since_key
from app.store.reading import Reading, Rows, Stored, Values, by_ref, named

STRUCTURE = (
    "ref", "since", "kind", "parent", "state", "created", "last_event", "blocked_node_count", "created_text", "placed", "active_ns",
    "asking_ns",
)  # fmt: skip
"""What order, counts and walks down the tree need."""

VIEW = (*STRUCTURE, "title", "headline", "purpose", "agent_type", "child_count")
"""That, and what a line of a tree shows."""

CARD = (
    *VIEW, "provider", "root", "session", "depth", "blocked_on", "requested_by", "attention", "descendant_count",
)  # fmt: skip
"""That, and what filters and walks along waits need."""

FULL = ("ref", "since", *NodeRow._fields)
"""Everything."""


class KeySet(IntEnum):
    """How much of each node is read; each size holds the smaller ones."""

    STRUCTURE = 1
    VIEW = 2
    CARD = 3
    FULL = 4

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in the order in which statements give them."""
        return _COLUMNS[self]


_COLUMNS = {KeySet.STRUCTURE: STRUCTURE, KeySet.VIEW: VIEW, KeySet.CARD: CARD, KeySet.FULL: FULL}
_TIMES = ("active_ns", "asking_ns")

_FEW = 4
"""So many nodes are looked up one by one where the engine has no ranges for each of several rows."""

_STRETCHES = (512 * STEP, 16_384 * STEP)
"""How far back the last state of one node is looked for, before all of its states are."""


async def whole(reading: Reading, keys: KeySet) -> list[Values]:
    """Every node of the graph at the place, in no order: the values of the key set's columns."""
    size = keys.name.lower()
    current = await reading.rows(f"read/nodes_now_{size}", g=reading.g, seq=reading.seq)
    rows = await reading.merged(current, lambda at: reading.past(f"read/nodes_past_{size}", at), by_ref)
    for place in map(keys.columns.index, _TIMES):
        if str in set(map(type, map(itemgetter(place), rows))):
            for row in rows:
                row[place] = None if row[place] is None else int(row[place])
    return rows


async def of(reading: Reading, refs: Iterable[str]) -> dict[str, Stored]:
    """Those of `refs` that are nodes at the place, in full."""
    keys = [node_key(reading.g, ref) for ref in dict.fromkeys(refs)]
    if not keys:
        return {}
    return await settled(reading, await reading.rows("read/nodes_of_now", keys=keys), keys)


async def states(reading: Reading, ref: str) -> list[Stored]:
    """Every state of one node that began at the place or before, oldest first, in full."""
    key = node_key(reading.g, ref)
    current = await reading.rows("read/nodes_of_now", keys=[key])
    records = await reading.ranged("read/node_states", first=since_key(key, 0), last=since_key(key, reading.seq))
    found = {row[1]: row for row in current.values if row[1] <= reading.seq} | {record["row"][1]: record["row"] for record in records}
    return await named(FULL, (found[since] for since in sorted(found)), _TIMES)


async def begun(reading: Reading, places: Collection[tuple[int, str]]) -> dict[tuple[int, str], Stored]:
    """Of places and refs those at which a state of the node began, in full: what an event at that place made of it."""
    if not places:
        return {}
    keys = {ref: node_key(reading.g, ref) for _, ref in places}
    current = await reading.rows("read/nodes_of_now", keys=list(keys.values()))
    over = await reading.rows("read/nodes_begun", keys=[since_key(keys[ref], seq) for seq, ref in places])
    found = {(row["since"], row["ref"]): row for row in await named(FULL, (*current.values, *over.values), _TIMES)}
    return {place: found[place] for place in places if place in found}


async def settled(reading: Reading, current: Rows, keys: Sequence[str] | None = None) -> dict[str, Stored]:
    """Current rows as they were at the place, in their order, in full. `keys`: which nodes were looked for; None: those that were found."""
    wanted = [node_key(reading.g, row[0]) for row in current.values] if keys is None else keys
    rows = await reading.merged(current, lambda at: _ended(reading, wanted, at), by_ref)
    found = {row["ref"]: row for row in await named(FULL, rows, _TIMES)}
    return found if keys is not None else {ref: found[ref] for ref in (row[0] for row in current.values) if ref in found}


async def _ended(reading: Reading, keys: Sequence[str], at: Standing) -> Rows:
    if not keys:
        return Rows([], at)
    if reading.store.engine == "neo4j":
        ranges = [[since_key(key, 0), since_key(key, reading.seq)] for key in keys]
        return await reading.rows("read/nodes_latest", ranges=ranges, seq=reading.seq)
    if len(keys) > _FEW:
        return await reading.past("read/nodes_of_past", at, keys=list(keys))
    latest = await asyncio.gather(*(_latest(reading, key) for key in keys))
    return Rows([row for row in latest if row is not None], await reading.look())


async def _latest(reading: Reading, key: str) -> Values | None:
    """The ended state of one node that held at the place: the last to begin there or before, if it ended later."""
    for stretch in (*_STRETCHES, reading.seq):
        low = max(reading.seq - stretch, 0)
        found = await reading.store.one(
            "read/node_latest", reading.deadline, first=since_key(key, low), last=since_key(key, reading.seq)
        )  # fmt: skip
        if found is not None:
            return found["row"] if found["until"] > reading.seq else None
        if low == 0:
            break
    return None
