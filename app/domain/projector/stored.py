"""The projector's whole state in the form that keyframes and checkpoints carry (E134, E135)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar

import msgspec

from app.domain.keyframe import KeyframeRefused
from app.domain.projector import blocked, requests, tree, waits
from app.domain.projector.graph import GraphState
from app.domain.projector.pieces import members
from app.domain.projector.state import End, Message, Node, Spawn, UnpairedStarts, Wait
from app.domain.times import NS_PER_S

T = TypeVar("T")

_State = Literal["working", "input_required", "idle", "completed", "failed", "canceled"]
_Kind = Literal["session", "agent"]


_Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""No count or time is negative; the upper bound leaves room for what later events add, in what the store can hold."""


_Count = Annotated[int, msgspec.Meta(ge=0, le=2**20)]
"""How many there are at one node: more than any graph has, and little enough for sums in 32 bits, which is all that GraphQL shows."""


class _Time(msgspec.Struct):
    secs_since_epoch: _Number
    nanos_since_epoch: Annotated[int, msgspec.Meta(ge=0, lt=NS_PER_S)]


class _Task(msgspec.Struct, omit_defaults=True):
    id: str
    text: str
    status: Literal["pending", "in_progress", "completed"]
    active_text: str | None = None


class _Spawn(msgspec.Struct, omit_defaults=True):
    call_id: str
    kind: _Kind
    background: bool
    returned: bool
    requested_at: str
    agent_type: str | None = None
    purpose: str | None = None
    run: bool | None = None
    title: str | None = None
    child: str | None = None


class _Wait(msgspec.Struct, omit_defaults=True):
    wait_id: str
    open: bool
    spawn: bool
    started_at: str
    on: str | None = None
    reason: str | None = None
    ended_at: str | None = None


class _Message(msgspec.Struct, omit_defaults=True):
    message_id: str
    direction: Literal["sent", "received"]
    peer: str
    ts: str
    reply_to: str | None = None
    summary: str | None = None
    body: str | None = None


class _Node(msgspec.Struct, omit_defaults=True):
    id: str
    kind: _Kind
    provider: str
    children: list[str]
    state: _State
    tasks: list[_Task]
    spawns: list[_Spawn]
    waits: list[_Wait]
    messages: list[_Message]
    last_event_at: str
    open_tasks: _Count
    stale: bool
    parent: str | None = None
    summary: str | None = None
    attention: str | None = None
    title: str | None = None
    cwd: str | None = None
    agent_type: str | None = None
    purpose: str | None = None
    background: bool | None = None
    spawned_by: str | None = None
    requested_by: str | None = None
    link: str | None = None
    process: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    asking: dict[str, str] | None = None
    planning: bool | None = None
    stopped: bool | None = None
    asked_at: str | None = None
    background_agents: _Count | None = None


class _End(NamedTuple):
    time: _Time
    ts: str
    quick: bool


class _Unpaired(NamedTuple):
    time: _Time
    ts: str
    refs: list[str]


class _Graph(msgspec.Struct, omit_defaults=True):
    """Nodes are packed one by one: all at once would be one long step, for which every thread waits."""

    nodes: dict[str, msgspec.Raw]
    processes: dict[str, str]
    requesters: dict[str, list[str]]
    ended: dict[str, _End]
    started: dict[str, _Time]
    unpaired_runs: _Unpaired | None = None


_encoder = msgspec.json.Encoder()


class _Mapping(Generic[T]):
    """A member of a state that has as many members itself as there are nodes, or so: it comes in pieces."""

    def __init__(self, name: str, type: type[T]) -> None:
        self.name = name
        self._decoder = msgspec.json.Decoder(dict[str, type])  # type: ignore[valid-type]

    def of(self, parts: Mapping[str, Sequence[bytes]]) -> dict[str, T]:
        """What a state's parts hold of it. Raises: msgspec.DecodeError."""
        if self.name not in parts:
            raise msgspec.ValidationError(f"Object missing required field `{self.name}`")
        found: dict[str, T] = {}
        for text in parts[self.name]:
            found.update(self._decoder.decode(text))
        return found


_NODES = _Mapping("nodes", _Node)
_PROCESSES = _Mapping("processes", str)
_REQUESTERS = _Mapping("requesters", list[str])
_ENDED = _Mapping("ended", _End)
_STARTED = _Mapping("started", _Time)
_MAPPINGS = tuple(each.name for each in (_NODES, _PROCESSES, _REQUESTERS, _ENDED, _STARTED))
_unpaired_decoder = msgspec.json.Decoder(_Unpaired | None)


class _Read(NamedTuple):
    """What a state's text says."""

    nodes: dict[str, _Node]
    processes: dict[str, str]
    requesters: dict[str, list[str]]
    ended: dict[str, _End]
    started: dict[str, _Time]
    unpaired: _Unpaired | None


