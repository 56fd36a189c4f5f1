"""From the projector's nodes and parts to rows."""

from __future__ import annotations

from app.domain import changes
from app.domain.projector.state import Node
from app.domain.rows import Cell, CellKind, EdgeRow, MessageRow, NodeRow, Row, SpawnRow, TaskRow, WaitRow
from app.domain.times import read_ns, shown_ms, unusual_text

_NOT_BLOCKED = (None, None, None, None, None)
_COUNTS, _COUNTED = NodeRow._fields.index("child_count"), NodeRow._fields.index("background_agent_count")
_BLOCKED, _UNBLOCKED = NodeRow._fields.index("blocked_on"), NodeRow._fields.index("created_text")


def node_row(node: Node) -> NodeRow:
    """The stored state of a node as it is now (E109-E112, E123, E124)."""
    tasks, counts, parent = node.tasks, node.tasks.counts, node.parent
    last_event = shown_ms(node.last_event)
    created = shown_ms(node.created)
    if created is None:
        created = last_event
    return NodeRow._make(
        (
            node.provider,
            node.kind,
            None if parent is None else parent.ref,
            node.root.ref,
            node.session.ref,
            node.requested_by,
            node.depth,
            node.state,
            node.attention,
            node.title,
            node.summary,
            tasks.headline() if node.summary is None else node.summary,
            node.purpose,
            node.agent_type,
            node.background,
            node.link_method,
            node.spawn_call_id,
            node.cwd,
            created or 0,
            None if node.ended is None else shown_ms(node.ended),
            last_event or 0,
            len(node.children),
            node.descendant_count,
            node.background_agent_count,
            len(tasks.items),
            counts["pending"],
            counts["in_progress"],
            counts["completed"],
            *(_NOT_BLOCKED if node.blocked is None else node.blocked),
            unusual_text(node.created),
            node.placed,
            read_ns(node.last_event),
            node.asking_ns if node.state == "working" else None,
        )
    )


def recounted_row(row: NodeRow, node: Node) -> NodeRow:
    """The row of a node that was not touched but recounted, made from its last one; that one itself where nothing differs."""
    counts = len(node.children), node.descendant_count
    blocked = _NOT_BLOCKED if node.blocked is None else node.blocked
    if row[_COUNTS:_COUNTED] == counts and row[_BLOCKED:_UNBLOCKED] == blocked:
        return row
    members = list(row)
    members[_COUNTS:_COUNTED] = counts
    members[_BLOCKED:_UNBLOCKED] = blocked
    return tuple.__new__(NodeRow, members)  # what `_make` does, without its check: thousands are made at a time


def blocked_text(node: Node) -> bytes:
    """A node's `blocked` as JSON."""
    return changes.blocked_text(node.blocked, b"" if node.awaited is None else node.awaited.ids_text)


def part_row(kind: CellKind, node: Node, position: int) -> Row | None:
    """The row of a node's task, request, wait, message, or of the edge of a wait; None if it is not there."""
    if kind == "task":
        task = node.tasks.items.get(position)
        return None if task is None else TaskRow(task.id, task.text, task.active_text, task.status)
    if kind == "spawn":
        spawn = node.spawns[position]
        return SpawnRow(
            spawn.call_id,
            spawn.kind,
            spawn.agent_type,
            spawn.purpose,
            spawn.background,
            spawn.run,
            spawn.title,
            spawn.child,
            spawn.returned,
            shown_ms(spawn.requested_at) or 0,
        )
    if kind == "message":
        message = node.messages[position]
        return MessageRow(
            message.id, message.direction, message.peer, message.reply_to, message.summary, message.body, shown_ms(message.ts) or 0
        )
    wait = node.waits[position]
    if kind == "waits_on":
        return None if wait.edge is None else EdgeRow(wait.edge.ref)
    ended = None if wait.ended_at is None else shown_ms(wait.ended_at)
    return WaitRow(wait.id, "spawn" if wait.spawn else "explicit", wait.on, wait.reason, wait.open, shown_ms(wait.started_at) or 0, ended)


def parent_row(node: Node) -> EdgeRow | None:
    """The edge to a node's parent."""
    return None if node.parent is None else EdgeRow(node.parent.ref)


def part_cell(kind: CellKind, node: Node, position: int) -> Cell:
    """Names a part of a node."""
    return Cell(kind, node.ref, position)
