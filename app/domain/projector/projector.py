"""One graph's state, carried on event by event."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import orjson

from app.domain.changes import field_changes
from app.domain.envelope import Event
from app.domain.history import Batch, History, Recorded
from app.domain.ids import node_id
from app.domain.keyframe import Keyframe
from app.domain.projector import blocked, common, recording, stored
from app.domain.projector.graph import GraphState
from app.domain.projector.state import Node
from app.domain.rows import Cell, NodeRow, Row
from app.domain.times import NS_PER_S

_ASKING_AFTER_NS = 10 * NS_PER_S


class Projector:
    """Applies events in the order of E10 and tells what each of them changed.

    It has no clock: what the clock decides is judged at the events' own times (E14). Applying one event costs what it changes.
    """

    def __init__(self) -> None:
        self.graph = GraphState()
        self.history = History()
        self.head_seq = 0
        self.head_event: Event | None = None
        self.judged_ns = 0
        """When the present state is judged: the last event's time, or the base's."""
        self._due: list[tuple[int, str]] = []
        """When working nodes with an open approval begin to look as if they asked (E113), and which."""

    @classmethod
    def from_keyframe(cls, keyframe: Keyframe, seq: int) -> tuple[Projector, Batch]:
        """A projector that starts from a keyframe, which stands at place `seq`, and the rows of its state (E133).

        Raises KeyframeRefused where the state does not add up (E135).
        """
        projector = cls()
        projector.graph = stored.load(keyframe.state, seq)
        projector.head_seq, projector.judged_ns = seq, keyframe.time_ns
        batch = Batch()
        changed, _ = projector._changed(None, keyframe.time_ns)
        projector.history.take(batch, seq, changed)
        return projector, batch

    def state(self) -> bytes:
        """The whole state, hidden fields too, as JSON text (E134)."""
        return stored.dump(self.graph)

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.graph.nodes)

    @property
    def met(self) -> set[int]:
        """Numbers of the rules that the events so far have met."""
        return self.graph.met

    def apply(self, event: Event, seq: int, batch: Batch) -> None:
        """Applies the event that comes next in the order, at place `seq`, and adds to `batch` what it changed.

        An event of type `keyframe` is never applied (E21): it must not be handed in.
        """
        graph = self.graph
        graph.begin(event.ts, event.time_ns, event.provider, seq)
        common.carry_out(graph, event)
        blocked.refresh(graph)
        changed, changes = self._changed(event.node, event.time_ns)
        recorded = Recorded(event, seq, orjson.dumps(changes), len(graph.nodes))
        self.history.record(batch, recorded, changed)
        self.head_seq, self.head_event, self.judged_ns = seq, event, event.time_ns

    def _changed(self, about: str | None, after_ns: int) -> tuple[dict[Cell, Row | None], list[dict[str, Any]]]:
        """The rows of all that was touched, and the change list of the event about that node (E137)."""
        graph, now, before_ns = self.graph, self.history.now, self.judged_ns
        changed: dict[Cell, Row | None] = {}
        found: list[tuple[bool, str, dict[str, Any]]] = []
        for node in graph.touched:
            ref = node.ref
            cell = Cell("node", ref)
            state = now.get(cell)
            old = state.row if state is not None else None
            row = recording.node_row(node)
            if row == old and row.asking_ns is None:
                continue
            assert old is None or isinstance(old, NodeRow)
            changed[cell] = row
            if row.asking_ns is not None and (old is None or old.asking_ns != row.asking_ns):
                heappush(self._due, (row.asking_ns + _ASKING_AFTER_NS, ref))
            fields = field_changes(old, row, before_ns, after_ns)
            if fields:
                found.append((ref != about, ref, {"node_id": node_id(ref), "created": old is None, "fields": fields}))
        found += self._asking_by_time(before_ns, after_ns, about)
        for node in graph.moved:
            changed[Cell("parent", node.ref)] = recording.parent_row(node)
        for kind, node, position in graph.touched_parts:
            changed[recording.part_cell(kind, node, position)] = recording.part_row(kind, node, position)
        found.sort(key=lambda item: item[:2])
        return changed, [change for _, _, change in found]

    def _asking_by_time(self, before_ns: int, after_ns: int, about: str | None) -> list[tuple[bool, str, dict[str, Any]]]:
        """Nodes that the event did not touch, but that time alone now shows otherwise (R66)."""
        graph = self.graph
        candidates: list[Node] = []
        if after_ns < before_ns:
            # only the first event after a base can lie before it: everything is looked at, once
            candidates = [node for node in graph.nodes.values() if node.asking_ns is not None]
            self._due = [(node.asking_ns + _ASKING_AFTER_NS, node.ref) for node in candidates if node.asking_ns is not None]
            self._due.sort()
        while self._due and self._due[0][0] <= after_ns:
            due, ref = heappop(self._due)
            node = graph.nodes[ref]
            if due > before_ns and node.asking_ns is not None and node.asking_ns + _ASKING_AFTER_NS == due:
                candidates.append(node)
        found = []
        for node in dict.fromkeys(candidates):
            if node in graph.touched:
                continue
            row = self.history.now[Cell("node", node.ref)].row
            assert isinstance(row, NodeRow)
            fields = field_changes(row, row, before_ns, after_ns)
            if fields:
                found.append((node.ref != about, node.ref, {"node_id": node_id(node.ref), "created": False, "fields": fields}))
        return found
