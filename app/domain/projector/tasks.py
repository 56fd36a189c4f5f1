"""Tasks: whole lists and single ones (E81-E84)."""

from __future__ import annotations

from app.domain.projector import tree
from app.domain.projector.graph import GraphState
from app.domain.projector.payload import Data
from app.domain.projector.state import Node, TaskList


def updated(graph: GraphState, node: Node, data: Data) -> None:
    """`tasks.updated`: the list is replaced (E81)."""
    graph.met |= {81, 84}
    before = node.tasks
    node.tasks = TaskList()
    for item in data["items"]:
        node.tasks.add(item["id"], item["text"], item.get("active_text"), item["status"])
    for position in before.items.keys() | node.tasks.items.keys():
        graph.touched_parts["task", node, position] = None
    tree.open_tasks_changed(graph, node, node.tasks.open - before.open)


def upserted(graph: GraphState, node: Node, data: Data) -> None:
    """`task.upserted`: the first task of that id is changed, or one is added at the end (E82)."""
    graph.met.add(82)
    tasks, task_id = node.tasks, data["id"]
    before = tasks.open
    known = tasks.by_id.get(task_id)
    if known:
        task = known[0]
        if data["text"] is not None:
            task.text = data["text"]
        if data["active_text"] is not None:
            task.active_text = data["active_text"]
        if data["status"] is not None:
            tasks.set_status(task, data["status"])
    else:
        text = f"Task {task_id}" if data["text"] is None else data["text"]
        task = tasks.add(task_id, text, data["active_text"], "pending" if data["status"] is None else data["status"])
    graph.touched_parts["task", node, task.position] = None
    tree.open_tasks_changed(graph, node, tasks.open - before)


def deleted(graph: GraphState, node: Node, data: Data) -> None:
    """`task.deleted`: every task of that id goes (E83)."""
    graph.met.add(83)
    before = node.tasks.open
    for task in node.tasks.remove(data["id"]):
        graph.touched_parts["task", node, task.position] = None
    tree.open_tasks_changed(graph, node, node.tasks.open - before)
