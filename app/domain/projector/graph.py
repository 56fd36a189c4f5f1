"""The projector's state as a whole: its nodes, its indexes, and what the present event has touched."""

from __future__ import annotations

from typing import TypeAlias

from sortedcontainers import SortedDict

from app.domain.projector.state import End, Node, Spawn, UnpairedStarts, Wait
from app.domain.rows import CellKind

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

        self.touched: dict[Node, None] = {}
        self.touched_parts: dict[tuple[CellKind, Node, int], None] = {}
        self.moved: dict[Node, None] = {}
        self.disturbed: dict[Node, None] = {}
        """Nodes that changed in a way that the walks of others, passing them, would see (E118)."""
        self.waiters: dict[Node, None] = {}
        """Nodes whose own waits changed."""

    def begin(self, ts: str, time_ns: int, provider: str | None, seq: int) -> None:
        """Starts an event."""
        self.ts, self.time_ns, self.provider, self.seq, self.moves = ts, time_ns, provider, seq, 0
        self.touched.clear()
        self.touched_parts.clear()
        self.moved.clear()
        self.disturbed.clear()
        self.waiters.clear()
