"""What a graph's held events start from, as lines of a log (E127, E133): the one place that says so to whoever takes a graph elsewhere."""

from __future__ import annotations

import orjson
from ulid import ULID

from app.domain import keyframe
from app.domain.times import NS_PER_MS, event_ns
from app.store import bases
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import GraphRow
from app.store.intervals import BASE

_LATEST_MS = 2**48 - 1


async def base_lines(store: Store, row: GraphRow, deadline: Deadline) -> list[bytes]:
    """The keyframe that comes before the graph's held events, one line for each part; none if they apply from nothing.

    The caller looks whether the graph still stands at `row` afterwards.
    """
    base = await bases.of(store, row.g, deadline) if row.standing.head >= BASE else None
    if base is None:
        return []
    after = _after(base.ts)
    count = len(base.texts)
    return [
        orjson.dumps(
            {
                "v": 1,
                "id": f"{after}~{part:06d}",
                "ts": base.ts,
                "type": keyframe.TYPE,
                "node": keyframe.NODE,
                "data": {"part": part, "parts": count, "text": text},
            }
        )
        for part, text in enumerate(base.texts)
    ]


def _after(ts: str) -> str:
    """The last id of a millisecond: it stands for that of the keyframed event, which is not kept, and sorts as E127 wants it."""
    ms = min(max(event_ns(ts) // NS_PER_MS, 0), _LATEST_MS)
    return str(ULID.from_bytes(ms.to_bytes(6, "big") + b"\xff" * 10))
