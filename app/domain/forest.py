"""A graph's nodes at one moment as the trees they form: what lists, filters and walks in memory work on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

ShownRow: TypeAlias = dict[str, Any]
"""A node as it is shown at a moment: the members of NodeRow by name, with `ref`, the shown `state` and `attention`, and `stale`."""

FINISHED = frozenset(("completed", "failed", "canceled"))
"""The states that do not change any more."""


class Forest(Protocol):
    """Every node of a graph at a moment."""

    @property
    def rows(self) -> Sequence[ShownRow]:
        """All nodes, newest first (R35)."""

    @property
    def by_ref(self) -> Mapping[str, ShownRow]:
        """Nodes by their ref."""

    @property
    def children(self) -> Mapping[str | None, Sequence[ShownRow]]:
        """Under each ref its children in tree order (E120); under None the roots. A node without children may be missing."""

    def tree(self) -> Sequence[ShownRow]:
        """All nodes in tree order (R35)."""


def below(forest: Forest, ref: str, levels: int | None = None) -> Iterator[ShownRow]:
    """The nodes under `ref` in tree order, at most `levels` deep (None: all), itself left out."""
    children = forest.children
    stack = [iter(children.get(ref, ()))]
    while stack:
        row = next(stack[-1], None)
        if row is None:
            stack.pop()
            continue
        yield row
        if levels is None or len(stack) < levels:
            under = children.get(row["ref"])
            if under:
                stack.append(iter(under))


def above(forest: Forest, ref: str, levels: int) -> list[ShownRow]:
    """The ancestors of `ref`, nearest first, at most `levels` of them."""
    found: list[ShownRow] = []
    row = forest.by_ref.get(ref)
    while row is not None and len(found) < levels and (parent := row.get("parent")) is not None:
        row = forest.by_ref.get(parent)
        if row is not None:
            found.append(row)
    return found
