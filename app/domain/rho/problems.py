"""What a Rho graph is refused for (G32, G62-G63)."""

from __future__ import annotations

from app.domain.problems import Problem


class Refused(Problem):
    """The first failure in a document or a list of tasks.

    `kind` is a name of G32, G53 or G63; `path` says where (`edges[3].from`, empty for the whole document); `task` names the task that is to
    blame, `cycle` the tasks of a circle, each of which waits for the next.
    """

    code = "BAD_USER_INPUT"

    def __init__(self, kind: str, path: str | None = None, *, task: str | None = None, cycle: tuple[str, ...] = ()) -> None:
        where = path or (f"task {task}" if task is not None else " -> ".join(cycle))
        super().__init__(f"{kind}: {where}" if where else kind, kind=kind, path=path, task=task, cycle=list(cycle) or None)
        self.kind = kind
        self.path = path
        self.task = task
        self.cycle = cycle

    def told(self) -> dict[str, object]:
        """The failure as commands and doors show it."""
        return dict(self.extra)
