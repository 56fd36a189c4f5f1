"""Whole graphs in memory: read once for each place, put in order once, shown as of any time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from app.domain.forest import ShownRow
from app.domain.moments import Moment
from app.domain.shown import ASKING, ASKING_ATTENTION, is_probably_asking, is_stale
from app.domain.times import usual_text
from app.services.node_order import Order, in_order
from app.store.nodes import KeySet
from app.store.pace import Pace
from app.store.reading import Stored, Values


class Snapshot:
    """Every node of a graph at a moment: a `Forest`. Its rows are shared between requests and must not be changed."""

    def __init__(self, rows: list[ShownRow], stored: StoredNodes) -> None:
        """`rows` as `stored` has them."""
        self._stored = stored
        self.keys = stored.keys
        self.rows: Sequence[ShownRow] = rows
        """All nodes, newest first (R35)."""

    @cached_property
    def by_ref(self) -> Mapping[str, ShownRow]:
        """Nodes by their ref."""
        return {row["ref"]: row for row in self.rows}

    @cached_property
    def children(self) -> Mapping[str | None, Sequence[ShownRow]]:
        """Under each ref its children in tree order (E120); under None the roots."""
        rows = self.rows
        return {ref: [rows[place] for place in places] for ref, places in self._stored.children.items()}

    def tree(self) -> Sequence[ShownRow]:
        """All nodes in tree order (R35)."""
        return self._tree

    @cached_property
    def _tree(self) -> Sequence[ShownRow]:
        rows = self.rows
        return [rows[place] for place in self._stored.tree]


class StoredNodes:
    """Every node of a graph as it is stored at a place, in order; what the clock decides is worked out for each time asked for.

    `columns` by name, newest node first; `children` by places there. `keys` says how much of each node there is. Rows by name are made
    when they are asked for first: many answers are made from the columns alone.
    """

    def __init__(self, keys: KeySet, columns: dict[str, Sequence[Any]], children: Order) -> None:
        self.keys = keys
        self.columns = columns
        self.children = children
        self.number = len(columns["ref"])
        self.rows: list[Stored] = []
        self._last: tuple[tuple[list[int], list[int]], Snapshot] | None = None

    @classmethod
    async def of(cls, keys: KeySet, rows: list[Values]) -> StoredNodes:
        """Puts the rows of a whole graph in order: values of the key set's columns. The list is sorted."""
        return cls(keys, *await in_order(keys.columns, rows))

    @cached_property
    def tree(self) -> list[int]:
        """The places of all nodes in tree order (R35)."""
        return self.below(None)

    def below(self, ref: str | None, levels: int | None = None) -> list[int]:
        """The places of the nodes under one in tree order, at most `levels` deep (None: all); under None everything."""
        refs, children = self.columns["ref"], self.children
        found: list[int] = []
        if levels is None:
            waiting = list(children.get(ref, ()))[::-1]
            while waiting:
                place = waiting.pop()
                found.append(place)
                under = children.get(refs[place])
                if under is not None:
                    waiting += under[::-1]
            return found
        stack = [iter(children.get(ref, ()))]
        while stack:
            for place in stack[-1]:
                found.append(place)
                under = children.get(refs[place])
                if under is not None and len(stack) < levels:
                    stack.append(iter(under))
                    break
            else:
                stack.pop()
        return found

    def asking(self, time_ns: int) -> list[int]:
        """The places of the nodes that are shown as asking at a time, Unix nanoseconds (E113)."""
        return [place for place, since_ns in self._open_approvals if is_probably_asking(since_ns, time_ns)]

    def stale(self, time_ns: int, stale_after_ns: int) -> list[int]:
        """The places of the nodes that are shown as stale at a time (E114, E115)."""
        asking = set(self.asking(time_ns))
        return [
            place
            for place, active_ns in self._by_themselves
            if is_stale("working", False, active_ns, time_ns, stale_after_ns) and place not in asking
        ]

    async def shown(self, time_ns: int, stale_after_ns: int) -> Snapshot:
        """The nodes as they are shown at a time, Unix nanoseconds (E113-E115). Stored rows stay as they are."""
        if len(self.rows) < self.number:
            self.rows = await _named(self.columns)
        asking, stale = self.asking(time_ns), self.stale(time_ns, stale_after_ns)
        if self._last is not None and self._last[0] == (asking, stale):
            return self._last[1]
        pace = Pace()
        rows = self.rows.copy()
        for number, place in enumerate(asking + stale):
            row = rows[place] = rows[place].copy()
            if number < len(asking):
                row["state"], row["attention"] = ASKING, ASKING_ATTENTION
            else:
                row["stale"] = True
            if not number % 500 and pace.due:
                await pace.rest()
        snapshot = Snapshot(rows, self)
        self._last = (asking, stale), snapshot
        return snapshot

    # Only these can look different at another time: working nodes that have an open approval, or wait on nobody.

    @cached_property
    def _open_approvals(self) -> list[tuple[int, int]]:
        since = self.columns["asking_ns"]
        if since.count(None) == self.number:
            return []
        return [
            (place, since[place]) for place, state in enumerate(self.columns["state"]) if state == "working" and since[place] is not None
        ]

    @cached_property
    def _by_themselves(self) -> list[tuple[int, int | None]]:
        columns = zip(self.columns["state"], self.columns["blocked_node_count"], self.columns["active_ns"], strict=True)
        return [(place, active_ns) for place, (state, waits, active_ns) in enumerate(columns) if state == "working" and waits is None]


