"""From an Agent Graph session to `rho.graph/v1` (M21-M32). Texts of agents become digests or are left out (M31)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.ids import node_id
from app.domain.rho.building import Building, Reference, digest_of, pair_digest, yes_no
from app.domain.rho.envelope import Document
from app.domain.rho.names import agent_name, base_name, part_name, session_names
from app.domain.rho.observations import merge
from app.domain.rho.timestamps import from_ms
from app.domain.rows import MessageRow, NodeRow, SpawnRow, TaskRow, WaitRow

_RUNTIME_STATUS = {
    "working": "running",
    "input_required": "running",
    "idle": "running",
    "completed": "completed",
    "failed": "failed",
    "canceled": "killed",
}
_FINISHED = ("completed", "failed", "canceled")


@dataclass(frozen=True)
class TaskState:
    """A task with the events that made it and that last changed it, Unix ms."""

    row: TaskRow
    created_ms: int
    changed_ms: int


@dataclass(frozen=True)
class NodeState:
    """A session or an agent with all that it holds, at the moment of the export; `state` is the one shown."""

    row: NodeRow
    tasks: Sequence[TaskState] = ()
    spawns: Sequence[SpawnRow] = ()
    waits: Sequence[WaitRow] = ()
    messages: Sequence[MessageRow] = ()


@dataclass(frozen=True)
class SessionExport:
    """The envelope of a session; `outside`: waits, spawns and messages whose other end is unknown or not in it (M28)."""

    sid: str
    envelope: Document
    outside: int


@dataclass
class _Names:
    """What every node in the export is called there."""

    sids: Mapping[str, str]
    nodes: dict[str, Reference] = field(default_factory=dict)
    short: dict[str, str] = field(default_factory=dict)
    """By ref: sid, or agent name."""


def export_session(
    ref: str,
    nodes: Mapping[str, NodeState],
    generated_at: str,
    repository: str | None = None,
    version: str | None = None,
    journal: Sequence[Document] = (),
) -> SessionExport:
    """One session of a graph as an envelope.

    `nodes`: at least the session, its agents and the sessions started from them, by ref; `generated_at`: the event's time for an upload,
    now for an answer (M24); `repository`: the scope, instead of the directory's base name (M26); `journal`: entries of the session's own
    observations (M30).

    Raises: Refused.
    """
    return _Export(ref, nodes, Building(generated_at, repository or base_name(nodes[ref].row.cwd), version)).made(journal)


class _Export:
    def __init__(self, ref: str, nodes: Mapping[str, NodeState], building: Building) -> None:
        self._ref = ref
        self._building = building
        inside = [other for other in _below(ref, nodes) if other == ref or nodes[other].row.kind == "agent"]
        self._inside = {other: nodes[other] for other in inside}
        self._started = {
            other: state.row
            for other, state in nodes.items()
            if other != ref and state.row.kind == "session" and state.row.parent in self._inside
        }
        sessions = sorted({ref, *self._started}, key=node_id)
        self._names = _Names(session_names(sessions))
        self._sid = self._names.sids[ref]
        self._outside = 0

    def made(self, journal: Sequence[Document]) -> SessionExport:
        for ref in sorted(self._inside):
            self._node(ref, self._inside[ref])
        for ref in sorted(self._started):
            self._session_started_here(ref, self._started[ref])
        for ref in sorted(self._inside):
            self._edges(ref, self._inside[ref])
        merge(self._building, self._sid, journal)
        return SessionExport(self._sid, self._building.envelope(), self._outside)

    def _node(self, ref: str, state: NodeState) -> None:
        row = state.row
        if ref == self._ref:
            name, kind = self._sid, "session"
            attributes: dict[str, str | None] = {
                "entity_type": "rho_session",
                "provider": row.provider,
                "status": row.state,
                "message_count": str(len(state.messages)),
                "agent_count": str(len(self._inside) - 1),
                "link_method": row.link_method,
                "name_sha256": digest_of(row.title),
            }
        else:
            name, kind = agent_name(ref, self._sid), "runtime-task"
            attributes = {
                "entity_type": "runtime_task",
                "kind": "agent",
                "status": _RUNTIME_STATUS[row.state],
                "state": row.state,
                "agent_type": row.agent_type,
                "background": None if row.background is None else yes_no(row.background),
                "label_sha256": digest_of(row.purpose),
            }
        subject = self._add(ref, name, kind, attributes, row)
        self._building.life(f"{kind}/{name}", subject, name, from_ms(row.created))
        if row.state in _FINISHED:
            ended = from_ms(row.last_event if row.ended is None else row.ended)
            self._building.changed(f"{kind}/{name}", subject, name, row.state, ended)
        for task in state.tasks:
            self._task(subject, name, task)

    def _session_started_here(self, ref: str, row: NodeRow) -> None:
        attributes = {"entity_type": "rho_session", "provider": row.provider, "status": row.state, "link_method": row.link_method}
        self._add(ref, self._names.sids[ref], "session", attributes, row)

    def _add(self, ref: str, name: str, kind: str, attributes: dict[str, str | None], row: NodeRow) -> Reference:
        found = self._building.node(
            Reference("execution", f"rho/{kind}/{name}"),
            name,
            f"rho://{kind}/{name}",
            attributes,
            created_at=from_ms(row.created),
            effective_at=from_ms(row.last_event),
        )
        self._names.nodes[ref] = found
        self._names.short[ref] = name
        return found

    def _task(self, owner: Reference, owner_name: str, task: TaskState) -> None:
        name = f"{owner_name}.{part_name(task.row.id)}"
        created, changed = from_ms(task.created_ms), from_ms(task.changed_ms)
        attributes = {"entity_type": "task", "status": task.row.status, "subject_sha256": digest_of(task.row.text)}
        reference = Reference("execution", f"rho/task/{name}")
        if self._building.has(reference.id):  # ids of tasks repeat: the first stands for all
            return
        self._building.node(reference, name, f"rho://task/{name}", attributes, created_at=created, effective_at=changed)
        self._building.contains(owner, reference, created)
        self._building.life(f"task/{name}", reference, name, created)
        if task.changed_ms > task.created_ms:
            self._building.changed(f"task/{name}", reference, name, task.row.status, changed)

    def _edges(self, ref: str, state: NodeState) -> None:
        here, row = self._names.nodes[ref], state.row
        if ref != self._ref and row.parent is not None:
            self._building.contains(self._names.nodes[row.parent], here, from_ms(row.created))
        for other, its_row in sorted(self._started.items()):
            if its_row.parent == ref:
                id = f"rho/edge/start/{pair_digest(ref, its_row.spawn_call_id or other)}"
                attributes: dict[str, str | None] = {"relation": "started"}
                self._building.edge(id, "references", here, self._names.nodes[other], attributes, created_at=from_ms(its_row.created))
        for spawn in state.spawns:
            self._spawn(ref, here, spawn)
        for wait in state.waits:
            self._wait(ref, here, wait)
        for message in state.messages:
            self._message(ref, here, message)

    def _spawn(self, ref: str, here: Reference, spawn: SpawnRow) -> None:
        call = part_name(spawn.call_id)
        name = f"tool-call/{self._sid}/{call}"
        requested = from_ms(spawn.requested)
        reference = self._building.node(
            Reference("execution", f"rho/{name}"),
            call,
            f"rho://session/{self._sid}/tool-call/{call}",
            {
                "entity_type": "tool_call",
                "tool_name": "spawn",
                "status": "completed" if spawn.returned else "pending",
                "spawn_kind": spawn.kind,
                "background": yes_no(spawn.background),
            },
            created_at=requested,
        )
        self._building.contains(here, reference, requested)
        self._building.observed(name, reference, requested)
        child = self._end(spawn.child)
        if child is not None:
            id = f"rho/edge/spawn/{pair_digest(ref, spawn.call_id)}"
            self._building.edge(id, "references", reference, child, {"relation": "spawned"}, created_at=requested)

    def _wait(self, ref: str, here: Reference, wait: WaitRow) -> None:
        target = self._end(wait.on)
        if target is not None:
            attributes = {
                "dependency_type": "wait",
                "wait_kind": wait.kind,
                "open": yes_no(wait.open),
                "reason_sha256": digest_of(wait.reason),
            }
            self._building.edge(
                f"rho/edge/wait/{pair_digest(ref, wait.id)}",
                "depends_on",
                here,
                target,
                attributes,
                created_at=from_ms(wait.started),
                effective_at=None if wait.ended is None else from_ms(wait.ended),
            )

    def _message(self, ref: str, here: Reference, message: MessageRow) -> None:
        receiver = self._end(message.peer)
        if receiver is not None and message.direction == "sent":
            attributes = {
                "relation": "message",
                "summary_sha256": digest_of(message.summary),
                "body_sha256": digest_of(message.body),
                "is_reply": yes_no(message.reply_to is not None),
            }
            id = f"rho/edge/message/{pair_digest(ref, message.id)}"
            self._building.edge(id, "references", here, receiver, attributes, created_at=from_ms(message.created))

    def _end(self, ref: str | None) -> Reference | None:
        """The node in the export that a wait, a request or a message leads to; one that is not there is counted."""
        found = None if ref is None else self._names.nodes.get(ref)
        self._outside += found is None
        return found


def _below(ref: str, nodes: Mapping[str, NodeState]) -> Iterable[str]:
    """A session and the agents below it; sessions started from there are not gone into (M23)."""
    children: dict[str, list[str]] = {}
    for other, state in nodes.items():
        if state.row.parent is not None and state.row.kind == "agent":
            children.setdefault(state.row.parent, []).append(other)
    found, left = {ref}, [ref]
    while left:
        for child in children.get(left.pop(), ()):
            if child not in found:
                found.add(child)
                left.append(child)
    return found
