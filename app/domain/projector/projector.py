"""One graph's state, carried on event by event."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from app.domain.changes import change, recount
from app.domain.envelope import Event
from app.domain.history import Batch, History, Recorded
from app.domain.keyframe import Keyframe
from app.domain.projector import blocked, every_event, recording, stored, witnesses
from app.domain.projector.graph import GraphState
from app.domain.projector.state import Node
from app.domain.rows import Cell, NodeRow, Row
from app.domain.shown import ASKING_AFTER_NS


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
    def from_keyframe(cls, keyframe: Keyframe, seq: int, places: stored.Places | None = None) -> tuple[Projector, Batch]:
        """A projector that starts from a keyframe, which stands at place `seq`, and the rows of its state (E133).

        `places`: what else it is to keep. Raises KeyframeRefused where the state does not add up (E135).
        """
        projector = cls()
        projector.graph = stored.load(keyframe.state, seq, places)
        projector.head_seq, projector.judged_ns = seq, keyframe.time_ns
        batch = Batch()
        changed, _ = projector._changed(None, keyframe.time_ns)
        projector.history.take(batch, seq, changed)
        return projector, batch

    def state(self) -> bytes:
        """The whole state, hidden fields too, as JSON text (E134)."""
        return stored.dump(self.graph)

    def taken_apart(self) -> Iterator[None]:
        """Frees the memory of its nodes, one at a step. It is of no use from then on."""
        nodes = self.graph.nodes
        while nodes:
            nodes.popitem()[1].unlink()
            yield

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.graph.nodes)

    @property
    def met(self) -> set[int]:
        """Numbers of the rules that the events so far have met."""
        return self.graph.met

    def skip_keyframe(self) -> None:
        """Notes that a keyframe line was passed over: it is no event (E21, E131)."""
        self.graph.met.add(21)

    def apply(self, event: Event, seq: int, batch: Batch) -> None:
        """Applies the event that comes next in the order, at place `seq`, and adds to `batch` what it changed.

        An event of type `keyframe` is never applied (E21): it must not be handed in.
        """
        graph = self.graph
        witnesses.before(graph, event)
        graph.begin(event.ts, event.time_ns, event.provider, seq)
        every_event.carry_out(graph, event)
        blocked.refresh(graph)
        witnesses.after(graph, event)
        changed, changes = self._changed(event.node, event.time_ns)
        self.history.record(batch, Recorded(event, seq, changes, len(graph.nodes)), changed)
        self.head_seq, self.head_event, self.judged_ns = seq, event, event.time_ns

    def _changed(self, about: str | None, after_ns: int) -> tuple[dict[Cell, Row | None], bytes]:
        """The rows of all that was touched, and the change list of the event about that node, as JSON (E137)."""
        graph = self.graph
        changed: dict[Cell, Row | None] = {}
        told: dict[str, bytes] = {}
        for node in self._asking_by_time(after_ns):
            graph.touched[node] = None
        for node in graph.touched:
            self._tell(node, after_ns, changed, told)
        self._tell_counts(after_ns, changed, told)
        for node in graph.moved:
            changed[Cell("parent", node.ref)] = recording.parent_row(node)
        for kind, node, position in graph.touched_parts:
            changed[recording.part_cell(kind, node, position)] = recording.part_row(kind, node, position)
        first = [told.pop(about)] if about in told else []
        return changed, b"[%b]" % b",".join(first + [told[ref] for ref in sorted(told)])

    def _tell(self, node: Node, after_ns: int, changed: dict[Cell, Row | None], told: dict[str, bytes]) -> None:
        """Enters what became of a node that the event touched, or that time alone may show otherwise (R66)."""
        graph, state = self.graph, self.history.now.get(node.cell)
        old = None if state is None else state.row
        assert old is None or isinstance(old, NodeRow)
        row = recording.node_row(node)
        if row == old and row.asking_ns is None:
            return
        changed[node.cell] = row
        if row.asking_ns is not None and (old is None or old.asking_ns != row.asking_ns):
            heappush(self._due, (row.asking_ns + ASKING_AFTER_NS, node.ref))
        witnesses.shown(graph, row, after_ns)
        before = node.blocked_text
        if node in graph.recounted:
            node.blocked_text = recording.blocked_text(node)
        found = change(node.id_text, old, row, self.judged_ns, after_ns, before, node.blocked_text)
        if found is not None:
            told[node.ref] = found

    def _tell_counts(self, after_ns: int, changed: dict[Cell, Row | None], told: dict[str, bytes]) -> None:
        """The same for all nodes of which only the counts of nodes below and `blocked` may have changed."""
        now, touched = self.history.now, self.graph.touched
        for node in self.graph.recounted:
            if node in touched:
                continue
            if node.asking_ns is not None:
                self._tell(node, after_ns, changed, told)
                continue
            cell = node.cell
            old = now[cell].row
            assert isinstance(old, NodeRow)
            row = recording.recounted_row(old, node)
            if row is not old:
                changed[cell] = row
                before = node.blocked_text
                node.blocked_text = after = recording.blocked_text(node)
                told[node.ref] = recount(node.id_text, old, row, before, after)

    def _asking_by_time(self, after_ns: int) -> list[Node]:
        """Nodes that time alone may show otherwise than after the event before (R66)."""
        graph, before_ns = self.graph, self.judged_ns
        if after_ns < before_ns:
            # only the first event after a base can lie before it: everything is looked at, once
            asking = [node for node in graph.nodes.values() if node.asking_ns is not None]
            self._due = sorted((node.asking_ns + ASKING_AFTER_NS, node.ref) for node in asking if node.asking_ns is not None)
            return asking
        found = []
        while self._due and self._due[0][0] <= after_ns:
            due, ref = heappop(self._due)
            node = graph.nodes[ref]
            if due > before_ns and node.asking_ns is not None and node.asking_ns + ASKING_AFTER_NS == due:
                found.append(node)
        return found
