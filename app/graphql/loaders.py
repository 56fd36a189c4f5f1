"""Loaders: cross references of one operation at one moment, each kind in one statement for all that is asked for at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from aiodataloader import DataLoader

from app.domain.forest import ShownRow
from app.services.event_pages import EventRow
from app.services.graph_at import GraphAt, PartKind

InTurn: TypeAlias = Callable[[Awaitable[Any]], Awaitable[Any]]
"""Makes a read in turn with the operation's other ones: with many moments in it there are many loaders."""


class NodesByRef(DataLoader[str, ShownRow | None]):
    """Nodes by their ref at one moment; None for one that is not there."""

    def __init__(self, at: GraphAt, in_turn: InTurn) -> None:
        super().__init__(max_batch_size=1_000)
        self._at = at
        self._in_turn = in_turn

    async def batch_load_fn(self, keys: list[str]) -> list[ShownRow | None]:
        found = await self._in_turn(self._at.nodes(keys))
        return [found.get(ref) for ref in keys]


class NodesAfter(DataLoader[tuple[EventRow, str], ShownRow | None]):
    """Nodes by a held event and their ref, just after it; None for one that is not there then."""

    def __init__(self, at: GraphAt, in_turn: InTurn) -> None:
        super().__init__(max_batch_size=1_000, get_cache_key=_place)
        self._at = at
        self._in_turn = in_turn

    async def batch_load_fn(self, keys: list[tuple[EventRow, str]]) -> list[ShownRow | None]:
        found = await self._in_turn(self._at.nodes_after(keys))
        return [found.get(_place(key)) for key in keys]


class PartsByRef(DataLoader[str, Sequence[ShownRow]]):
    """The tasks, spawns, waits or messages of nodes at one moment, by the node's ref."""

    def __init__(self, at: GraphAt, kind: PartKind, in_turn: InTurn) -> None:
        super().__init__(max_batch_size=1_000)
        self._at = at
        self._kind = kind
        self._in_turn = in_turn

    async def batch_load_fn(self, keys: list[str]) -> list[Sequence[Any]]:
        found = await self._in_turn(self._at.parts(self._kind, keys))
        return [found.get(ref, ()) for ref in keys]


def _place(key: tuple[EventRow, str]) -> tuple[int, str]:
    event, ref = key
    return event["seq"], ref