class NodeTable:
    """Every node of a graph at a moment by columns, from which answers are made without a row for each. Columns must not be changed."""

    def __init__(self, stored: StoredNodes, time_ns: int, stale_after_ns: int) -> None:
        self.stored = stored
        self.number = stored.number
        self.children = stored.children
        self._time_ns = time_ns
        self._stale_after_ns = stale_after_ns

    @property
    def tree(self) -> Sequence[int]:
        """The places of all nodes in tree order (R35)."""
        return self.stored.tree

    def below(self, ref: str | None, levels: int | None) -> Sequence[int]:
        """The places of the nodes under one in tree order, at most `levels` deep (None: all)."""
        return self.stored.below(ref, levels)

    @cached_property
    def places(self) -> Mapping[str | None, int]:
        """Where each node is, by its ref."""
        return dict(zip(self.stored.columns["ref"], range(self.number), strict=True))

    def row(self, ref: str) -> ShownRow | None:
        """One node by its ref."""
        place = self.places.get(ref)
        if place is None:
            return None
        return shown_row({name: column[place] for name, column in self.stored.columns.items()}, self._time_ns, self._stale_after_ns)

    def column(self, name: str) -> Sequence[Any]:
        """One member of every node as it is shown, newest node first. Raises: KeyError for one that was not read."""
        if name == "stale":
            return _changed([False] * self.number, self.stored.stale(self._time_ns, self._stale_after_ns), True)
        column = self.stored.columns[name]
        match name:
            case "state":
                return _changed(column, self._asking, ASKING)
            case "attention":
                return _changed(column, self._asking, ASKING_ATTENTION)
        return column

    @cached_property
    def _asking(self) -> list[int]:
        return self.stored.asking(self._time_ns)


class SnapshotCache:
    """Whole graphs that were read lately, at most `nodes` nodes in all (0: none are kept).

    A place of a graph's generation at a revision never changes, so nothing here can be out of date.
    """

    def __init__(self, nodes: int) -> None:
        self._most = nodes
        self._held = 0
        self._found: OrderedDict[tuple[str, int, int], StoredNodes] = OrderedDict()

    def get(self, moment: Moment, keys: KeySet) -> StoredNodes | None:
        """The graph at a moment's place, with at least these columns."""
        key = _place(moment)
        found = self._found.get(key)
        if found is None or found.keys < keys:
            return None
        self._found.move_to_end(key)
        return found

    def put(self, moment: Moment, stored: StoredNodes) -> None:
        """Keeps a graph; the ones not asked for longest make way."""
        key = _place(moment)
        before = self._found.get(key)
        if stored.number > self._most or (before is not None and before.keys >= stored.keys):
            return
        if before is not None:
            self._held -= before.number
        self._found[key] = stored
        self._found.move_to_end(key)
        self._held += stored.number
        while self._held > self._most:
            self._held -= self._found.popitem(last=False)[1].number


def shown_row(row: Stored, time_ns: int, stale_after_ns: int) -> ShownRow:
    """One node as it is shown at a time (E113-E115). The row itself is changed."""
    asking_ns = row["asking_ns"] if row["state"] == "working" else None
    if is_probably_asking(asking_ns, time_ns):
        row["state"], row["attention"] = ASKING, ASKING_ATTENTION
    row["stale"] = is_stale(row["state"], row["blocked_node_count"] is not None, row["active_ns"], time_ns, stale_after_ns)
    return row


def sibling_order(row: Stored) -> tuple[str, int]:
    """What children sort by: the text of their start time, then the order in which they came under that parent (E120)."""
    return usual_text(row["created_text"], row["created"]), row["placed"]


async def _named(columns: Mapping[str, Sequence[Any]]) -> list[Stored]:
    """A row by name for every node, `stale` with it, made in slices."""
    names, pace, rows = tuple(columns), Pace(), []
    for number, values in enumerate(zip(*columns.values(), strict=True)):
        row = dict(zip(names, values, strict=True))
        row["stale"] = False
        rows.append(row)
        if not number % 500 and pace.due:
            await pace.rest()
    return rows


def _changed(column: Sequence[Any], places: Sequence[int], value: Any) -> Sequence[Any]:
    """The column with one value at these places."""
    if not places:
        return column
    changed = list(column)
    for place in places:
        changed[place] = value
    return changed


def _place(moment: Moment) -> tuple[str, int, int]:
    return moment.g, moment.revision, moment.seq
