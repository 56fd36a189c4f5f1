"""Task lists, whole and one at a time."""

from app.demo.scenes.bounds import closed, opened
from app.demo.stage import Cast, Scene, at


def task_lists(cast: Cast) -> Scene:
    """E81–E84, E110–E112: lists replaced, tasks added, changed, deleted, repeated, and left open by a node that finishes."""
    s = cast.session("claude-code", "larder")
    yield from opened(cast, s)
    items = [{"id": str(n), "text": f"Count shelf {n}", "status": "pending"} for n in range(1, 4)]
    yield at(300, "tasks.updated", s, items=items)
    yield at(300, "tasks.updated", s, items=[*items[1:], {"id": "2", "text": "Count shelf 2 twice", "status": "pending"}])
    yield at(900, "task.upserted", s, id="2", status="in_progress", active_text="Counting shelf 2")
    yield at(300, "task.upserted", s, id="9")
    yield at(300, "task.upserted", s, id="9", text="Count the cellar", status="completed")
    yield at(300, "task.deleted", s, id="2")
    yield at(300, "task.deleted", s, id="absent")
    yield at(300, "task.upserted", s, id="10", text="Order salt", active_text="Ordering salt", status="in_progress")
    yield at(300, "tasks.updated", s)
    yield at(300, "tasks.updated", s, items=[items[0], {"id": "5", "text": "Sweep", "active_text": None, "status": "in_progress"}])
    yield from closed(s)


SCENES = (task_lists,)