def _read(text: bytes) -> _Read:
    """Raises: KeyframeRefused (E130)."""
    try:
        parts = members(text, _MAPPINGS)
        unpaired = _unpaired_decoder.decode(parts.get("unpaired_runs", [b"null"])[0])
        # nodes first: where those are none, the rest is not gone through
        return _Read(_NODES.of(parts), _PROCESSES.of(parts), _REQUESTERS.of(parts), _ENDED.of(parts), _STARTED.of(parts), unpaired)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise KeyframeRefused(f"no JSON state: {error}") from None


class Places(msgspec.Struct):
    """Where things are of which a keyframe gives the order alone.

    `nodes`: by ref, among their siblings. `tasks`: by ref, those of the tasks and the next one's, where they are not 0, 1, 2 …
    """

    nodes: dict[str, int]
    tasks: dict[str, list[int]]


def places(graph: GraphState) -> Places:
    """Those of a state, for `load` to keep."""
    nodes, tasks = {}, {}
    for ref, node in graph.nodes.items():
        nodes[ref] = node.placed
        if node.tasks.next_position != len(node.tasks.items):
            tasks[ref] = [*node.tasks.items, node.tasks.next_position]
    return Places(nodes, tasks)


def dump(graph: GraphState) -> bytes:
    """The state as JSON text (E134)."""
    unpaired = graph.unpaired
    return msgspec.json.encode(
        _Graph(
            nodes={ref: msgspec.Raw(_encoder.encode(_dump_node(node))) for ref, node in graph.nodes.items()},
            processes=graph.processes,
            requesters=graph.requesters,
            ended={ref: _End(_time(end.time_ns), end.ts, end.quick) for ref, end in graph.ended.items()},
            started={ref: _time(at) for ref, at in graph.started.items()},
            unpaired_runs=None if unpaired is None or not unpaired.refs else _Unpaired(_time(unpaired.time_ns), unpaired.ts, unpaired.refs),
        )
    )


