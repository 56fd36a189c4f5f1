"""One graph at one moment in one operation: what has been read of it so far, and how the rest is read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from app.domain.filters import Keeps, NodeFilter
from app.domain.forest import Forest, ShownRow
from app.domain.ids import event_id
from app.domain.moments import AsOf
from app.domain.waiting import waiters
from app.graphql.loaders import NodesAfter, NodesByRef, PartsByRef
from app.graphql.needs import Needs
from app.services.cursors import Mark
from app.services.event_pages import EventRow
from app.services.graph_at import PART_COLUMNS, GraphAt, KeySet, NodeTable, PartKind, Snapshot

if TYPE_CHECKING:
    from app.domain.rho.agent_graph import SessionExport
    from app.graphql.context import Context
    from app.graphql.rho.reading import Batch


T = TypeVar("T")


class Reading:
    """One graph at one moment in one operation.

    `asked` is the moment as it was asked for (None: now), by which cursors tell lists apart; `at` may still be of an earlier moment, that
    of a cursor's first page (Q15). `key` is the graph's for a client's cache (Q46).
    """

    def __init__(self, context: Context, at: GraphAt, asked: AsOf | None, after: After | None = None) -> None:
        """`after`: the event that the moment is just after, and whose reading led there."""
        self.context = context
        self.at = at
        self.asked = asked
        self.snapshot: Snapshot | None = None
        self.key_set = KeySet.STRUCTURE
        self.table: NodeTable | None = None
        self.parts: dict[PartKind, Mapping[str, Sequence[ShownRow]]] = {}
        self.made: dict[int, Any] = {}
        self.key = at.info.id + _pinned(at, asked)
        self.exports: dict[str | None, Batch[str, SessionExport]] = {}
        self._waiters: tuple[Forest, dict[str, list[ShownRow]]] | None = None
        self._tests: dict[NodeFilter, tuple[Forest, Keeps | None]] = {}
        self._read: dict[Any, asyncio.Future[Any]] = {}
        self._nodes: NodesByRef | None = None
        self._after = after
        self._nodes_after: NodesAfter | None = None
        self._parts: dict[PartKind, PartsByRef] = {}

    def over(self) -> None:
        """Lets go of what leads back to it."""
        self.made.clear()
        self.exports.clear()
        self._read.clear()
        self._parts.clear()
        self._nodes = self._nodes_after = None

    @property
    def as_of_event_id(self) -> str | None:
        """The event that everything here is just after; None if the graph holds none."""
        event = self.at.moment.event
        return None if event is None else event_id(event)

    def waiters(self, forest: Forest) -> dict[str, list[ShownRow]]:
        """For each node of `forest` the nodes that wait on it (Q8), worked out once."""
        if self._waiters is None or self._waiters[0] is not forest:
            self._waiters = forest, waiters(forest)
        return self._waiters[1]

    def test(self, wanted: NodeFilter, forest: Forest) -> Keeps | None:
        """What a filter puts to a row of `forest`, worked out once however many lists ask for it."""
        known = self._tests.get(wanted)
        if known is None or known[0] is not forest:
            known = self._tests[wanted] = (forest, wanted.compile(forest))
        return known[1]

    @property
    def mark(self) -> Mark:
        """The moment as cursors carry it."""
        return Mark(self.at.moment.event, self.at.moment.time_ns)

    async def load(self, needs: Needs) -> None:
        """Reads ahead what a selection needs: the whole graph in one statement if it needs more than a few nodes."""
        if needs.whole:
            await self.by_columns(needs.key_set)
        for kind in needs.parts:
            await self.load_parts(kind, None)

    async def forest(self, key_set: KeySet = KeySet.FULL) -> Snapshot:
        """The whole graph, with at least these members of each node."""
        found = await self.at.snapshot(key_set)
        if self.snapshot is None or key_set > self.key_set:
            self.snapshot, self.key_set = found, key_set
        return found

    async def by_columns(self, key_set: KeySet) -> NodeTable:
        """The same by columns."""
        found = await self.at.table(key_set)
        if self.table is None or found.stored.keys > self.table.stored.keys:
            self.table = found
        return self.table

    async def held(self, needs: Needs) -> Snapshot | None:
        """The whole graph, if it has been read with all that a selection needs."""
        if self.snapshot is not None and self.key_set >= needs.key_set:
            return self.snapshot
        return await self.forest(needs.key_set) if self.is_held(needs) else None

    def is_held(self, needs: Needs) -> bool:
        """Whether the whole graph has been read with all that a selection needs."""
        if self.snapshot is not None and self.key_set >= needs.key_set:
            return True
        return self.table is not None and self.table.stored.keys >= needs.key_set

    async def node(self, ref: str, needs: Needs) -> ShownRow | None:
        """A node by its ref; None if it is not there at this moment."""
        held = await self.held(needs)
        if held is not None:
            return held.by_ref.get(ref)
        if self._after is not None:
            return await self._after.reading.node_after(self._after.event, ref)
        if self._nodes is None:
            self._nodes = NodesByRef(self.at, self.context.in_turn)
        return await asyncio.shield(self._nodes.load(ref))  # shared: who is cancelled must not cancel it for the others

    async def node_after(self, event: EventRow, ref: str) -> ShownRow | None:
        """A node just after a held event: one statement for those of many events."""
        if self._nodes_after is None:
            self._nodes_after = NodesAfter(self.at, self.context.in_turn)
        return await asyncio.shield(self._nodes_after.load((event, ref)))

    async def nodes(self, refs: Iterable[str], needs: Needs) -> list[ShownRow]:
        """Those of `refs` that are nodes here, in that order, repeats too."""
        held = await self.held(needs)
        if held is not None:
            return [held.by_ref[ref] for ref in refs if ref in held.by_ref]
        if self._nodes is None:
            self._nodes = NodesByRef(self.at, self.context.in_turn)
        return [row for row in await asyncio.shield(self._nodes.load_many(list(refs))) if row is not None]

    async def once(self, key: Any, read: Callable[[], Awaitable[T]]) -> T:
        """What `read` gives, read once for whoever asks with the same key, and in turn with the operation's other reads."""
        found = self._read.get(key)
        if found is None:
            found = self._read[key] = asyncio.ensure_future(self.context.in_turn(read()))
        result: T = await asyncio.shield(found)
        return result

    async def parts_of(self, kind: PartKind, ref: str) -> Sequence[ShownRow]:
        """A node's tasks, spawns, waits or messages, in their order."""
        known = self.parts.get(kind)
        if known is not None and (isinstance(known, WholeParts) or ref in known):
            return known[ref]
        if kind not in self._parts:
            self._parts[kind] = PartsByRef(self.at, kind, self.context.in_turn)
        return await asyncio.shield(self._parts[kind].load(ref))

    async def load_parts(self, kind: PartKind, refs: list[str] | None) -> None:
        """Reads ahead the parts of these nodes in one statement (None: of all)."""
        known = self.parts.get(kind)
        if isinstance(known, WholeParts):
            return
        if refs is None:
            whole = WholeParts(kind, await self.at.part_values(kind))
            self.context.spend(sum(map(len, whole.stored.values())))
            self.parts[kind] = whole
            return
        missing = refs if known is None else [ref for ref in refs if ref not in known]
        if missing:
            found = await self.at.parts(kind, missing)
            self.context.spend(sum(map(len, found.values())))
            self.parts[kind] = {**(known or {}), **{ref: found.get(ref, ()) for ref in missing}}
            self.made.clear()  # it was bound to what there was


class After(NamedTuple):
    """A held event, and a reading of its graph."""

    reading: Reading
    event: EventRow


class WholeParts(dict[str, Sequence[ShownRow]]):
    """Parts of all nodes: `stored` as values, and rows of them when they are asked for. A node that is in neither has none."""

    def __init__(self, kind: PartKind, stored: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        super().__init__()
        self.stored = stored
        self._columns = PART_COLUMNS[kind]

    def __missing__(self, ref: str) -> Sequence[ShownRow]:
        rows = self[ref] = [dict(zip(self._columns, row, strict=True)) for row in self.stored.get(ref, ())]
        return rows


def _pinned(at: GraphAt, asked: AsOf | None) -> str:
    if asked is None:
        return ""
    if asked.event is not None:
        return f"@{event_id(asked.event)}"
    event = at.moment.event
    return f"@{event_id(event) if event is not None else ''}:{at.moment.time_ns}"
