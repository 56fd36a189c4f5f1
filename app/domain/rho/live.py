"""From a session as its own process knows it to an envelope (G17, G20, G21, G24). No text travels: digests stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.domain.rho.building import Building, Reference, digest_of, yes_no
from app.domain.rho.envelope import Document
from app.domain.rho.names import base_name
from app.domain.rho.observations import merge
from app.domain.rho.schedule import Dependency
from app.domain.rho.texts import is_blank
from app.domain.rho.timestamps import is_later

PROJECTION_TIME = "projection_time"
"""Messages carry no time of their own (G17)."""


@dataclass(frozen=True)
class ToolCall:
    """A call within a message; an empty id is replaced by its position (G24.2)."""

    id: str
    tool_name: str
    argument_count: int


@dataclass(frozen=True)
class ToolResult:
    """What became of a call."""

    call_id: str
    is_error: bool


@dataclass(frozen=True)
class Message:
    """A message of the conversation."""

    role: str
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True)
class Session:
    """A persisted session; times are RFC 3339 or None."""

    id: str
    messages: tuple[Message, ...] = ()
    created_at: str | None = None
    updated_at: str | None = None
    model: str | None = None
    provider: str | None = None
    agent: str | None = None
    name: str | None = None
    cwd: str | None = None


@dataclass(frozen=True)
class StructuredTask:
    """A structured task with what it depends on."""

    id: str
    status: str
    subject: str | None = None
    description: str | None = None
    owner: str | None = None
    parent: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    dependencies: tuple[Dependency, ...] = ()


@dataclass(frozen=True)
class RuntimeTask:
    """A background agent, shell or monitor task."""

    id: str
    kind: str
    status: str
    label: str | None = None
    has_output: bool = False
    has_error: bool = False
    started_at: str | None = None
    done_at: str | None = None


def export_live(
    session: Session,
    generated_at: str,
    *,
    tasks: Sequence[StructuredTask] = (),
    runtime_tasks: Sequence[RuntimeTask] = (),
    journal: Sequence[Document] = (),
    repository: str | None = None,
    version: str | None = None,
) -> Document:
    """The envelope of a session. `repository`: the scope, instead of the directory's base name (G85).

    Raises: Refused: no `generated_at`, or an edge whose end is not there (G24.9).
    """
    building = Building(generated_at, repository or base_name(session.cwd), version)
    top = _session(building, session)
    _conversation(building, session, top)
    _tasks(building, top, tasks)
    _runtime_tasks(building, top, runtime_tasks)
    merge(building, session.id, journal)
    return building.envelope()


def snapshot_time(session: Session) -> str | None:
    """`generated_at` of an upload: the session's last update, else its creation; with neither it cannot be uploaded (G46)."""
    return session.updated_at or session.created_at


def _session(building: Building, session: Session) -> Reference:
    name = f"session/{session.id}"
    attributes = {
        "entity_type": "rho_session",
        "message_count": str(len(session.messages)),
        "model": session.model,
        "provider": session.provider,
        "agent": session.agent,
        "name_sha256": digest_of(session.name),
    }
    created = session.created_at or building.generated_at
    top = building.node(
        _reference(name), session.id, f"rho://{name}", attributes, created_at=created, effective_at=session.updated_at or created
    )
    building.life(name, top, session.id, created)
    return top


def _conversation(building: Building, session: Session, top: Reference) -> None:
    results: dict[str, bool] = {}
    for message in session.messages:
        results |= {result.call_id: result.is_error for result in message.results}
    asking, requests = top, 0
    for index, message in enumerate(session.messages):
        if message.role == "user" and not message.results and not is_blank(message.text):
            requests += 1
            asking = _request(building, session.id, requests, index, message.text)
            building.contains(top, asking)
        for place, call in enumerate(message.calls):
            _call(building, session.id, asking, index, call.id or f"message-{index}-tool-{place}", call, results)


def _request(building: Building, session_id: str, number: int, index: int, text: str) -> Reference:
    name = f"task-request/{session_id}/{number}"
    attributes = {
        "entity_type": "task_request",
        "content_sha256": digest_of(text),
        "message_index": str(index),
        "temporal_precision": PROJECTION_TIME,
    }
    found = building.node(_reference(name), f"{session_id}:message:{index}", f"rho://session/{session_id}/message/{index}", attributes)
    building.observed(name, found, None)
    return found


def _call(building: Building, session_id: str, asking: Reference, index: int, id: str, call: ToolCall, results: dict[str, bool]) -> None:
    failed = results.get(id)
    name = f"tool-call/{session_id}/{id}"
    attributes = {
        "entity_type": "tool_call",
        "tool_name": call.tool_name,
        "argument_count": str(call.argument_count),
        "status": "pending" if failed is None else "failed" if failed else "completed",
        "is_error": yes_no(bool(failed)),
        "message_index": str(index),
        "temporal_precision": PROJECTION_TIME,
    }
    found = building.node(_reference(name), id, f"rho://session/{session_id}/tool-call/{id}", attributes)
    building.contains(asking, found)
    building.observed(name, found, None)


def _tasks(building: Building, top: Reference, tasks: Sequence[StructuredTask]) -> None:
    for task in tasks:
        name = f"task/{task.id}"
        created = task.created_at or building.generated_at
        updated = task.updated_at or created
        attributes = {
            "entity_type": "task",
            "status": task.status,
            "subject_sha256": digest_of(task.subject),
            "description_sha256": digest_of(task.description),
            "owner": task.owner,
        }
        found = building.node(_reference(name), task.id, f"rho://{name}", attributes, created_at=created, effective_at=updated)
        building.contains(_reference(f"task/{task.parent}") if task.parent else top, found, created)
        building.life(name, found, task.id, created)
        if is_later(updated, created):
            building.changed(name, found, task.id, task.status, updated)
        _dependencies(building, task, found, created)


def _dependencies(building: Building, task: StructuredTask, here: Reference, created: str) -> None:
    for dependency in task.dependencies:
        target = _reference(f"task/{dependency.target}")
        ends = here, target
        kind = {"blocks": "depends_on", "parent-child": "contains"}.get(dependency.type, "references")
        if kind == "contains":
            if dependency.target == task.parent:
                continue
            ends = target, here
        id = f"rho/edge/task/{task.id}/{dependency.type}/{dependency.target}"
        building.edge(id, kind, *ends, {"dependency_type": dependency.type}, created_at=created)


def _runtime_tasks(building: Building, top: Reference, tasks: Iterable[RuntimeTask]) -> None:
    for task in tasks:
        name = f"runtime-task/{task.id}"
        attributes = {
            "entity_type": "runtime_task",
            "kind": task.kind,
            "status": task.status,
            "output_present": yes_no(task.has_output),
            "error_present": yes_no(task.has_error),
            "label_sha256": digest_of(task.label),
        }
        started = task.started_at or building.generated_at
        found = building.node(_reference(name), task.id, f"rho://{name}", attributes, created_at=started, effective_at=task.done_at)
        building.contains(top, found, started)
        building.life(name, found, task.id, started)
        if task.done_at:
            building.changed(name, found, task.id, task.status, task.done_at)


def _reference(name: str) -> Reference:
    return Reference("execution", f"rho/{name}")
