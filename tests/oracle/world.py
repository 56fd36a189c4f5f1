"""The stored state (E16), and the two ways a tree changes: a node is made (E17-E20), a node is moved (E31-E34)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.oracle.payloads import FINISHED


@dataclass
class Task:
    id: str
    text: str
    active_text: str | None
    status: str


@dataclass
class Request:
    """An entry of `spawns`; `requested` is a ts."""

    call_id: str
    kind: str
    agent_type: str | None
    purpose: str | None
    background: bool
    run: bool | None
    title: str | None
    requested: str
    child: str | None = None
    returned: bool = False


@dataclass
class Wait:
    id: str
    on: str | None
    reason: str | None
    spawn: bool
    started: str
    open: bool = True
    ended: str | None = None


@dataclass
class Message:
    id: str
    direction: str
    peer: str
    reply_to: str | None
    summary: str | None
    body: str | None
    time: str


@dataclass
class Node:
    """What a node holds (E16); all times are ts texts. `created` is unknown only in a keyframe without it."""

    ref: str
    kind: str
    provider: str
    state: str
    created: str | None
    last_event: str
    parent: str | None = None
    children: list[str] = field(default_factory=list)
    title: str | None = None
    cwd: str | None = None
    summary: str | None = None
    attention: str | None = None
    purpose: str | None = None
    agent_type: str | None = None
    background: bool | None = None
    spawn_call_id: str | None = None
    requested_by: str | None = None
    link_method: str | None = None
    ended: str | None = None
    background_agents: int = 0
    tasks: list[Task] = field(default_factory=list)
    spawns: list[Request] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    process: str | None = None
    approvals: dict[str, str] = field(default_factory=dict)
    plan_mark: bool = False
    stop_mark: bool = False
    question_time: str | None = None

    @property
    def finished(self) -> bool:
        return self.state in FINISHED

    @property
    def bound(self) -> bool:
        return self.spawn_call_id is not None

    def request(self, call_id: str) -> Request | None:
        return next((request for request in self.spawns if request.call_id == call_id), None)

    def spawn_waits(self, call_id: str) -> list[Wait]:
        return [wait for wait in self.waits if wait.spawn and wait.id == call_id]


@dataclass
class Cause:
    """The event being applied: what a node made because of it takes from it (E18, E19), and which node it is about."""

    ts: str
    provider: str
    node: str


@dataclass
class Ended:
    """E53: the memory of a session's end; `time` in nanoseconds."""

    time: int
    ts: str
    quick: bool


@dataclass
class Unpaired:
    """E49: starts of one time (nanoseconds); `ts` is the first one's."""

    time: int
    ts: str
    refs: list[str]


@dataclass
class World:
    nodes: dict[str, Node] = field(default_factory=dict)
    processes: dict[str, str] = field(default_factory=dict)
    requesters: dict[str, list[str]] = field(default_factory=dict)
    ended: dict[str, Ended] = field(default_factory=dict)
    started: dict[str, int] = field(default_factory=dict)
    unpaired: Unpaired | None = None
    rules: set[int] = field(default_factory=set)
    placeholders: set[str] = field(default_factory=set)

    def met(self, rule: int, really: bool = True) -> None:
        """Notes that a rule had its effect (what counts as its effect: rules.py)."""
        if really:
            self.rules.add(rule)


def is_agent(ref: str) -> bool:
    return "/" in ref


def session_part(ref: str) -> str:
    return ref.split("/", 1)[0]


def upper_ref(ref: str) -> str:
    return ref.rsplit("/", 1)[0]


def make(world: World, ref: str, cause: Cause) -> Node:
    """E17: the node named `ref`, made if missing, for an agent with every missing level above, from the top down."""
    if ref not in world.nodes:
        pieces = ref.split("/")
        for level in range(1, len(pieces) + 1):
            _make_one(world, "/".join(pieces[:level]), cause)
    return world.nodes[ref]


def _make_one(world: World, ref: str, cause: Cause) -> None:
    if ref in world.nodes:
        return
    provider = ref.split(":", 1)[0] if ":" in ref else cause.provider
    kind, state = ("agent", "working") if is_agent(ref) else ("session", "idle")
    world.nodes[ref] = Node(ref, kind, provider, state, created=cause.ts, last_event=cause.ts)
    world.met(18)
    world.met(19, ":" not in ref or provider != cause.provider)
    if ref == cause.node:
        world.met(23)
    else:
        world.met(17)
        world.placeholders.add(ref)
    if is_agent(ref):
        move(world, ref, upper_ref(ref), cause)


def lies_below(world: World, low: str, high: str) -> bool:
    """Whether going up from `low` (not counting itself) comes to `high`."""
    seen = set()
    above = world.nodes[low].parent
    while above is not None and above not in seen:
        if above == high:
            return True
        seen.add(above)
        above = world.nodes[above].parent
    return False


def move(world: World, child: str, parent: str, cause: Cause) -> None:
    """E31: moves `child` under `parent`, unless that would make a loop (E32)."""
    node = world.nodes[child]
    if child == parent or node.parent == parent:
        return
    make(world, parent, cause)
    if lies_below(world, parent, child):
        world.met(32)
        return
    if node.parent is not None:
        world.nodes[node.parent].children.remove(child)
        world.met(34)
    node.parent = parent
    world.nodes[parent].children.append(child)
    world.met(31)
    world.met(33, is_agent(child) and parent != upper_ref(child))
