"""From a list of tasks to waves, and to what can run now (section H). Nothing is run or changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.rho.parts import text_of
from app.domain.rho.problems import Refused
from app.domain.rho.texts import is_blank, trimmed

MOST_TASKS = 1_000
MOST_BLOCKING_EDGES = 10_000
STATES = frozenset({"pending", "in_progress", "reviewing", "completed", "failed", "skipped", "cancelled"})
BLOCKS = "blocks"


@dataclass(frozen=True)
class Dependency:
    """`target` must come first if `type` is `blocks`; any other type schedules nothing (G65)."""

    target: str
    type: str


@dataclass(frozen=True)
class Task:
    """What scheduling reads of a task."""

    id: str
    status: str
    dependencies: tuple[Dependency, ...] = ()


@dataclass(frozen=True)
class Schedule:
    """`waves` of task ids, each after all that blocks it; `ready`: pending tasks whose blockers are completed. By id (G67-G69)."""

    waves: tuple[tuple[str, ...], ...]
    ready: tuple[str, ...]
    unique_blocking_edges: int


def schedule(tasks: Sequence[Task]) -> Schedule:
    """The waves of these tasks and the runnable ones.

    Raises: Refused, with the first problem (G61-G63); a circle is named by its tasks.
    """
    if len(tasks) > MOST_TASKS:
        raise Refused("too_many_tasks")
    by_id = _identified(tasks)
    blockers: dict[str, set[str]] = {}
    edges = 0
    for id in sorted(by_id):
        if by_id[id].status not in STATES:
            raise Refused("invalid_status", task=id)
        blockers[id] = set()
        for dependency in by_id[id].dependencies:
            blocker = _blocker(id, dependency, by_id)
            if blocker is None or blocker in blockers[id]:
                continue
            blockers[id].add(blocker)
            edges += 1
            if edges > MOST_BLOCKING_EDGES:
                raise Refused("too_many_dependencies")
    completed = {id for id, task in by_id.items() if task.status == "completed"}
    ready = tuple(id for id in sorted(by_id) if by_id[id].status == "pending" and blockers[id] <= completed)
    return Schedule(_waves(blockers), ready, edges)


def ready_work(tasks: Sequence[Task]) -> tuple[str, ...]:
    """The runnable tasks, none where anything is wrong with any of them (G71)."""
    try:
        return schedule(tasks).ready
    except Refused:
        return ()


def read_tasks(value: Any, path: str = "tasks") -> list[Task]:
    """Tasks as clients write them: `id`, `status`, `dependencies` with `targetId` and `type`; other fields are ignored.

    Raises: Refused: a field is missing or of another type.
    """
    return [_task(item, where) for item, where in _items(value, path)]


def graph_tasks(envelope: dict[str, Any]) -> list[Task]:
    """The tasks of a valid envelope and what blocks them (M17)."""
    found = {node["id"]: node for node in envelope["nodes"] if _entity(node) == "task"}
    dependencies: dict[str, list[Dependency]] = {id: [] for id in found}
    for edge in envelope["edges"]:
        source, target = edge["from"]["id"], edge["to"]["id"]
        if edge["kind"] == "depends_on" and source in found and target in found:
            dependencies[source].append(Dependency(_task_id(target), edge.get("attributes", {}).get("dependency_type", BLOCKS)))
    return [Task(_task_id(id), node.get("attributes", {}).get("status", ""), tuple(dependencies[id])) for id, node in found.items()]


def _identified(tasks: Sequence[Task]) -> dict[str, Task]:
    found: dict[str, Task] = {}
    for task in tasks:
        if is_blank(task.id):
            raise Refused("invalid_task_identity")
        if task.id in found:
            raise Refused("duplicate_task", task=task.id)
        found[task.id] = task
    return found


def _blocker(id: str, dependency: Dependency, by_id: dict[str, Task]) -> str | None:
    """The task that this one waits for by a dependency; None if the dependency schedules nothing."""
    if dependency.type != BLOCKS:
        return None
    target = trimmed(dependency.target)
    if not target:
        raise Refused("empty_blocker", task=id)
    if target not in by_id and dependency.target in by_id:  # an id may have white space at its ends
        target = dependency.target
    if target == id:
        raise Refused("self_dependency", task=id)
    if target not in by_id:
        raise Refused("missing_blocker", task=id)
    return target


def _waves(blockers: dict[str, set[str]]) -> tuple[tuple[str, ...], ...]:
    left = {id: len(found) for id, found in blockers.items()}
    blocked: dict[str, list[str]] = {id: [] for id in blockers}
    for id, found in blockers.items():
        for blocker in found:
            blocked[blocker].append(id)
    waves: list[tuple[str, ...]] = []
    wave = sorted(id for id, count in left.items() if not count)
    while wave:
        waves.append(tuple(wave))
        freed: list[str] = []
        for done in wave:
            del left[done]
            for id in blocked[done]:
                left[id] -= 1
                if not left[id]:
                    freed.append(id)
        wave = sorted(freed)
    if left:
        raise Refused("cycle", cycle=_cycle({id: min(blockers[id] & left.keys()) for id in left}))
    return tuple(waves)


def _cycle(next_of: dict[str, str]) -> tuple[str, ...]:
    """A circle among tasks that never become free, each followed by one that it waits for; the smallest id first (as M18)."""
    id = min(next_of)
    walked: dict[str, int] = {}
    while id not in walked:
        walked[id] = len(walked)
        id = next_of[id]
    circle = list(walked)[walked[id] :]
    first = circle.index(min(circle))
    return tuple(circle[first:] + circle[:first])


def _task(value: Any, path: str) -> Task:
    if not isinstance(value, dict):
        raise Refused("wrong_type", path)
    given = value.get("dependencies")
    dependencies = [] if given is None else _items(given, f"{path}.dependencies")
    return Task(text_of(value, "id", path), text_of(value, "status", path), tuple(_dependency(item, where) for item, where in dependencies))


def _dependency(value: Any, path: str) -> Dependency:
    if not isinstance(value, dict):
        raise Refused("wrong_type", path)
    return Dependency(text_of(value, "targetId", path), text_of(value, "type", path))


def _items(value: Any, path: str) -> list[tuple[Any, str]]:
    if not isinstance(value, list):
        raise Refused("wrong_type", path)
    return [(item, f"{path}[{place}]") for place, item in enumerate(value)]


def _entity(node: dict[str, Any]) -> str | None:
    attributes: dict[str, str] = node.get("attributes", {})
    return attributes.get("entity_type", attributes.get("entity"))


def _task_id(node_id: str) -> str:
    return node_id.removeprefix("rho/task/")
