"""A projector's whole state, hidden fields too, as a list of short texts from which it can be made again, as often as wanted.

Its rows are not among them: they never change, and are shared. Nor is a node made again before somebody looks at it: of a large graph
a few events touch little.

For this process's memory alone: what is kept for longer is written as `stored` has it. Each text is made, and read, in one short step, so
that a large graph need not hold everybody up: whoever drives the generators may pause between any two.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.domain.history import State
from app.domain.projector.projector import Projector
from app.domain.projector.state import Node, Spawn, Wait
from app.domain.rows import Cell

_MEMBERS = tuple(name for name in Node.__slots__ if name != "unread")


class _Unread(Node):
    """A node that nobody has looked at since the copy was made: it has its ref alone, and becomes a `Node` when more is asked of it."""

    __slots__ = ()

    @classmethod
    def of(cls, ref: str, text: bytes, nodes: dict[str, Node]) -> _Unread:
        """The node of a text, which names others of these."""
        made = cls.__new__(cls)
        object.__setattr__(made, "ref", ref)
        object.__setattr__(made, "unread", (text, nodes))
        return made

    if not TYPE_CHECKING:  # whoever takes a member of a node that it does not have is to be told

        def __getattr__(self, name: str) -> Any:
            self._read()
            return getattr(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._read()
        setattr(self, name, value)

    def unlink(self) -> None:
        """It leads to nothing yet but by its text."""
        object.__delattr__(self, "unread")

    def _read(self) -> None:
        values = _read(*self.unread)
        object.__delattr__(self, "unread")
        object.__setattr__(self, "__class__", Node)
        for name, value in zip(_MEMBERS, values, strict=True):
            setattr(self, name, value)


def _node(ref: str) -> Node:
    """What stands for a node in a text. Only `_Unpickler` knows the node."""
    raise LookupError(ref)


def _part(ref: str, position: int, of: str) -> Spawn | Wait:
    """What stands for a request or a wait of another node than the text's own, likewise."""
    raise LookupError(ref, of, position)


class _Pickler(pickle.Pickler):
    """Writes nodes by their refs, and requests and waits of other nodes than the one it writes by their owners and positions."""

    def __init__(self, to: io.BytesIO, node: Node | None) -> None:
        super().__init__(to, pickle.HIGHEST_PROTOCOL)
        self._node = node

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind is Node or kind is _Unread:
            return _node, (value.ref,)
        if (kind is Spawn or kind is Wait) and value.owner is not self._node:
            return _part, (value.owner.ref, value.position, "spawns" if kind is Spawn else "waits")
        return NotImplemented  # as any other value


class _Unpickler(pickle.Unpickler):
    def __init__(self, text: bytes, nodes: dict[str, Node]) -> None:
        super().__init__(io.BytesIO(text))
        self._nodes = nodes

    def find_class(self, module: str, name: str) -> Any:
        if module == __name__:
            return self._nodes.__getitem__ if name == _node.__name__ else self._part
        return super().find_class(module, name)

    def _part(self, ref: str, position: int, of: str) -> Any:
        return getattr(self._nodes[ref], of)[position]


def copied(projector: Projector) -> Iterator[bytes]:
    """The texts, one after the other. The projector must not be carried on before the last."""
    graph = projector.graph
    rest = {name: value for name, value in vars(graph).items() if name != "nodes"}
    own = {name: value for name, value in vars(projector).items() if name not in ("graph", "history")}
    yield _text(list(graph.nodes))
    for node in graph.nodes.values():
        yield node.unread[0] if type(node) is _Unread else _text([getattr(node, name) for name in _MEMBERS], node)
    yield _text((rest, own))


def restored(texts: Sequence[bytes], now: Mapping[Cell, State]) -> Generator[None, None, Projector]:
    """The projector again, with the rows that it had; it gives way after each text."""
    projector, coming = Projector(), iter(texts)
    nodes = projector.graph.nodes
    for ref in _read(next(coming), nodes):
        nodes[ref] = _Unread.of(ref, next(coming), nodes)
        yield
    rest, own = _read(next(coming), nodes)
    vars(projector.graph).update(rest)
    vars(projector).update(own)
    yield
    projector.history.now.update(now)
    return projector


def _text(value: object, node: Node | None = None) -> bytes:
    to = io.BytesIO()
    _Pickler(to, node).dump(value)
    return to.getvalue()


def _read(text: bytes, nodes: dict[str, Node]) -> Any:
    return _Unpickler(text, nodes).load()
