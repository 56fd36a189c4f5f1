"""Counts and sums over nodes (R37, Q10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import strawberry

from app.domain.rollup import Sums
from app.graphql.types.parts import TaskCounts
from app.graphql.types.scalars import Timestamp


@strawberry.type(description="How many nodes are in each state.")
class StateCounts:
    working: int = strawberry.field(description="At work.")
    input_required: int = strawberry.field(description="Waiting for a person.")
    idle: int = strawberry.field(description="With nothing to do.")
    completed: int = strawberry.field(description="Finished.")
    failed: int = strawberry.field(description="Ended with an error.")
    canceled: int = strawberry.field(description="Stopped.")


@strawberry.type(description="What the nodes of a graph come to.")
class GraphCounts:
    nodes: int = strawberry.field(description="All nodes.")
    sessions: int = strawberry.field(description="Those that are sessions.")
    agents: int = strawberry.field(description="Those that are agents.")
    stale: int = strawberry.field(description="Those that have been silent for too long.")
    blocked: int = strawberry.field(description="Those that wait on something unfinished.")
    by_state: StateCounts = strawberry.field(description="How many are in each state.")


@strawberry.type(description="Sums over a node and all below it.")
class Rollup:
    nodes: int = strawberry.field(description="All nodes, itself included.")
    sessions: int = strawberry.field(description="Those that are sessions.")
    agents: int = strawberry.field(description="Those that are agents.")
    by_state: StateCounts = strawberry.field(description="How many are in each state.")
    stale: int = strawberry.field(description="Those that have been silent for too long.")
    blocked: int = strawberry.field(description="Those that wait on something unfinished.")
    background_agents: int = strawberry.field(description="The sum of `backgroundAgentCount`.")
    task_counts: TaskCounts = strawberry.field(description="The sums of their tasks.")
    max_depth: int = strawberry.field(description="The deepest level below the node; 0 for a leaf.")
    first_created: Timestamp = strawberry.field(description="When the first of them began.")
    last_event: Timestamp = strawberry.field(description="When one of them was last heard of.")


def task_counts(row: Mapping[str, int]) -> TaskCounts:
    """Task counts, of a node's row or of sums."""
    pending, in_progress = row["tasks_pending"], row["tasks_in_progress"]
    return TaskCounts(
        total=row["tasks_total"], pending=pending, in_progress=in_progress, completed=row["tasks_completed"], open=pending + in_progress
    )


def counts_of(total: Mapping[str, Any]) -> GraphCounts:
    """The counts of a graph, by REST's names."""
    return GraphCounts(**{**total, "by_state": StateCounts(**total["by_state"])})


def rollup_of(total: Sums) -> Rollup:
    """The sums over a subtree."""
    return Rollup(
        nodes=total.nodes,
        sessions=total.sessions,
        agents=total.agents,
        by_state=StateCounts(**total.by_state),
        stale=total.stale,
        blocked=total.blocked,
        background_agents=total.background_agents,
        task_counts=task_counts(total.tasks),
        max_depth=total.max_depth,
        first_created=Timestamp(total.first_created),
        last_event=Timestamp(total.last_event),
    )
