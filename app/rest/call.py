"""One request as the operations see it, and what they give."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from app.domain.ids import graph_id, node_ref
from app.rest.errors import Refused
from app.rest.grammar import Asked, invalid
from app.rest.operations import Operation
from app.rest.shown import ShownNode
from app.services.graph_at import GraphAt
from app.services.slices import Cursors


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked, whoever asks and whenever. `named` is what the path names, `origin` the public address (R69)."""

    operation: Operation
    named: dict[str, str]
    asked: Asked
    origin: str

    @property
    def path(self) -> str:
        """The path below the base path, with the graph's whole id (R15)."""
        path = self.operation.path
        for name, value in self.named.items():
            path = path.replace(f"{{{name}}}", (graph_id(value) or value) if name == "graph_id" else value)
        return path

    @property
    def cursors(self) -> Cursors:
        """Which page of a list is asked for."""
        return Cursors(self.limit, self.asked.get("starting_after"), self.asked.get("ending_before"))

    @property
    def limit(self) -> int:
        """How many items a page has."""
        return int(self.asked.get("limit", 100))

    def refs(self, *names: str) -> dict[str, str | None]:
        """The refs that node-id parameters name (R23). Raises: Refused, for the first that is no node id."""
        found: dict[str, str | None] = {}
        for name in names:
            text = self.asked.get(name)
            found[name] = None if text is None else node_ref(text)
            if text is not None and found[name] is None:
                raise invalid(name, f"{name} is a node's id.")
        return found

    def missing(self, param: str) -> Refused:
        """What the path names is not there."""
        return Refused("resource_missing", f"There is no such {param.removesuffix('_id')}.", param)


@dataclass(frozen=True, slots=True)
class Answer:
    """A body, and whether it can never change (R31)."""

    body: dict[str, Any] | ShownNode
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """How an answer is read from a graph at a moment, once all that was asked has been found to be right (R7).

    `now`: the moment is now, whatever was asked. `held`: the answer also tells what the graph holds now. `timeless`: it is the same
    whenever it is judged. A plan is the same for everybody who asks the same.
    """

    read: Callable[[GraphAt], Awaitable[Answer]]
    now: bool = False
    held: bool = False
    timeless: bool = False
