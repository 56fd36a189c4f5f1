"""From the domain's rows to property maps: one map is one row of the store. What is null is left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from app.domain.history import Ended, Recorded, State
from app.domain.rho.mirrors import mirror_ids
from app.domain.rows import Cell, EdgeRow, MessageRow, NodeRow, Row, SpawnRow, TaskRow, WaitRow
from app.domain.times import NS_PER_MS
from app.store.intervals import BUCKET_BITS, OPEN, slots
from app.store.keys import cell_key, event_key, mirror_key, node_key, since_key

Properties: TypeAlias = dict[str, Any]

_LARGEST = 2**63 - 1

_NAMES: dict[type[Row], tuple[str, ...]] = {
    NodeRow: NodeRow._fields,
    TaskRow: TaskRow._fields,
    SpawnRow: SpawnRow._fields,
    WaitRow: tuple("target" if name == "on" else name for name in WaitRow._fields),  # `on` is a word of Cypher's
    MessageRow: MessageRow._fields,
}


def nanoseconds(ns: int) -> int | str:
    """A time as it is stored: its digits as text where 64 bits are too few (from the year 2262 on). `int(...)` reads both."""
    return ns if ns <= _LARGEST else str(ns)


_AS_STORED: dict[str, Callable[[Any], Any]] = {"blocked_on": list, "active_ns": nanoseconds, "asking_ns": nanoseconds}
"""What is stored otherwise than the domain has it."""


def current(g: str, cell: Cell, state: State) -> Properties:
    """The row of a thing as it is now. A node's says which nodes of Rho graphs stand for it."""
    row = _row(g, cell, state.since, state.row)
    if cell.kind == "node":
        row["rho"], row["rho_hashed"] = mirror_keys(cell.ref)
    return row


def changed(g: str, cell: Cell, before: State | None, state: State) -> Properties:
    """What to set so that the row of a thing becomes that of `state`, by its `key`; null takes a property away."""
    key = cell_key(g, cell)
    if before is None:
        return {"key": key, "set": current(g, cell, state)}
    properties: Properties = {"since": state.since}
    for name, was, now in zip(_NAMES[type(state.row)], before.row, state.row, strict=True):
        if was != now:
            properties[name] = _AS_STORED[name](now) if name in _AS_STORED and now is not None else now
    return {"key": key, "set": properties}


@lru_cache(maxsize=65_536)
def mirror_keys(ref: str) -> tuple[str, str]:
    """The keys of both names by which Rho graphs may know a node (M12)."""
    usual, hashed = mirror_ids(ref)
    return mirror_key(usual), mirror_key(hashed)


def ended(g: str, over: Ended) -> Properties:
    """The row of a state that is over, with the slots by which old moments find it."""
    row = _row(g, over.cell, over.since, over.row)
    right, left = slots(over.since, over.until)
    row["of"] = thing = row["key"]
    row["key"] = since_key(thing, over.since)
    row["until"] = over.until
    row["right"] = f"{g}|{right}"
    row["left"] = f"{g}|{left}"
    return row


def event(g: str, recorded: Recorded, arrival: int, *, late: bool = False) -> Properties:
    """The row of an event; `arrival` is its number in the order of taking in; `late`: it came after one that it stands before."""
    what = recorded.event
    row = {
        "key": event_key(g, what.id),
        "g": g,
        "arrival": arrival,
        "id": what.id,
        "type": what.type,
        "ref": what.node,
        "ts": what.ts,
        "time_ms": what.time_ns // NS_PER_MS,
        "time_ns": nanoseconds(what.time_ns),
        "line": what.line.decode(),
        **placed_event(g, recorded),
    }
    return {**row, "late": True} if late else row


def placed_event(g: str, recorded: Recorded) -> Properties:
    """Of the row of an event what other events can change: its place, what it changed, and how many nodes there are after it."""
    seq = recorded.seq
    return {
        "seq": seq,
        "bucket": seq >> BUCKET_BITS,
        "by_ref": since_key(node_key(g, recorded.event.node), seq),
        "changes": recorded.changes.decode(),
        "nodes": recorded.nodes,
    }


def end(recorded: Recorded) -> list[str]:
    """What a graph's own row says of its first or last event: seq, id, ts, time in Unix ms, nodes after it, all as text."""
    what = recorded.event
    return [str(recorded.seq), what.id, what.ts, str(what.time_ns // NS_PER_MS), str(recorded.nodes)]


def edge(g: str, cell: Cell, since: int, row: EdgeRow, until: int = OPEN) -> Properties:
    """An edge and its two ends: parent to child, or waiter to target."""
    own, other = node_key(g, cell.ref), node_key(g, row.to)
    a, b = (other, own) if cell.kind == "parent" else (own, other)
    return {"a": a, "b": b, "key": since_key(cell_key(g, cell), since), "since": since, "until": until}


def _row(g: str, cell: Cell, since: int, row: Row) -> Properties:
    properties: Properties = {name: value for name, value in zip(_NAMES[type(row)], row, strict=True) if value is not None}
    if isinstance(row, NodeRow):
        for name in _AS_STORED:
            if name in properties:
                properties[name] = _AS_STORED[name](properties[name])
    else:
        properties["position"] = cell.position
        properties["node"] = node_key(g, cell.ref)
    properties["key"] = cell_key(g, cell)
    properties["g"] = g
    properties["ref"] = cell.ref
    properties["since"] = since
    return properties
