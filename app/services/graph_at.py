"""One graph at one moment: what doors read, each answer exactly of that moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

from app.domain.filters import EventFilter
from app.domain.forest import ShownRow, above, below
from app.domain.ids import event_id
from app.domain.moments import Moment
from app.domain.problems import NodeNotYetCreated, NoSuchEvent, NoSuchNode
from app.domain.waiting import by_code_unit, chain
from app.services import event_pages
from app.services import timeline as spans_of_time
from app.services.differences import Changed, changed_nodes
from app.services.event_pages import EventPage, EventRow, is_before, outside
from app.services.graph_info import GraphInfo
from app.services.lists import Page, Slice
from app.services.node_history import HistoryPage, Version, history
from app.services.snapshot import NodeTable, Snapshot, SnapshotCache, StoredNodes, shown_row, sibling_order
from app.services.together import together
from app.store import events, nodes, parts, walks
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.events import Stretch
from app.store.graphs import GraphRow
from app.store.nodes import KeySet
from app.store.parts import PartKind
from app.store.reading import Overtaken, Reading, Stored, Values

__all__ = ["PART_COLUMNS", "GraphAt", "KeySet", "NodeTable", "PartKind", "Row", "Snapshot", "key_set"]

Row: TypeAlias = ShownRow

PART_COLUMNS = parts.COLUMNS

_FOR_ANY = frozenset(("stale",))

_AT_ONCE = 8
"""So many moments are read at the same time."""


def key_set(columns: Iterable[str]) -> KeySet:
    """The smallest key set with these columns."""
    wanted = frozenset(columns) - _FOR_ANY
    return next((keys for keys in KeySet if wanted <= frozenset(keys.columns)), KeySet.FULL)


class GraphAt:
    """One graph at one moment. Every read raises `Overtaken` where history was changed since the moment was resolved."""

    def __init__(
        self,
        store: Store,
        graph: GraphRow,
        moment: Moment,
        deadline: Deadline,
        *,
        asked: bool,
        snapshots: SnapshotCache,
        stale_after_ns: int,
    ) -> None:
        """`asked`: the moment was asked for, so it may lie before others that are held (R46)."""
        self.info = GraphInfo(graph)
        self.moment = moment
        self.asked = asked
        self._store = store
        self._graph = graph
        self._deadline = deadline
        self._snapshots = snapshots
        self._stale_after_ns = stale_after_ns
        self._reading = Reading(store, moment, deadline)
        self._stored: StoredNodes | None = None
        self._snapshot: Snapshot | None = None
        self._table: NodeTable | None = None
        self._turn = asyncio.Lock()

    def later(self, deadline: Deadline, time_ns: int | None = None) -> GraphAt:
        """The same, for another unit of work; judged at another time, Unix ns, if one is given. What was read of it is there already."""
        found = self._moved(self.moment if time_ns is None else replace(self.moment, time_ns=time_ns), self.asked, deadline)
        found._stored = self._stored
        return found

    # ---- whole graphs ----

    async def snapshot(self, keys: KeySet = KeySet.FULL) -> Snapshot:
        """All nodes, with at least these columns, from one statement, or none where the place was read before."""
        async with self._turn:
            if self._snapshot is None or self._snapshot.keys < keys:
                self._snapshot = await (await self._whole(keys)).shown(self.moment.time_ns, self._stale_after_ns)
            return self._snapshot

    async def table(self, keys: KeySet) -> NodeTable:
        """The same by columns, which takes less where no rows are needed."""
        async with self._turn:
            if self._table is None or self._table.stored.keys < keys:
                self._table = NodeTable(await self._whole(keys), self.moment.time_ns, self._stale_after_ns)
            return self._table

    async def _whole(self, keys: KeySet) -> StoredNodes:
        if self._stored is None or self._stored.keys < keys:
            stored = self._snapshots.get(self.moment, keys)
            if stored is None:
                stored = await StoredNodes.of(keys, await nodes.whole(self._reading, keys))
                self._snapshots.put(self.moment, stored)
            self._stored = stored
        return self._stored

    async def counts(self) -> dict[str, Any]:
        """R37: `nodes`, `sessions`, `agents`, `stale`, `blocked` and `by_state`."""
        rows = (await self.snapshot(KeySet.STRUCTURE)).rows
        states = dict.fromkeys(("working", "input_required", "idle", "completed", "failed", "canceled"), 0)
        sessions = stale = blocked = 0
        for row in rows:
            states[row["state"]] += 1
            sessions += row["kind"] == "session"
            stale += row["stale"]
            blocked += row["blocked_node_count"] is not None
        total = len(rows)
        return {"nodes": total, "sessions": sessions, "agents": total - sessions, "stale": stale, "blocked": blocked, "by_state": states}

    async def node_count(self) -> int:
        """How many nodes there are: what the moment's event was stored with, so the graph itself need not be read."""
        if self._stored is not None:
            return self._stored.number
        if self.moment.nodes is not None:
            return self.moment.nodes
        event, last = self.moment.event, self._graph.last
        if last is not None and last.id == event:
            return last.nodes
        found = {} if event is None else await events.by_id(self._reading, (event,))
        return int(found[event]["nodes"]) if event in found else len((await self.snapshot(KeySet.STRUCTURE)).rows)

    # ---- nodes ----

    async def node(self, ref: str) -> Row | None:
        """One node in full; None if it is not there."""
        return (await self.nodes((ref,))).get(ref)

    async def nodes(self, refs: Iterable[str]) -> dict[str, Row]:
        """Those of `refs` that are nodes here, in full."""
        loaded = self._loaded()
        if loaded is not None:
            return {ref: loaded.by_ref[ref] for ref in refs if ref in loaded.by_ref}
        found = await nodes.of(self._reading, refs)
        self._show(found.values())
        return found

    async def node_or_problem(self, ref: str) -> Row:
        """One node in full. Raises: NodeNotYetCreated if a later held event is about it (R46), NotFound."""
        row = await self.node(ref)
        if row is not None:
            return row
        head = self._graph.standing.head
        if self.asked and self.moment.seq < head:
            later = await events.page(self._reading, Stretch(self.moment.seq + 1, head, ref=ref), 1, down=False)
            if later:
                raise NodeNotYetCreated(event_id(later[0]["id"]))
        raise NoSuchNode

    async def nodes_after(self, places: Iterable[tuple[EventRow, str]]) -> dict[tuple[int, str], Row]:
        """Nodes just after held events, judged at the events' times (R61), by the event's place and ref. Who was not there is left out.

        All that an event changed come from one statement; nodes that it left as they were are looked up at their moments.
        """
        wanted = {(event["seq"], ref): event for event, ref in places}
        found = await nodes.begun(self._reading, wanted)
        shown = {place: shown_row(row, wanted[place]["time_ns"], self._stale_after_ns) for place, row in found.items()}
        others: dict[int, list[str]] = {}
        for seq, ref in wanted:
            if (seq, ref) not in shown:
                others.setdefault(seq, []).append(ref)
        moments = iter(others.items())

        async def look_up() -> None:
            for seq, refs in moments:
                for ref, row in (await self.at_event(wanted[seq, refs[0]]).nodes(refs)).items():
                    shown[seq, ref] = row

        async with together() as group:
            for _ in range(min(_AT_ONCE, len(others))):
                group.create_task(look_up())
        return shown

    async def parts(self, kind: PartKind, refs: Iterable[str] | None = None) -> dict[str, list[Stored]]:
        """Tasks, spawns, waits or messages of these nodes (None: of all), each node's in order (E125). A node without any is not in it."""
        if refs is not None:
            return await parts.of(self._reading, kind, refs)
        columns = parts.COLUMNS[kind]
        whole = await self.part_values(kind)
        return {ref: [dict(zip(columns, row, strict=True)) for row in rows] for ref, rows in whole.items()}

    async def part_values(self, kind: PartKind) -> dict[str, list[Values]]:
        """The parts of all nodes as values of `PART_COLUMNS[kind]`."""
        return await parts.whole(self._reading, kind)

    # ---- around a node ----

    async def ancestors(self, ref: str, max_depth: int) -> list[Row]:
        """The nodes above it, nearest first, at most `max_depth` (Q8)."""
        loaded = self._loaded()
        return above(loaded, ref, max_depth) if loaded is not None else self._show(await walks.ancestors(self._reading, ref, max_depth))

    async def children(self, ref: str) -> list[Row]:
        """The nodes right below it, in tree order (Q7)."""
        loaded = self._loaded()
        if loaded is not None:
            return list(loaded.children.get(ref, ()))
        return sorted(self._show(await walks.below(self._reading, ref, 1)), key=sibling_order)

    async def descendants(self, ref: str, max_depth: int | None = None, keys: KeySet = KeySet.FULL) -> list[Row]:
        """Everything below it, at most `max_depth` levels, in tree order (Q7). `keys`: enough of each node; a few levels come in full."""
        loaded = self._loaded(keys)
        if loaded is None and (max_depth is None or max_depth > walks.LEVELS):
            loaded = await self.snapshot(keys)
        if loaded is not None:
            return list(below(loaded, ref, max_depth))
        near = _Near(self._show(await walks.below(self._reading, ref, max_depth or 1)))
        return list(below(near, ref, max_depth))

    async def blocking_chain(self, ref: str, max_depth: int) -> list[Row]:
        """The unfinished nodes it waits for in the end, breadth first, at most `max_depth` steps away (Q9)."""
        loaded = self._loaded()
        if loaded is not None:
            return chain(loaded, ref, max_depth)
        start = await self.node(ref)
        if start is None or not start["blocked_on"]:
            return []
        found: dict[str, Row] = {ref: start}
        asked = {ref}
        further = list(start["blocked_on"])
        while further := [each for each in further if each not in asked]:
            asked.update(further)
            found |= {each: row for each, row in (await walks.reach(self._reading, further)).items() if each != ref}
            near = _Near(found.values())
            further = [each for each, row in found.items() if near.is_cut(row)]
        self._show(row for each, row in found.items() if each != ref)
        return chain(_Near(found.values()), ref, max_depth)

    async def blocking(self, ref: str) -> list[Row]:
        """The nodes whose active waits name it, by ref (Q8)."""
        rows = self._show(await walks.waiters(self._reading, ref))
        return sorted((row for row in rows if ref in (row["blocked_on"] or ())), key=lambda row: by_code_unit(row["ref"]))

    # ---- events ----

    async def events(self, page: EventPage) -> Slice[EventRow]:
        """A page of the events up to this moment. Raises: CursorInvalid, OutsideRetentionWindow."""
        return await event_pages.page(self._reading, self._graph, replace(page, within=await self._within(page.filter)))

    async def event_count(self, wanted: EventFilter | None = None) -> int:
        """How many of the events up to this moment a filter keeps (Q16)."""
        wanted = wanted or EventFilter()
        return await event_pages.count(self._reading, self._graph, wanted, await self._within(wanted))

    async def event(self, own_id: str) -> EventRow:
        """Any held event. Raises: OutsideRetentionWindow, NotFound (R60)."""
        found = (await events.by_id(self._reading, (own_id,))).get(own_id)
        if found is not None:
            return found
        raise outside(self._graph) if is_before(self._graph, own_id) else NoSuchEvent()

    async def event_before(self, event: EventRow) -> EventRow | None:
        """The held event just before one; None for the first."""
        found = await events.page(self._reading, Stretch(self._graph.standing.floor, event["seq"] - 1), 1, down=True)
        return found[0] if found else None

    async def event_after(self, event: EventRow) -> EventRow | None:
        """The held event just after one; None for the newest."""
        found = await events.page(self._reading, Stretch(event["seq"] + 1, self._graph.standing.head), 1, down=False)
        return found[0] if found else None

    async def timeline(self, number: int, from_ms: int | None, to_ms: int | None) -> list[spans_of_time.Span]:
        """The held events, of now, counted in equal spans of time (Q13). Raises: BadUserInput."""
        return await spans_of_time.timeline(self._reading, self._graph, number, from_ms, to_ms)

    # ---- through time ----

    async def history(self, ref: str, asked: HistoryPage) -> Page[Version]:
        """A page of a node's states up to this moment (Q11)."""
        return await history(self._reading, self._graph, ref, asked, self._stale_after_ns)

    async def place_of(self, own_id: str) -> int | None:
        """The place of a held event; None if there is no such event. Raises: OutsideRetentionWindow."""
        with suppress(NoSuchEvent):
            return int((await self.event(own_id))["seq"])
        return None

    async def changed_since(self, other: GraphAt) -> list[Changed]:
        """The nodes that are not the same at another moment (Q12): new ones, then the others, each by ref. Raises: Overtaken."""
        if (other.moment.g, other.moment.revision) != (self.moment.g, self.moment.revision):
            raise Overtaken
        return await changed_nodes(await other.snapshot(), await self.snapshot())

    async def events_between(self, other: GraphAt) -> int:
        """How many held events lie between the two moments, whichever is the later (Q12)."""
        low, high = sorted((self.moment.seq, other.moment.seq))
        return await events.count(self._reading, Stretch(max(low + 1, self._graph.standing.floor), high))

    # ---- other moments ----

    def at_event(self, event: EventRow) -> GraphAt:
        """The graph just after a held event, judged at its time (R61, Q45)."""
        moment = replace(self.moment, seq=event["seq"], event=event["id"], time_ns=event["time_ns"], fixed=True, nodes=event["nodes"])
        return self if moment == self.moment else self._moved(moment, True)

    async def at_mark(self, event: str | None, time_ns: int) -> GraphAt:
        """The graph at the moment that a cursor carries (Q15): after an event (own id; None: before any), judged at a time, Unix ns.

        Raises: OutsideRetentionWindow, if that event is no longer held.
        """
        if event == self.moment.event:
            moment = replace(self.moment, time_ns=time_ns)
        else:
            found = {} if event is None else await events.by_id(self._reading, (event,))
            if event is None or event not in found:
                raise outside(self._graph)
            moment = replace(self.moment, seq=found[event]["seq"], event=event, time_ns=time_ns, nodes=found[event]["nodes"])
        return self if moment == self.moment else self._moved(moment, True)

    def _moved(self, moment: Moment, asked: bool, deadline: Deadline | None = None) -> GraphAt:
        return GraphAt(
            self._store,
            self._graph,
            moment,
            deadline or self._deadline,
            asked=asked,
            snapshots=self._snapshots,
            stale_after_ns=self._stale_after_ns,
        )

    # ---- what they share ----

    def _loaded(self, keys: KeySet = KeySet.FULL) -> Snapshot | None:
        return self._snapshot if self._snapshot is not None and self._snapshot.keys >= keys else None

    def _show(self, rows: Iterable[Stored]) -> list[Row]:
        return [shown_row(row, self.moment.time_ns, self._stale_after_ns) for row in rows]

    async def _within(self, wanted: EventFilter) -> frozenset[str] | None:
        if wanted.root is None:
            return None
        forest = await self.snapshot(KeySet.STRUCTURE)
        if wanted.root not in forest.by_ref:
            return frozenset()
        return frozenset((wanted.root, *(row["ref"] for row in below(forest, wanted.root))))


class _Near:
    """Some nodes of a graph: a `Forest` of what a walk has read."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows: Sequence[Row] = list(rows)
        self.by_ref: Mapping[str, Row] = {row["ref"]: row for row in self.rows}
        children: dict[str | None, list[Row]] = {}
        for row in sorted(self.rows, key=sibling_order):
            children.setdefault(row["parent"], []).append(row)
        self.children: Mapping[str | None, Sequence[Row]] = children

    def tree(self) -> Sequence[Row]:
        return self.rows

    def is_cut(self, row: Row) -> bool:
        """Whether a walk on from a node would leave these ones."""
        missing = any(target not in self.by_ref for target in row["blocked_on"] or ())
        return missing or len(self.children.get(row["ref"], ())) < row["child_count"]
