"""What the projector remembers of a graph (E16): mutable, and private to the projector."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field

from app.domain.ids import node_id
from app.domain.projector.awaited import Awaited
from app.domain.rows import Cell
from app.domain.times import read_ns

FINISHED = frozenset({"completed", "failed", "canceled"})


@dataclass(slots=True, eq=False)
class Task:
    """One task; `position` orders it in its node's list."""

    position: int
    id: str
    text: str
    active_text: str | None
    status: str


@dataclass(slots=True, eq=False)
class Spawn:
    """A request to start a child (E85). `wait` is the spawn wait that it opened, if it is in the foreground."""

    owner: Node
    position: int
    call_id: str
    kind: str
    agent_type: str | None
    purpose: str | None
    title: str | None
    background: bool
    run: bool | None
    requested_at: str
    child: str | None = None
    returned: bool = False
    wait: Wait | None = None

    @property
    def order(self) -> tuple[str, str, str]:
        """Oldest first: time as text, requester's ref, call id (E47, E60)."""
        return self.requested_at, self.owner.ref, self.call_id


@dataclass(slots=True, eq=False)
class Wait:
    """A wait (E96). `edge` is the existing target while the wait counts and the waiter is unfinished."""

    owner: Node
    position: int
    id: str
    on: str | None
    reason: str | None
    spawn: bool
    started_at: str
    open: bool = True
    ended_at: str | None = None
    edge: Node | None = None


@dataclass(slots=True, eq=False)
class Message:
    """A message, as one side holds it (E103, E104). `peer` is a ref, or the name of somebody unknown."""

    position: int
    id: str
    direction: str
    peer: str
    reply_to: str | None
    summary: str | None
    body: str | None
    ts: str


class TaskList:
    """A node's tasks in order, with what the headline and the counts need at hand (E81-E84, E110, E111)."""

    __slots__ = ("by_id", "counts", "in_progress", "items", "next_position")

    def __init__(self) -> None:
        self.items: dict[int, Task] = {}
        self.by_id: dict[str, list[Task]] = {}
        self.counts = {"pending": 0, "in_progress": 0, "completed": 0}
        self.in_progress: list[int] = []
        self.next_position = 0

    @property
    def open(self) -> int:
        """How many are not completed (E84)."""
        return self.counts["pending"] + self.counts["in_progress"]

    def add(self, id: str, text: str, active_text: str | None, status: str) -> Task:
        """Adds a task at the end."""
        task = Task(self.next_position, id, text, active_text, status)
        self.next_position += 1
        self.items[task.position] = task
        self.by_id.setdefault(id, []).append(task)
        self._count(task, 1)
        return task

    def set_status(self, task: Task, status: str) -> None:
        """Changes a task's status."""
        self._count(task, -1)
        task.status = status
        self._count(task, 1)

    def remove(self, id: str) -> list[Task]:
        """Takes out every task with that id (E83)."""
        gone = self.by_id.pop(id, [])
        for task in gone:
            del self.items[task.position]
            self._count(task, -1)
        return gone

    def headline(self) -> str | None:
        """What the tasks say of the work (E110)."""
        pending = self.counts["pending"]
        if self.in_progress:
            task = self.items[self.in_progress[0]]
            text = task.text if task.active_text is None else task.active_text
            return f"{text} (+{pending} pending)" if pending else text
        if pending:
            return "1 task pending" if pending == 1 else f"{pending} tasks pending"
        return None

    def _count(self, task: Task, by: int) -> None:
        self.counts[task.status] += by
        if task.status == "in_progress":
            if by > 0:
                insort(self.in_progress, task.position)
            else:
                del self.in_progress[bisect_left(self.in_progress, task.position)]


Sums = tuple[int, int, bool]
"""What a walk comes to: node_count, open_tasks, cycle (E118, E119)."""

Blocked = tuple[tuple[str, ...], int, int, int, bool]
"""on, starting, node_count, open_tasks, cycle (E117-E119)."""


