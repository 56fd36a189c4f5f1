"""The projector's state as a whole: its nodes, its indexes, and what the present event has touched."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

from sortedcontainers import SortedDict

from app.domain.projector.state import End, Node, Spawn, UnpairedStarts, Wait
from app.domain.rows import CellKind

Edge: TypeAlias = tuple[Node, Node, bool]
"""A step of the walk of E118, from one node to another: True by a wait, False to a child."""

OldestFirst: TypeAlias = "SortedDict[tuple[str, str, str], Spawn]"
"""Requests by their `order`."""


class GraphState:
    """All that events have made so far. `ts`, `time_ns`, `provider` and `seq` are those of the event being applied."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.processes: dict[str, str] = {}
        self.requesters: dict[str, list[str]] = {}
        self.ended: dict[str, End] = {}
        self.started: dict[str, int] = {}
        self.unpaired: UnpairedStarts | None = None

        self.open_waits_on: dict[str, dict[Wait, None]] = {}
        """Target's ref -> open waits on it, of any node (E54)."""
        self.agent_requests: dict[str, dict[str | None, OldestFirst]] = {}
        """Session part -> agent type -> requests that a guess may take, oldest first (E60)."""
        self.session_requests: dict[str, dict[Spawn, None]] = {}
        """Session part -> requests that may have started a session (E43)."""
        self.suggestions: dict[str, SortedDict[tuple[int, str, str], Spawn]] = {}
        """Title -> titled requests without a child, by time, requester's ref and call id (E50)."""

        self.ts = ""
        self.time_ns = 0
        self.provider: str | None = None
        self.seq = 0
        self.moves = 0
        """Moves made by this event, to tell their order."""
        self.met: set[int] = set()
        """Numbers of the rules that the events so far have met."""

        self.silent: OrderedDict[Node, None] = OrderedDict()
        """Nodes that may fall silent, by their last events (`witnesses`)."""
        self.wait_edges = 0
        """How many pairs of nodes there are of which one's waits lead to the other (`Node.edges`)."""

        self.touched: dict[Node, None] = {}
        self.recounted: dict[Node, None] = {}
        """Nodes of which nothing may have changed but how many are below them, and what stands in their way."""
        self.touched_parts: dict[tuple[CellKind, Node, int], None] = {}
        self.moved: dict[Node, None] = {}
        self.waiters: dict[Node, None] = {}
        """Nodes whose own waits changed."""
        self.made: dict[Node, None] = {}
        self.shifted: dict[Node, tuple[int, int]] = {}
        """By how much more a node adds to a walk that meets it: unfinished nodes, open tasks. New nodes begin at nothing."""
        self.turned: dict[Edge, bool] = {}
        """Edges that came (True) or went (False), but for those to new nodes."""

    def begin(self, ts: str, time_ns: int, provider: str | None, seq: int) -> None:
        """Starts an event."""
        self.ts, self.time_ns, self.provider, self.seq, self.moves = ts, time_ns, provider, seq, 0
        self.touched.clear()
        self.recounted.clear()
        self.touched_parts.clear()
        self.moved.clear()
        self.waiters.clear()
        self.made.clear()
        self.shifted.clear()
        self.turned.clear()

    def shift(self, node: Node, unfinished: int, open_tasks: int) -> None:
        """To be called when a node adds so much more to a walk that meets it."""
        before = self.shifted.get(node, (0, 0))
        self.shifted[node] = before[0] + unfinished, before[1] + open_tasks

    def turn(self, edge: Edge, came: bool) -> None:
        """To be called when an edge comes or goes. One that comes back within the event has not moved."""
        if edge[1] not in self.made and self.turned.pop(edge, None) is None:
            self.turned[edge] = came
