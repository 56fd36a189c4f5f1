"""Sessions of Agent Graph as Rho graphs, each at one moment (M21-M32)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, Final

from app.domain.forest import ShownRow
from app.domain.rho.agent_graph import NodeState, SessionExport, TaskState, export_session
from app.domain.rho.envelope import Document
from app.domain.rho.names import session_name
from app.domain.rho.problems import Refused
from app.domain.rho.task_times import TaskSpan, task_places
from app.domain.rho.timestamps import from_ms
from app.domain.rows import MessageRow, NodeRow, SpawnRow, TaskRow, WaitRow
from app.domain.times import NS_PER_MS, event_ns
from app.services.graph_at import GraphAt, PartKind, Snapshot
from app.services.journals import Journals
from app.store import checkpoints
from app.store.access import LOCAL
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.moments import times_at
from app.store.reading import Reading, Stored
from app.store.rho.tasks import ended_states

_KINDS: Final[tuple[PartKind, ...]] = ("task", "spawn", "wait", "message")


class ProjectionError(Exception):
    """A session cannot be made a Rho graph: a fault of ours, or of its journal. The cause says which."""


class SessionExports:
    """Makes Rho graphs of sessions. Nothing is stored."""

    def __init__(self, store: Store, journals: Journals | None = None) -> None:
        """`journals`: what Rho noted of sessions on this machine; merged into those of the operator's account (M30)."""
        self._store = store
        self._journals = journals

    async def at_event(
        self, at: GraphAt, refs: Sequence[str], deadline: Deadline, repository: str | None = None
    ) -> dict[str, SessionExport]:
        """Sessions as of the event that a moment is just after: the same event, the same bytes, whenever that is asked (M24).

        By ref; what is no session then is left out. Raises: ProjectionError, Overtaken.
        """
        if at.moment.event is None:
            return {}
        event = await at.event(at.moment.event)
        return await self._exported(at.at_event(event), refs, from_ms(event["time_ms"]), deadline, repository)

    async def now(
        self, at: GraphAt, refs: Sequence[str], now_ms: int, deadline: Deadline, repository: str | None = None
    ) -> dict[str, SessionExport]:
        """Sessions at a moment, in envelopes made at a time (G86, M24). By ref. Raises: ProjectionError, Overtaken."""
        return await self._exported(at, refs, from_ms(now_ms), deadline, repository)

    async def _exported(
        self, at: GraphAt, refs: Sequence[str], generated_at: str, deadline: Deadline, repository: str | None
    ) -> dict[str, SessionExport]:
        snapshot = await at.snapshot()
        asked = [ref for ref in dict.fromkeys(refs) if ref in snapshot.by_ref and snapshot.by_ref[ref]["kind"] == "session"]
        belonging = {ref: _belonging(snapshot, ref) for ref in asked}
        states = await self._states(at, belonging, snapshot, deadline)
        journals = {ref: await self._journal(at, ref) for ref in belonging}

        def made() -> dict[str, SessionExport]:
            return {
                ref: export_session(ref, {each: states[each] for each in others}, generated_at, repository, journal=journals[ref])
                for ref, others in belonging.items()
            }

        try:
            return await asyncio.to_thread(made)
        except Refused as refused:
            raise ProjectionError from refused

    async def _states(self, at: GraphAt, belonging: dict[str, list[str]], snapshot: Snapshot, deadline: Deadline) -> dict[str, NodeState]:
        refs = list(dict.fromkeys(ref for others in belonging.values() for ref in others))
        listed, spawns, waits, messages = await asyncio.gather(*(at.parts(kind, refs) for kind in _KINDS))
        tasks = await self._tasks(at, listed, deadline)
        return {
            ref: NodeState(
                _node(snapshot.by_ref[ref]),
                tasks.get(ref, ()),
                [_row(SpawnRow, row) for row in spawns.get(ref, ())],
                [_row(WaitRow, row) for row in waits.get(ref, ())],
                [_row(MessageRow, row) for row in messages.get(ref, ())],
            )
            for ref in refs
        }

    async def _tasks(self, at: GraphAt, rows: dict[str, list[Stored]], deadline: Deadline) -> dict[str, list[TaskState]]:
        """Tasks with the times of the events that made them and that last changed them; else that of the beginning of what is held."""
        if not rows:
            return {}
        reading = Reading(self._store, at.moment, deadline)
        present = [TaskSpan(ref, row["id"], row["since"], _says(row)) for ref, many in rows.items() for row in many]
        places = task_places([*await ended_states(reading, rows), *present])
        times = await times_at(reading, {place for pair in places.values() for place in pair})
        floor = at.info.standing.floor or at.info.standing.head + 1
        begun = await checkpoints.time_of(self._store, reading.g, floor, deadline) if _missing(places.values(), times) else None
        earliest = 0 if begun is None else event_ns(begun) // NS_PER_MS
        found: dict[str, list[TaskState]] = {}
        for ref, many in rows.items():
            for row in many:
                created, changed = (times.get(place, earliest) for place in places[ref, row["id"]])
                found.setdefault(ref, []).append(TaskState(_row(TaskRow, row), created, max(created, changed)))
        return found

    async def _journal(self, at: GraphAt, ref: str) -> Sequence[Document]:
        if self._journals is None or at.info.account != LOCAL:
            return ()
        try:
            return await self._journals.entries(session_name(ref))
        except (OSError, Refused) as error:
            raise ProjectionError(ref) from error


def _belonging(snapshot: Snapshot, ref: str) -> list[str]:
    """A session, its agents at any depth, and the sessions that were started from there (M23)."""
    found, left = [ref], [ref]
    while left:
        for child in snapshot.children.get(left.pop(), ()):
            found.append(child["ref"])
            if child["kind"] == "agent":
                left.append(child["ref"])
    return found


def _node(row: ShownRow) -> NodeRow:
    return NodeRow._make(row.get(name) for name in NodeRow._fields)


def _row(kind: Any, row: Stored) -> Any:
    return kind._make(row[name] for name in kind._fields)


def _says(row: Stored) -> tuple[str | None, ...]:
    return row["text"], row["active_text"], row["status"]


def _missing(places: Iterable[tuple[int, int]], times: dict[int, int]) -> bool:
    return any(place not in times for pair in places for place in pair)
