"""What each other type does: agents (E58-E64), tasks (E81-E84), requests (E85-E88), waits (E96-E101), messages (E102-E105)."""

from __future__ import annotations

from typing import Any

from tests.oracle import sessions
from tests.oracle.binding import bind, calls_over, guess
from tests.oracle.pairing import pair_unpaired
from tests.oracle.world import Cause, Message, Node, Request, Task, Wait, World, make, move, session_part

Data = dict[str, Any]


def apply_effect(world: World, node: Node, kind: str, data: Data, cause: Cause) -> None:
    """The effect of a readable event of any type but `session.started` and `status`."""
    if kind == "session.ended":
        sessions.end(world, node, cause.ts)
    elif kind == "agent.spawned":
        agent_spawned(world, node, data, cause)
    elif kind == "agent.finished":
        agent_finished(world, node, data, cause.ts)
    elif kind == "tasks.updated":
        node.tasks = [Task(item["id"], item["text"], item.get("active_text"), item["status"]) for item in data["items"]]
        world.met(81)
    elif kind == "task.upserted":
        task_upserted(world, node, data)
    elif kind == "task.deleted":
        world.met(83, any(task.id == data["id"] for task in node.tasks))
        node.tasks = [task for task in node.tasks if task.id != data["id"]]
    elif kind == "spawn.requested":
        spawn_requested(world, node, data, cause)
    elif kind == "spawn.returned":
        spawn_returned(world, node, data, cause)
    elif kind == "wait.started":
        wait_started(world, node, data, cause.ts)
    elif kind == "wait.ended":
        world.met(98, close_waits(world, node, data["wait_id"], cause.ts))
    elif kind == "message.sent":
        message_sent(world, node, data, cause.ts)
    elif kind == "activity":
        world.met(107)
        world.met(108, node.state == "idle")


def agent_spawned(world: World, node: Node, data: Data, cause: Cause) -> None:
    """E58-E60."""
    world.met(58)
    node.agent_type = node.agent_type if data["agent_type"] is None else data["agent_type"]
    node.purpose = node.purpose if data["purpose"] is None else data["purpose"]
    node.background = node.background if data["background"] is None else data["background"]
    if not node.finished:
        node.state = "working"
    if data["call_id"] is not None and node.parent is not None:
        world.met(59, bind(world, node.parent, data["call_id"], node.ref, cause))
    guess(world, node, cause)


def agent_finished(world: World, node: Node, data: Data, ts: str) -> None:
    """E62-E64."""
    node.state, node.ended = data["status"], ts
    node.summary = node.summary if data["summary"] is None else data["summary"]
    world.met(62)
    for other in world.nodes.values():
        for wait in other.waits:
            if wait.open and not wait.spawn and wait.on == node.ref:
                wait.open, wait.ended = False, ts
                world.met(63)
                world.met(99)
    world.met(64, calls_over(world, node, ts))


def task_upserted(world: World, node: Node, data: Data) -> None:
    """E82."""
    world.met(82)
    for task in node.tasks:
        if task.id == data["id"]:
            task.text = task.text if data["text"] is None else data["text"]
            task.active_text = task.active_text if data["active_text"] is None else data["active_text"]
            task.status = task.status if data["status"] is None else data["status"]
            return
    text = "Task " + data["id"] if data["text"] is None else data["text"]
    node.tasks.append(Task(data["id"], text, data["active_text"], data["status"] or "pending"))


def spawn_requested(world: World, node: Node, data: Data, cause: Cause) -> None:
    """E85."""
    call_id = data["call_id"]
    if node.request(call_id) is not None:
        return
    details = {name: data[name] for name in ("kind", "agent_type", "purpose", "background", "run", "title")}
    request = Request(call_id, **details, requested=cause.ts)
    node.spawns.append(request)
    world.met(85)
    world.met(86, call_id in world.requesters)
    world.requesters.setdefault(call_id, []).append(node.ref)
    if not request.background:
        node.waits.append(Wait(call_id, on=None, reason=request.purpose, spawn=True, started=cause.ts))
    if request.kind == "session":
        pair_unpaired(world, node, cause.ts, cause)


def spawn_returned(world: World, node: Node, data: Data, cause: Cause) -> None:
    """E87, E88."""
    call_id, child = data["call_id"], data["child"]
    close_waits(world, node, call_id, cause.ts)
    request = node.request(call_id)
    if request is not None:
        request.returned = True
        world.met(87)
        world.met(94, request.child is not None and not world.nodes[request.child].finished)
    if child is None:
        return
    make(world, child, cause)
    world.met(88)
    if request is not None:
        bind(world, node.ref, call_id, child, cause)
    else:
        move(world, child, node.ref, cause)


def wait_started(world: World, node: Node, data: Data, ts: str) -> None:
    """E96."""
    same = [wait for wait in node.waits if wait.id == data["wait_id"]]
    if any(wait.open for wait in same):
        return
    world.met(96)
    world.met(100, bool(same))
    node.waits.append(Wait(data["wait_id"], data["on"], data["reason"], spawn=False, started=ts))


def close_waits(world: World, node: Node, wait_id: str, ts: str) -> bool:
    """E98: closes every open wait of the node with that id; True if there was one."""
    closing = [wait for wait in node.waits if wait.open and wait.id == wait_id]
    for wait in closing:
        wait.open, wait.ended = False, ts
        world.met(99)
    return bool(closing)


def message_sent(world: World, node: Node, data: Data, ts: str) -> None:
    """E102-E105."""
    if any(message.direction == "sent" and message.id == data["message_id"] for message in node.messages):
        world.met(105)
        return
    names = (data["to"], session_part(node.ref) + "/" + data["to"])
    recipient = next((name for name in names if name in world.nodes), None)
    world.met(102, recipient != data["to"])
    world.met(103)
    text = (data["reply_to"], data["summary"], data["body"], ts)
    node.messages.append(Message(data["message_id"], "sent", data["to"] if recipient is None else recipient, *text))
    if recipient is not None:
        world.nodes[recipient].messages.append(Message(data["message_id"], "received", node.ref, *text))
        world.met(104)
