"""Walks over a graph's edges at a place: bounded, each node once, in full."""

from __future__ import annotations

from collections.abc import Iterable

from app.store.keys import node_key
from app.store.nodes import settled
from app.store.reading import Reading, Stored

ANCESTORS = 64
"""The most levels that one statement climbs."""

LEVELS = 3
"""The most levels below a node that are walked: everything deeper is found faster in the whole graph."""

STEPS = 6
"""The most steps over children and waits that one statement takes."""


async def ancestors(reading: Reading, ref: str, most: int) -> list[Stored]:
    """The nodes above `ref`, nearest first, at most `most`."""
    found: dict[str, Stored] = {}
    while len(found) < most:
        above = await settled(reading, await reading.rows("read/ancestors", key=node_key(reading.g, ref), seq=reading.seq))
        found.update(above)
        if len(above) < ANCESTORS:
            break
        ref = next(reversed(above))
    return list(found.values())[:most]


async def below(reading: Reading, ref: str, levels: int) -> list[Stored]:
    """The nodes under `ref`, at most `levels` (up to `LEVELS`) down, in no order, itself left out."""
    name = "read/children" if levels == 1 else f"read/descendants_{levels}"
    return list((await settled(reading, await reading.rows(name, key=node_key(reading.g, ref), seq=reading.seq))).values())


async def waiters(reading: Reading, ref: str) -> list[Stored]:
    """The nodes with a wait on `ref` that counts, finished ones too, in no order."""
    return list((await settled(reading, await reading.rows("read/waiters", key=node_key(reading.g, ref), seq=reading.seq))).values())


async def reach(reading: Reading, refs: Iterable[str]) -> dict[str, Stored]:
    """Whatever lies at most `STEPS` steps over children and waits from `refs`, they themselves among it (a superset of E118's walk)."""
    keys = [node_key(reading.g, ref) for ref in dict.fromkeys(refs)]
    return await settled(reading, await reading.rows("read/reach", keys=keys, seq=reading.seq)) if keys else {}
