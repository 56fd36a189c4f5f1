"""A node as the public API shows it (E106, E123-E125; R40-R43), with refs for ids."""

from __future__ import annotations

from typing import Any

from tests.oracle.derived import blocked, headline, mood, ordered_children, task_counts
from tests.oracle.times import shown_ms
from tests.oracle.world import Node, World

Shown = dict[str, Any]

SAME = ("title", "summary", "purpose", "agent_type", "background", "link_method", "spawn_call_id", "cwd")


def show(world: World, moment: int) -> dict[str, Shown]:
    """Every node of the state, judged at `moment` (nanoseconds)."""
    return {ref: show_node(world, node, moment) for ref, node in world.nodes.items()}


def ancestors(world: World, node: Node) -> list[Node]:
    """The nodes above, nearest first."""
    above: dict[str, Node] = {}
    while node.parent is not None and node.parent not in above:
        node = world.nodes[node.parent]
        above[node.ref] = node
    return list(above.values())


def descendants(world: World, node: Node) -> set[str]:
    below: set[str] = set()
    queue = list(node.children)
    while queue:
        ref = queue.pop()
        if ref not in below:
            below.add(ref)
            queue.extend(world.nodes[ref].children)
    return below - {node.ref}


def show_node(world: World, node: Node, moment: int) -> Shown:
    above = ancestors(world, node)
    root = above[-1] if above else node
    nearest_session = next((each for each in [node, *above] if each.kind == "session"), root)
    seen = mood(world, node, moment)
    last_event = shown_ms(node.last_event) or 0
    created = shown_ms(node.created)
    return {
        "ref": node.ref,
        "provider": node.provider,
        "kind": node.kind,
        "parent": node.parent,
        "root": root.ref,
        "session": nearest_session.ref,
        "requested_by": node.requested_by,
        "depth": len(above),
        "state": seen.state,
        "stale": seen.stale,
        "attention": seen.attention,
        **{name: getattr(node, name) for name in SAME},
        "headline": headline(world, node),
        "created": last_event if created is None else created,
        "ended": shown_ms(node.ended),
        "last_event": last_event,
        "child_count": len(node.children),
        "descendant_count": len(descendants(world, node)),
        "background_agent_count": node.background_agents,
        "task_counts": task_counts(node),
        "blocked": blocked(world, node),
        "children": ordered_children(world, node),
        **show_parts(world, node),
    }


def show_parts(world: World, node: Node) -> Shown:
    """R43: the parts, in the order they were added (E125). A time of a part that can not be shown is 0."""
    world.met(106, any(message.peer not in world.nodes for message in node.messages))
    return {
        "tasks": [{"id": task.id, "text": task.text, "active_text": task.active_text, "status": task.status} for task in node.tasks],
        "spawns": [
            {
                "call_id": request.call_id,
                "kind": request.kind,
                "agent_type": request.agent_type,
                "purpose": request.purpose,
                "background": request.background,
                "run": request.run,
                "title": request.title,
                "child": request.child,
                "returned": request.returned,
                "requested": shown_ms(request.requested) or 0,
            }
            for request in node.spawns
        ],
        "waits": [
            {
                "id": wait.id,
                "kind": "spawn" if wait.spawn else "explicit",
                "on": wait.on,
                "reason": wait.reason,
                "open": wait.open,
                "started": shown_ms(wait.started) or 0,
                "ended": shown_ms(wait.ended),
            }
            for wait in node.waits
        ],
        "messages": [
            {
                "id": message.id,
                "direction": message.direction,
                "peer": message.peer if message.peer in world.nodes else None,
                "peer_name": None if message.peer in world.nodes else message.peer,
                "reply_to_message_id": message.reply_to,
                "summary": message.summary,
                "body": message.body,
                "created": shown_ms(message.time) or 0,
            }
            for message in node.messages
        ],
    }


def tree_order(state: dict[str, Shown]) -> list[str]:
    """E121, R35: roots by created as shown, then by ref; each node before its children, children by E120."""
    roots = sorted((node["created"], ref) for ref, node in state.items() if node["parent"] is None)
    order: list[str] = []
    stack = [ref for _, ref in reversed(roots)]
    while stack:
        ref = stack.pop()
        order.append(ref)
        stack.extend(reversed(state[ref]["children"]))
    return order
