"""What a list of nodes or events keeps (R44, R58, Q18)."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.domain.forest import FINISHED, Forest, ShownRow, below
from app.domain.search import search

Keeps: TypeAlias = Callable[[ShownRow], bool]

_TYPE = re.compile(r"\*|[a-z_]+(?:\.[a-z_]+)*(?:\.\*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds in Unix milliseconds, each None where there is none (R21)."""

    gt: int | None = None
    gte: int | None = None
    lt: int | None = None
    lte: int | None = None

    def holds(self, value: int | None) -> bool:
        """Whether a value lies inside. A missing one never does, unless there are no bounds."""
        if value is None:
            return self == Range()
        return (
            (self.gt is None or value > self.gt)
            and (self.gte is None or value >= self.gte)
            and (self.lt is None or value < self.lt)
            and (self.lte is None or value <= self.lte)
        )


@dataclass(frozen=True, slots=True)
class NodeFilter:
    """Joined by AND; None filters nothing (R44, Q18). Nodes are named by their refs."""

    parent: str | None = None
    ancestor: str | None = None
    max_depth: int | None = None
    root: str | None = None
    session: str | None = None
    is_root: bool | None = None
    kind: str | None = None
    state: tuple[str, ...] | None = None
    provider: str | None = None
    agent_type: str | None = None
    stale: bool | None = None
    blocked: bool | None = None
    created: Range | None = None
    last_event: Range | None = None
    under_finished_parent: bool | None = None
    search: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it keeps everything."""
        return self == NodeFilter()

    def compile(self, forest: Forest, argument: str = "filter") -> Keeps | None:
        """The test that it puts to a row of `forest`; None where it keeps everything. `argument` names it in errors.

        Raises: SearchQueryInvalid.
        """
        tests = [*self._exact(), *self._shown(forest)]
        if self.ancestor is not None:
            inside = {row["ref"] for row in below(forest, self.ancestor, self.max_depth)}
            tests.append(lambda row: row["ref"] in inside)
        if self.search is not None:
            tests.append(search(self.search, f"{argument}.search"))
        if len(tests) < 2:
            return tests[0] if tests else None
        return lambda row: all(test(row) for test in tests)

    def _exact(self) -> list[Keeps]:
        wanted = ((name, getattr(self, name)) for name in ("parent", "root", "session", "kind", "provider", "agent_type"))
        return [_equals(name, value) for name, value in wanted if value is not None]

    def _shown(self, forest: Forest) -> list[Keeps]:
        tests: list[Keeps] = []
        if (states := self.state) is not None:
            tests.append(lambda row: row["state"] in states)
        if (is_root := self.is_root) is not None:
            tests.append(lambda row: (row.get("parent") is None) is is_root)
        if (stale := self.stale) is not None:
            tests.append(lambda row: row["stale"] is stale)
        if (blocked := self.blocked) is not None:
            tests.append(lambda row: (row.get("blocked_node_count") is not None) is blocked)
        if (created := self.created) is not None:
            tests.append(lambda row: created.holds(row["created"]))
        if (last_event := self.last_event) is not None:
            tests.append(lambda row: last_event.holds(row["last_event"]))
        if (under := self.under_finished_parent) is not None:
            tests.append(lambda row: is_under_finished_parent(forest, row) is under)
        return tests


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Joined by AND; None filters nothing (R58, Q18). Nodes are named by their refs."""

    types: tuple[str, ...] | None = None
    node: str | None = None
    root: str | None = None
    created: Range | None = None

    def keeps(self, kind: str, ref: str, time_ms: int, within: Container[str] | None = None) -> bool:
        """Whether an event of a type, about a node and of a time (Unix ms) passes.

        `within`: the refs of the tree that `root` stands for (None: there is no root).
        """
        return (
            (self.types is None or any(_is_of(kind, pattern) for pattern in self.types))
            and (self.node is None or ref == self.node)
            and (within is None or ref in within)
            and (self.created is None or self.created.holds(time_ms))
        )


@dataclass(frozen=True, slots=True)
class GraphFilter:
    """Joined by AND; None filters nothing (R39)."""

    last_event: Range | None = None
    live: bool | None = None


def is_type_pattern(text: str) -> bool:
    """Whether `text` has the form of an exact type, of a family `a.*`, or is `*` (R58)."""
    return _TYPE.fullmatch(text) is not None


def _is_of(kind: str, pattern: str) -> bool:
    return pattern in ("*", kind) or (pattern.endswith(".*") and kind.startswith(pattern[:-1]))


def is_under_finished_parent(forest: Forest, row: ShownRow) -> bool:
    """Whether a node goes on though its parent has finished (Q18)."""
    parent = forest.by_ref.get(row.get("parent") or "")
    return row["state"] not in FINISHED and parent is not None and parent["state"] in FINISHED


def _equals(name: str, value: Any) -> Keeps:
    return lambda row: row.get(name) == value