class Node:
    """A session or an agent. Times are `ts` texts as written. What is derived is kept up to date as things change."""

    __slots__ = (
        "agent_type",
        "approvals",
        "asking_ns",
        "attention",
        "awaited",
        "background",
        "background_agent_count",
        "blocked",
        "blocked_text",
        "cell",
        "children",
        "created",
        "cwd",
        "depth",
        "descendant_count",
        "edges",
        "ended",
        "id_text",
        "kind",
        "last_event",
        "link_method",
        "messages",
        "open_calls",
        "open_wait_ids",
        "open_waits",
        "parent",
        "pending_children",
        "placed",
        "plan_mark",
        "process",
        "provider",
        "purpose",
        "question_time",
        "ref",
        "requested_by",
        "root",
        "sent",
        "session",
        "session_part",
        "spawn_call_id",
        "spawns",
        "spawns_by_call",
        "state",
        "stop_mark",
        "summary",
        "tasks",
        "title",
        "tree_open_tasks",
        "tree_unfinished",
        "unread",
        "waited_by",
        "waiting_children",
        "waits",
    )

    unread: tuple[bytes, dict[str, Node]]
    """Of a copy that nobody has looked at yet, and of nothing else: its text, and the other nodes (`copying`)."""

    def __init__(self, ref: str, provider: str, ts: str) -> None:
        self.ref = ref
        self.cell = Cell("node", ref)
        self.id_text = node_id(ref).encode()
        self.session_part, slash, _ = ref.partition("/")
        self.kind = "agent" if slash else "session"
        self.provider = provider
        self.state = "working" if slash else "idle"
        self.parent: Node | None = None
        self.children: dict[str, Node] = {}
        self.placed = 0
        self.title: str | None = None
        self.cwd: str | None = None
        self.summary: str | None = None
        self.attention: str | None = None
        self.purpose: str | None = None
        self.agent_type: str | None = None
        self.background: bool | None = None
        self.spawn_call_id: str | None = None
        self.requested_by: str | None = None
        self.link_method: str | None = None
        self.tasks = TaskList()
        self.spawns: list[Spawn] = []
        self.spawns_by_call: dict[str, Spawn] = {}
        self.open_calls: dict[str, Spawn] = {}
        """Foreground, untitled requests that have not returned (E78)."""
        self.waits: list[Wait] = []
        self.open_waits: dict[int, Wait] = {}
        self.open_wait_ids: dict[str, list[Wait]] = {}
        self.messages: list[Message] = []
        self.sent: set[str] = set()
        self.created = ts
        self.ended: str | None = None
        self.last_event = ts
        self.background_agent_count = 0
        self.process: str | None = None
        self.approvals: dict[str, str] = {}
        self.asking_ns: int | None = None
        """The earliest readable open approval, Unix nanoseconds (E113)."""
        self.plan_mark = False
        self.stop_mark = False
        self.question_time: str | None = None
        self.depth = 0
        self.root = self
        self.session = self
        self.descendant_count = 0
        self.tree_unfinished = 1
        """Unfinished nodes among this one and all below it."""
        self.tree_open_tasks = 0
        """Open tasks of this node and all below it."""
        self.edges: dict[Node, int] = {}
        """Nodes that its waits lead to (`Wait.edge`), and how many of them do."""
        self.waited_by: dict[Node, None] = {}
        """Nodes whose waits lead here."""
        self.waiting_children: dict[str, Node] = {}
        """Children at or below which somebody's wait leads to a node."""
        self.pending_children: dict[str, Node] = {}
        """Children in whose agents an end of the session has something left to do (E55)."""
        self.awaited: Awaited | None = None
        """None until its first wait."""
        self.blocked: Blocked | None = None
        self.blocked_text = b"null"
        """`blocked` as JSON, as it was when last recorded."""

    @property
    def finished(self) -> bool:
        """Whether it is completed, failed or canceled."""
        return self.state in FINISHED

    def note_asking(self) -> None:
        """To be called after its open approvals may have changed: which of the readable ones is the earliest (E113)."""
        opened = (at for ts in self.approvals.values() if (at := read_ns(ts)) is not None)
        self.asking_ns = min(opened, default=None) if self.approvals else None

    @property
    def bound(self) -> bool:
        """Whether it is taken to have come from a request."""
        return self.spawn_call_id is not None

    def unlink(self) -> None:
        """Forgets the other nodes, for good: what points in a circle stays in memory until Python looks for that, which is seldom."""
        for name in _LINKS:
            delattr(self, name)


_LINKS = (
    "root", "session", "parent", "children", "waiting_children", "pending_children", "edges", "waited_by",
    "waits", "open_waits", "open_wait_ids", "spawns", "spawns_by_call", "open_calls",
)  # fmt: skip
"""Members of a node that lead to others, or back to it."""


@dataclass(slots=True)
class End:
    """How a session ended that has not started again (E53): time in Unix ns, `ts`, and whether the end was quick."""

    time_ns: int
    ts: str
    quick: bool


@dataclass(slots=True)
class UnpairedStarts:
    """Sessions whose start, at one moment, found no request yet (E49)."""

    time_ns: int
    ts: str
    refs: list[str] = field(default_factory=list)
