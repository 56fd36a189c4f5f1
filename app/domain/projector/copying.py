"""A projector's whole state, hidden fields too, as a list of short texts from which it can be made again, as often as wanted.

Its rows are not among them: they never change, and are shared.

For this process's memory alone: what is kept for longer is written as `stored` has it. Each text is made, and read, in one short step, so
that a large graph need not hold everybody up: whoever drives the generators may pause between any two.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from app.domain.history import State
from app.domain.projector.projector import Projector
from app.domain.projector.state import Node, Spawn, Wait
from app.domain.rows import Cell

_NODES = 20

T = TypeVar("T")


class _Pickler(pickle.Pickler):
    """Writes nodes by their refs, and requests and waits of nodes that are not `inside` by their owners and positions."""

    def __init__(self, to: io.BytesIO, inside: Sequence[Node]) -> None:
        super().__init__(to, pickle.HIGHEST_PROTOCOL)
        self._inside = set(inside)

    def persistent_id(self, value: Any) -> tuple[str, int | None, str] | None:
        kind = type(value)
        if kind is Node:
            return value.ref, None, ""
        if (kind is Spawn or kind is Wait) and value.owner not in self._inside:
            return value.owner.ref, value.position, "spawns" if kind is Spawn else "waits"
        return None


class _Unpickler(pickle.Unpickler):
    def __init__(self, text: bytes, nodes: dict[str, Node]) -> None:
        super().__init__(io.BytesIO(text))
        self._nodes = nodes

    def persistent_load(self, name: tuple[str, int | None, str]) -> Any:
        ref, position, of = name
        node = self._nodes[ref]
        return node if position is None else getattr(node, of)[position]


def copied(projector: Projector) -> Iterator[bytes]:
    """The texts, one after the other. The projector must not be carried on before the last."""
    graph = projector.graph
    nodes = list(graph.nodes.values())
    rest = {name: value for name, value in vars(graph).items() if name != "nodes"}
    own = {name: value for name, value in vars(projector).items() if name not in ("graph", "history")}
    yield _text(list(graph.nodes))
    for some in _cut(nodes, _NODES):
        yield _text([[getattr(node, name) for name in Node.__slots__] for node in some], some)
    yield _text((rest, own))


def restored(texts: Sequence[bytes], now: Mapping[Cell, State]) -> Generator[None, None, Projector]:
    """The projector again, with the rows that it had; it gives way after each text."""
    projector, coming = Projector(), iter(texts)
    nodes = projector.graph.nodes
    nodes.update((ref, Node.__new__(Node)) for ref in _read(next(coming), nodes))
    yield
    of_nodes = list(nodes.values())
    for some in _cut(of_nodes, _NODES):
        yield
        for node, values in zip(some, _read(next(coming), nodes), strict=True):
            for name, value in zip(Node.__slots__, values, strict=True):
                setattr(node, name, value)
    yield
    rest, own = _read(next(coming), nodes)
    vars(projector.graph).update(rest)
    vars(projector).update(own)
    yield
    projector.history.now.update(now)
    return projector


def _text(value: object, inside: Sequence[Node] = ()) -> bytes:
    to = io.BytesIO()
    _Pickler(to, inside).dump(value)
    return to.getvalue()


def _read(text: bytes, nodes: dict[str, Node]) -> Any:
    return _Unpickler(text, nodes).load()


def _cut(items: Iterable[T], size: int) -> Iterator[list[T]]:
    coming = iter(items)
    while some := list(islice(coming, size)):
        yield some
