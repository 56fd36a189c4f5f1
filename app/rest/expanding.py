"""Nodes with what is expanded of them (R49, R50): read level by level, each level's nodes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from app.domain.ids import node_id
from app.rest.expand import Tree
from app.rest.shown import PARTS, Shown, ShownNode, as_of_event_id, shown_node
from app.rest.urls import encoded
from app.services.graph_at import GraphAt, Row
from app.store.pace import Pace

MOST_CHILDREN: Final = 100
MOST_DESCENDANTS: Final = 1_000

_WHOLE: Final = 200
"""From so many nodes on the whole graph is read at once."""

_RUN: Final = 100
"""So many nodes are shown in one piece."""

_OTHERS: Final = ("parent", "root", "session", "requested_by")


class Expanding:
    """Shows nodes of one moment."""

    def __init__(self, at: GraphAt, descendants_max_depth: int | None = None) -> None:
        self._at = at
        self._max_depth = descendants_max_depth
        self._as_of = as_of_event_id(at)
        self._pace = Pace()

    async def nodes(self, rows: Sequence[Row], tree: Tree) -> list[ShownNode]:
        """Rows as they are shown, in their order, repeats too."""
        if not tree:
            return await self._plain(rows)
        unique = {row["ref"]: row for row in rows}
        if len(unique) > _WHOLE:
            await self._at.snapshot()
        made = dict(zip(unique, await self._plain(list(unique.values())), strict=True))
        for step, further in tree.items():
            if step in _OTHERS:
                await self._other(unique, made, step, further)
            elif step == "blocked":
                await self._blockers(unique, made, further["on"])
            elif step == "children":
                await self._children(made, further)
            elif step == "descendants":
                await self._descendants(made)
            else:
                await self._parts(made, step)
        return [made[row["ref"]] for row in rows]

    async def _plain(self, rows: Sequence[Row]) -> list[ShownNode]:
        graph_id, as_of = self._at.info.id, self._as_of
        shown: list[ShownNode] = []
        for start in range(0, len(rows), _RUN):
            shown += [shown_node(row, graph_id, as_of) for row in rows[start : start + _RUN]]
            if self._pace.due:
                await self._pace.rest()
        return shown

    async def _found(self, refs: Sequence[str], further: Tree) -> dict[str, ShownNode]:
        rows = await self._at.nodes(dict.fromkeys(refs))
        return dict(zip(rows, await self.nodes(list(rows.values()), further), strict=True))

    async def _other(self, rows: Mapping[str, Row], made: dict[str, ShownNode], step: str, further: Tree) -> None:
        found = await self._found([row[step] for row in rows.values() if row[step] is not None], further)
        for ref, row in rows.items():
            if row[step] in found:
                setattr(made[ref], step, found[row[step]])

    async def _blockers(self, rows: Mapping[str, Row], made: dict[str, ShownNode], further: Tree) -> None:
        found = await self._found([target for row in rows.values() for target in row["blocked_on"] or ()], further)
        for ref, row in rows.items():
            waits = made[ref].blocked
            if waits is not None:
                waits["on"] = [found[target] for target in row["blocked_on"] if target in found]

    async def _children(self, made: dict[str, ShownNode], further: Tree) -> None:
        if len(made) > 1:
            await self._at.snapshot()
        under = {ref: await self._at.children(ref) for ref in made}
        shown = iter(await self.nodes([row for rows in under.values() for row in rows[:MOST_CHILDREN]], further))
        for ref, rows in under.items():
            data = [next(shown) for _ in rows[:MOST_CHILDREN]]
            made[ref].children = self._list(data, len(rows) > MOST_CHILDREN, [("parent_id", node_id(ref)), ("order", "tree")])

    async def _descendants(self, made: dict[str, ShownNode]) -> None:
        for ref, node in made.items():
            rows = await self._at.descendants(ref, self._max_depth)
            data = await self.nodes(rows[:MOST_DESCENDANTS], {})
            limited = [] if self._max_depth is None else [("max_depth", str(self._max_depth))]
            pairs = [("ancestor_id", node_id(ref)), ("order", "tree"), *limited]
            node.descendants = self._list(data, len(rows) > MOST_DESCENDANTS, pairs)

    async def _parts(self, made: dict[str, ShownNode], step: str) -> None:
        kind, shown = PARTS[step]
        found = await self._at.parts(kind, None if len(made) > _WHOLE else list(made))
        peers = {row["peer"] for ref in made for row in found.get(ref, ())} if kind == "message" else set()
        there = await self._at.nodes(peers) if peers else {}
        for ref, node in made.items():
            setattr(node, step, [shown(row, there) for row in found.get(ref, ())])

    def _list(self, data: list[ShownNode], has_more: bool, pairs: list[tuple[str, str]]) -> Shown:
        if self._as_of is not None:
            pairs.append(("as_of", self._as_of))
        url = encoded(f"/graphs/{self._at.info.id}/nodes", pairs)
        return envelope(url, self._as_of, has_more, data)


def envelope(url: str, as_of: str | None, has_more: bool, data: Sequence[Shown | ShownNode]) -> Shown:
    """A list (R32)."""
    return {"object": "list", "url": url, "as_of_event_id": as_of, "has_more": has_more, "data": data}
