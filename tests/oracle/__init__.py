"""A second, naive implementation of the rules E1-E137, written from their text alone and sharing nothing with the product.

Everything is folded from the start for each question. A log is what `read_log` gives; positions count from 1 in E10 order.
"""

from __future__ import annotations

import json
from typing import Any

from tests.oracle.changes import changes_between
from tests.oracle.derived import ordered_roots
from tests.oracle.fold import apply
from tests.oracle.keyframes import pack, world_json, world_of
from tests.oracle.reading import Log, log_of, read_log
from tests.oracle.rules import fold_with_rules
from tests.oracle.shown import Shown, show, tree_order
from tests.oracle.world import World

__all__ = [
    "Log",
    "changes",
    "cut",
    "fold_with_rules",
    "keyframe_lines",
    "keyframe_state",
    "log_of",
    "read_log",
    "roots_by_activity",
    "state_after",
    "tree_order",
]


def _world_after(log: Log, n: int) -> World:
    world = world_of(log.base)
    for event in log.events[:n]:
        apply(world, event)
    return world


def state_after(log: Log, n: int, at_ns: int | None = None) -> dict[str, Shown]:
    """Every node after the first n events, as shown at `at_ns` (nanoseconds; by default E14's moment)."""
    return show(_world_after(log, n), log.moment(n) if at_ns is None else at_ns)


def roots_by_activity(log: Log, n: int) -> list[str]:
    """E121: the roots after the first n events, latest activity first."""
    return ordered_roots(_world_after(log, n))


def changes(log: Log, n: int) -> list[dict[str, Any]]:
    """E137: what the n-th event changed."""
    return changes_between(state_after(log, n - 1), state_after(log, n), log.events[n - 1]["node"])


def keyframe_state(log: Log, n: int) -> dict[str, Any]:
    """E134: the stored state after the first n events."""
    return world_json(_world_after(log, n))


def cut(log: Log, k: int) -> list[str]:
    """E136: the lines of the log cut with k events between keyframes."""
    n = len(log.events)
    b = n - n % k
    a = max(b - k, 0)
    return [*keyframe_lines(log, a), *log.lines[a:b], *(keyframe_lines(log, b) if b > 0 else []), *log.lines[b:]]


def keyframe_lines(log: Log, n: int) -> list[str]:
    """The lines of a keyframe of the state after n events; none for a log that starts from nothing."""
    if n > 0:
        ts, event_id = log.events[n - 1]["ts"], log.events[n - 1]["id"]
    elif log.base_ts is not None and log.base_id is not None:
        ts, event_id = log.base_ts, log.base_id
    else:
        return []
    return [json.dumps(part, ensure_ascii=False) for part in pack(keyframe_state(log, n), ts, event_id)]
