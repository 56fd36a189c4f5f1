"""What a reader of Agent Graph logs must offer to be held to the conformance cases, and the oracle as such a reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from app.domain import log as product_log
from app.domain.history import Batch
from app.domain.projector import Projector
from tests.domain.shown import shown_nodes
from tests.oracle import Log, read_log, roots_by_activity, state_after

Fields = dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """What a reader made of a log.

    `nodes`: ref to fields, named as in the cases ("Fields of a node" in their README: refs for ids, times ending in `_ms`).
    `roots`: in the order of E121, latest activity first. `skipped`: malformed lines (E2).
    """

    nodes: dict[str, Fields]
    roots: list[str]
    skipped: int


class Reader(Protocol):
    """`now_ms` is the moment to judge at (E14), `as_of_event_id` the last event to apply (E13); None: the defaults of E14."""

    def read(self, lines: bytes, now_ms: int | None, as_of_event_id: str | None) -> Reading: ...


TIMES = {"created": "created_ms", "ended": "ended_ms", "last_event": "last_event_ms", "started": "started_ms", "requested": "requested_ms"}


def with_case_names(fields: Fields) -> Fields:
    """The fields of a node with the names of its times, and of those of its parts, ending in `_ms`."""
    return {TIMES.get(name, name): _parts(value) for name, value in fields.items()}


def _parts(value: Any) -> Any:
    return [with_case_names(item) if isinstance(item, dict) else item for item in value] if isinstance(value, list) else value


def place_of(log: Log, event_id: str) -> int:
    """How many events there are up to and including this one."""
    return [event["id"] for event in log.events].index(event_id) + 1


class OracleReader:
    def read(self, lines: bytes, now_ms: int | None, as_of_event_id: str | None) -> Reading:
        log = read_log(lines)
        n = len(log.events) if as_of_event_id is None else place_of(log, as_of_event_id)
        nodes = state_after(log, n, None if now_ms is None else now_ms * 1_000_000)
        return Reading({ref: with_case_names(node) for ref, node in nodes.items()}, roots_by_activity(log, n), log.skipped)


class ProjectorReader:
    """The product's own reader: rows as the store keeps them, at the moment asked for."""

    def read(self, lines: bytes, now_ms: int | None, as_of_event_id: str | None) -> Reading:
        log = product_log.read_log(lines.split(b"\n"), lambda base: Projector.from_keyframe(base, 1))
        projector = Projector() if log.base is None else Projector.from_keyframe(log.base, 1)[0]
        for seq, event in enumerate(log.events, start=2):
            projector.apply(event, seq, Batch())
            if event.id == as_of_event_id:
                break
        time_ns = projector.judged_ns if now_ms is None else now_ms * 1_000_000
        nodes = shown_nodes(projector.history.now, time_ns)
        roots = [node for node in projector.graph.nodes.values() if node.parent is None]
        roots.sort(key=lambda node: node.ref)
        roots.sort(key=lambda node: node.last_event, reverse=True)
        return Reading({ref: with_case_names(node) for ref, node in nodes.items()}, [node.ref for node in roots], log.skipped)


READERS: dict[str, Reader] = {"oracle": OracleReader(), "projector": ProjectorReader()}
