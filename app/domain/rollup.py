"""Sums over nodes (R37, Q10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from app.domain.forest import Forest, ShownRow, below

STATES = ("working", "input_required", "idle", "completed", "failed", "canceled")
TASKS = ("tasks_total", "tasks_pending", "tasks_in_progress", "tasks_completed")


@dataclass(slots=True)
class Sums:
    """What some nodes come to. Times in Unix ms; `max_depth` is the deepest level from the top; `tasks` has the names of a row's."""

    nodes: int = 0
    sessions: int = 0
    agents: int = 0
    stale: int = 0
    blocked: int = 0
    by_state: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STATES, 0))
    background_agents: int = 0
    tasks: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TASKS, 0))
    max_depth: int = 0
    first_created: int = 0
    last_event: int = 0


def sums(rows: Iterable[ShownRow]) -> Sums:
    """The sums over `rows`."""
    total = Sums()
    for row in rows:
        total.first_created = min(total.first_created, row["created"]) if total.nodes else row["created"]
        total.last_event = max(total.last_event, row["last_event"]) if total.nodes else row["last_event"]
        total.nodes += 1
        total.sessions += row["kind"] == "session"
        total.agents += row["kind"] == "agent"
        total.stale += row["stale"]
        total.blocked += row.get("blocked_node_count") is not None
        total.by_state[row["state"]] += 1
        total.background_agents += row["background_agent_count"]
        for name in TASKS:
            total.tasks[name] += row[name]
        total.max_depth = max(total.max_depth, row["depth"])
    return total


def rollup(forest: Forest, ref: str) -> Sums:
    """The sums over a node and everything below it; `max_depth` counts levels below it (Q10)."""
    row = forest.by_ref[ref]
    total = sums([row, *below(forest, ref)])
    total.max_depth -= row["depth"]
    return total
