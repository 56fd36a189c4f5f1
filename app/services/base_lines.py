"""What a graph's held events start from, as lines of a log (E127, E133): the one place that says so to whoever takes a graph elsewhere."""

from __future__ import annotations

import orjson

from app.domain import keyframe
from app.store import checkpoints
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import GraphRow


async def base_lines(store: Store, row: GraphRow, deadline: Deadline) -> list[bytes]:
    """The keyframe that comes before the graph's held events, one line for each part; none if they apply from nothing.

    The caller looks whether the graph still stands at `row` afterwards.
    """
    standing = row.standing
    below = standing.floor if standing.held else standing.head + 1
    there = [place for place in await checkpoints.listed(store, row.g, deadline) if place.seq < below]
    if not there:
        return []
    base = await checkpoints.read(store, row.g, there[-1], deadline)
    return [orjson.dumps(line) for line in keyframe.part_lines(base.state, base.place.event, base.place.ts)]