def _time(ns: int) -> _Time:
    return _Time(ns // NS_PER_S, ns % NS_PER_S)


def _ns(time: _Time) -> int:
    return time.secs_since_epoch * NS_PER_S + time.nanos_since_epoch


def _dump_node(node: Node) -> _Node:
    return _Node(
        id=node.ref,
        kind="agent" if node.kind == "agent" else "session",
        provider=node.provider,
        children=list(node.children),
        state=node.state,  # type: ignore[arg-type]  # states come from events, which allow no other
        tasks=[_Task(task.id, task.text, task.status, task.active_text) for task in node.tasks.items.values()],  # type: ignore[arg-type]
        spawns=[
            _Spawn(
                call_id=spawn.call_id,
                kind=spawn.kind,  # type: ignore[arg-type]
                background=spawn.background,
                returned=spawn.returned,
                requested_at=spawn.requested_at,
                agent_type=spawn.agent_type,
                purpose=spawn.purpose,
                run=spawn.run,
                title=spawn.title,
                child=spawn.child,
            )
            for spawn in node.spawns
        ],
        waits=[_Wait(wait.id, wait.open, wait.spawn, wait.started_at, wait.on, wait.reason, wait.ended_at) for wait in node.waits],
        messages=[
            _Message(message.id, message.direction, message.peer, message.ts, message.reply_to, message.summary, message.body)  # type: ignore[arg-type]
            for message in node.messages
        ],
        last_event_at=node.last_event,
        open_tasks=0,
        stale=False,
        parent=None if node.parent is None else node.parent.ref,
        summary=node.summary,
        attention=node.attention,
        title=node.title,
        cwd=node.cwd,
        agent_type=node.agent_type,
        purpose=node.purpose,
        background=node.background,
        spawned_by=node.spawn_call_id,
        requested_by=node.requested_by,
        link=node.link_method,
        process=node.process,
        started_at=node.created,
        ended_at=node.ended,
        asking=node.approvals or None,
        planning=node.plan_mark or None,
        stopped=node.stop_mark or None,
        asked_at=node.question_time,
        background_agents=node.background_agent_count or None,
    )


def load(text: bytes, seq: int, places: Places | None = None) -> GraphState:
    """Takes up a state; it stands at place `seq`. Raises KeyframeRefused where it is no JSON state (E130) or does not add up (E135)."""
    places = Places({}, {}) if places is None else places
    form = _read(text)
    _check(form)
    graph = GraphState()
    graph.seq = seq
    for ref, at in form.nodes.items():
        graph.nodes[ref] = _load_node(at, places.tasks.get(ref))
    _load_tree(graph, form.nodes)
    for ref, place in places.nodes.items():
        graph.nodes[ref].placed = place
    for ref, at in form.nodes.items():
        _load_parts(graph, graph.nodes[ref], at)
    graph.processes = form.processes
    graph.requesters = form.requesters
    graph.ended = {ref: End(_ns(end.time), end.ts, end.quick) for ref, end in form.ended.items()}
    graph.started = {ref: _ns(time) for ref, time in form.started.items()}
    if form.unpaired is not None:
        graph.unpaired = UnpairedStarts(_ns(form.unpaired.time), form.unpaired.ts, form.unpaired.refs)
    graph.touched = dict.fromkeys(graph.nodes.values())
    graph.moved = {node: None for node in graph.nodes.values() if node.parent is not None}
    graph.waiters = {node: None for node in graph.nodes.values() if node.open_waits}
    blocked.refresh(graph)
    return graph


def _check(form: _Read) -> None:
    nodes = form.nodes
    listed: set[str] = set()
    for ref, node in nodes.items():
        if node.id != ref:
            raise KeyframeRefused(f"node {node.id!r} stands under {ref!r}")
        if len({spawn.call_id for spawn in node.spawns}) != len(node.spawns):
            raise KeyframeRefused(f"{ref!r} has two requests with one call id")
        for child in node.children:
            if child in listed or child not in nodes or nodes[child].parent != ref:
                raise KeyframeRefused(f"{ref!r} lists {child!r} wrongly")
            listed.add(child)
    if any((node.parent is not None) != (ref in listed) for ref, node in nodes.items()):
        raise KeyframeRefused("a node is not listed by its parent")
    named = {*form.processes.values(), *(ref for refs in form.requesters.values() for ref in refs)}
    named.update(form.unpaired.refs if form.unpaired is not None else ())
    if not named <= nodes.keys():
        raise KeyframeRefused("it names nodes that are not there")


def _load_node(form: _Node, tasks: list[int] | None) -> Node:
    node = Node(form.id, form.provider, form.started_at if form.started_at is not None else form.last_event_at)
    node.kind, node.state, node.last_event = form.kind, form.state, form.last_event_at
    node.summary, node.attention, node.title, node.cwd = form.summary, form.attention, form.title, form.cwd
    node.agent_type, node.purpose, node.background = form.agent_type, form.purpose, form.background
    node.spawn_call_id, node.requested_by, node.link_method = form.spawned_by, form.requested_by, form.link
    node.process, node.ended = form.process, form.ended_at
    node.approvals = form.asking or {}
    node.note_asking()
    node.plan_mark, node.stop_mark, node.question_time = bool(form.planning), bool(form.stopped), form.asked_at
    node.background_agent_count = form.background_agents or 0
    *positions, following = range(len(form.tasks) + 1) if tasks is None else tasks
    for task, node.tasks.next_position in zip(form.tasks, positions, strict=True):
        node.tasks.add(task.id, task.text, task.active_text, task.status)
    node.tasks.next_position = following
    node.tree_unfinished = 0 if node.finished else 1
    node.tree_open_tasks = node.tasks.open
    return node


def _load_tree(graph: GraphState, nodes: dict[str, _Node]) -> None:
    """Puts every node in its place, from the roots down; what no root leads to hangs in a loop (E32)."""
    order = [node for ref, node in graph.nodes.items() if nodes[ref].parent is None]
    for node in order:  # grows while it is gone through
        for place, ref in enumerate(nodes[node.ref].children):
            child = graph.nodes[ref]
            tree.settle(graph, child, node, place)
            order.append(child)
    if len(order) != len(graph.nodes):
        raise KeyframeRefused("some nodes are each other's parents")
    for node in reversed(order):
        tree.add_up(node)


def _load_parts(graph: GraphState, node: Node, form: _Node) -> None:
    for position, wait in enumerate(form.waits):
        made = Wait(node, position, wait.wait_id, wait.on, wait.reason, wait.spawn, wait.started_at)
        made.open, made.ended_at = wait.open, wait.ended_at
        waits.adopt(graph, made)
    spawn_waits = {wait.id: wait for wait in node.waits if wait.spawn}
    for position, at in enumerate(form.spawns):
        spawn = Spawn(node, position, at.call_id, at.kind, at.agent_type, at.purpose, at.title, at.background, at.run, at.requested_at)
        spawn.child, spawn.returned, spawn.wait = at.child, at.returned, spawn_waits.get(at.call_id)
        requests.adopt(graph, spawn)
    for position, message in enumerate(form.messages):
        node.messages.append(
            Message(
                position, message.message_id, message.direction, message.peer, message.reply_to, message.summary, message.body, message.ts
            )
        )
        if message.direction == "sent":
            node.sent.add(message.message_id)
        graph.touched_parts["message", node, position] = None
    for position in node.tasks.items:
        graph.touched_parts["task", node, position] = None
    tree.calls_changed(node)
