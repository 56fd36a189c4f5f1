"""Derived values (E109-E121), worked out from the stored state at a moment in nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.oracle.times import SECOND, readable
from tests.oracle.world import Node, Wait, World

ASKING = "May be waiting for your approval to run a command"


def counting_waits(world: World, node: Node) -> list[Wait]:
    """E109: the open waits whose target is null, unknown or not finished."""

    def counts(wait: Wait) -> bool:
        target = world.nodes.get(wait.on) if wait.on is not None else None
        return target is None or not target.finished

    opened = [wait for wait in node.waits if wait.open]
    waits = [wait for wait in opened if counts(wait)]
    world.met(101, len(waits) < len(opened))
    world.met(109, bool(waits))
    return waits


def task_counts(node: Node) -> dict[str, int]:
    """E111."""
    counts = {status: sum(task.status == status for task in node.tasks) for status in ("pending", "in_progress", "completed")}
    return {"total": len(node.tasks), **counts, "open": counts["pending"] + counts["in_progress"]}


def headline(world: World, node: Node) -> str | None:
    """E110."""
    pending = task_counts(node)["pending"]
    world.met(111, bool(node.tasks))
    world.met(84, node.finished and task_counts(node)["open"] > 0)
    if node.summary is not None:
        world.met(112, node.finished)
        return node.summary
    world.met(110, bool(node.tasks))
    for task in node.tasks:
        if task.status == "in_progress":
            text = task.text if task.active_text is None else task.active_text
            return text + (f" (+{pending} pending)" if pending else "")
    return {0: None, 1: "1 task pending"}.get(pending, f"{pending} tasks pending")


@dataclass
class Mood:
    """A node's state, attention and staleness as shown (E113-E115)."""

    state: str
    attention: str | None
    stale: bool


def mood(world: World, node: Node, moment: int) -> Mood:
    """E113-E115."""
    last = readable(node.last_event)
    quiet = last is not None and moment - last > 1_800 * SECOND and not counting_waits(world, node)
    asked = [time for time in map(readable, node.approvals.values()) if time is not None]
    if node.state == "working" and asked and moment - min(asked) >= 10 * SECOND:
        world.met(113)
        world.met(114, quiet)
        return Mood("input_required", ASKING, stale=False)
    stale = node.state == "working" and quiet
    world.met(115, stale)
    return Mood(node.state, node.attention, stale)


def blocked(world: World, node: Node) -> dict[str, Any] | None:
    """E116-E119, targets as refs."""
    waits = counting_waits(world, node)
    if node.finished or not waits:
        return None
    on = [wait.on for wait in waits if wait.on is not None]
    queue, met, cycle = list(on), set(), False
    while queue:
        ref = queue.pop(0)
        if ref == node.ref:
            cycle = True
        elif ref not in met:
            met.add(ref)
            if ref in world.nodes:
                reached = world.nodes[ref]
                queue.extend(reached.children)
                if not reached.finished:
                    queue.extend(wait.on for wait in counting_waits(world, reached) if wait.on is not None)
    known = [world.nodes[ref] for ref in met if ref in world.nodes]
    world.met(116)
    world.met(117, len(on) < len(waits) or len(set(on)) < len(on))
    world.met(118, len(met) > len(set(on)))
    world.met(119, cycle)
    return {
        "on": on,
        "starting": len(waits) - len(on),
        "node_count": sum(not reached.finished for reached in known),
        "open_tasks": sum(task_counts(reached)["open"] for reached in known),
        "cycle": cycle,
    }


def ordered_children(world: World, node: Node) -> list[str]:
    """E120: oldest first by the text of their start; equal ones as they were put under this parent."""
    world.met(120, len(node.children) > 1)
    return sorted(node.children, key=lambda ref: world.nodes[ref].created or "")


def ordered_roots(world: World) -> list[str]:
    """E121: latest activity first, by text; equal ones by ref."""
    roots = sorted(ref for ref, node in world.nodes.items() if node.parent is None)
    world.met(121, len(roots) > 1)
    return sorted(roots, key=lambda ref: world.nodes[ref].last_event, reverse=True)
