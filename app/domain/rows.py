"""Rows: what the store keeps of a graph at every moment, as immutable records.

A *cell* is a thing that has a state at every moment; it is named by its kind, the ref of the node it belongs to and its position there
(0 for a node and its parent; otherwise the place in the order in which the node got such things, since their own ids repeat).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

CellKind: TypeAlias = Literal["node", "task", "spawn", "wait", "message", "parent", "waits_on"]


class Cell(NamedTuple):
    """Names one thing of a graph. `parent` is the edge to a node's parent; `waits_on` the edge of the wait at the same position."""

    kind: CellKind
    ref: str
    position: int = 0


class NodeRow(NamedTuple):
    """A node's stored state; names as in the REST API, refs instead of ids, times in Unix milliseconds (E123, E124).

    `state` and `attention` are the stored ones: what the clock decides is worked out on reading, from `asking_ns` (the earliest readable
    open approval of a working node, E113) and `active_ns` (its last event's time by E11; None if unreadable, E115), both Unix nanoseconds.
    The text of its start time and `placed` order it among its siblings (E120); `created_text` is None where that text is `created` as
    `rfc_3339` writes it. The five `blocked_` members are all None when it is not blocked.
    """

    provider: str
    kind: str
    parent: str | None
    root: str
    session: str
    requested_by: str | None
    depth: int
    state: str
    attention: str | None
    title: str | None
    summary: str | None
    headline: str | None
    purpose: str | None
    agent_type: str | None
    background: bool | None
    link_method: str | None
    spawn_call_id: str | None
    cwd: str | None
    created: int
    ended: int | None
    last_event: int
    child_count: int
    descendant_count: int
    background_agent_count: int
    tasks_total: int
    tasks_pending: int
    tasks_in_progress: int
    tasks_completed: int
    blocked_on: tuple[str, ...] | None
    blocked_starting: int | None
    blocked_node_count: int | None
    blocked_open_tasks: int | None
    blocked_cycle: bool | None
    created_text: str | None
    placed: int
    active_ns: int | None
    asking_ns: int | None


class TaskRow(NamedTuple):
    """A task (E81-E84)."""

    id: str
    text: str
    active_text: str | None
    status: str


class SpawnRow(NamedTuple):
    """A request to start a child (E85); `child` is a ref, `requested` Unix milliseconds."""

    call_id: str
    kind: str
    agent_type: str | None
    purpose: str | None
    background: bool
    run: bool | None
    title: str | None
    child: str | None
    returned: bool
    requested: int


class WaitRow(NamedTuple):
    """A wait (E96); `kind` is `spawn` or `explicit`, `on` a ref that need not exist; times in Unix milliseconds."""

    id: str
    kind: str
    on: str | None
    reason: str | None
    open: bool
    started: int
    ended: int | None


class MessageRow(NamedTuple):
    """A message (E103); `peer` is a ref, or the name of somebody unknown (E106); `created` Unix milliseconds."""

    id: str
    direction: str
    peer: str
    reply_to: str | None
    summary: str | None
    body: str | None
    created: int


class EdgeRow(NamedTuple):
    """The other end of an edge: a parent (of `parent`) or the target of a wait that counts (of `waits_on`)."""

    to: str


Row: TypeAlias = NodeRow | TaskRow | SpawnRow | WaitRow | MessageRow | EdgeRow
