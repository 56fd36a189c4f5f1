"""Whole graphs in memory: read once for each place, put in order once, shown as of any time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar

from app.domain.forest import ShownRow
from app.domain.moments import Moment
from app.domain.shown import ASKING, ASKING_ATTENTION, is_probably_asking, is_stale
from app.domain.times import usual_text
from app.domain.waiting import by_code_unit
from app.store.nodes import KeySet
from app.store.pace import Pace
from app.store.reading import Stored

_SMALL = 2_000
"""Up to so many rows are put in order in one piece."""

_RUN = 2_000

T = TypeVar("T")

Order: TypeAlias = dict[str | None, list[int]]


class Snapshot:
    """Every node of a graph at a moment: a `Forest`. Its rows are shared between requests and must not be changed."""

    def __init__(self, rows: list[ShownRow], children: Order, tree: list[int]) -> None:
        """`children` and `tree` by places in `rows`."""
        self._children = children
        self._places = tree
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
        return {ref: [rows[place] for place in places] for ref, places in self._children.items()}

    def tree(self) -> Sequence[ShownRow]:
        """All nodes in tree order (R35)."""
        return self._tree

    @cached_property
    def _tree(self) -> Sequence[ShownRow]:
        rows = self.rows
        return [rows[place] for place in self._places]


class StoredNodes:
    """Every node of a graph as it is stored at a place, in order; what the clock decides is worked out for each time asked for.

    `rows` newest first, `children` and `tree` by their places there. `keys` says how much of each node there is.
    """

    def __init__(self, keys: KeySet, rows: list[Stored], children: Order, tree: list[int]) -> None:
        self.keys = keys
        self.rows = rows
        self.children = children
        self.tree = tree
        # Only these can look different at another time: working nodes that wait on nobody, or have an open approval.
        self._by_clock = [
            (place, row["asking_ns"], waits, row["active_ns"])
            for place, row in enumerate(rows)
            if row["state"] == "working" and ((waits := row["blocked_node_count"] is not None) is False or row["asking_ns"] is not None)
        ]
        self._last: tuple[tuple[list[int], list[int]], Snapshot] = ([], []), Snapshot(rows, children, tree)

    @classmethod
    async def of(cls, keys: KeySet, rows: list[Stored]) -> StoredNodes:
        """Puts the rows of a whole graph in order. They are changed: `stale` is added, and they are sorted."""
        pace = Pace() if len(rows) > _SMALL else None
        for row in rows:
            row["stale"] = False
        by_ref = itemgetter("ref") if all(row["ref"].isascii() for row in rows) else _ref_by_code_unit
        await _newest_first(rows, by_ref, pace)
        children = await _children(rows, by_ref, pace)
        return cls(keys, rows, children, await _tree(rows, children, pace))

    async def shown(self, time_ns: int, stale_after_ns: int) -> Snapshot:
        """The nodes as they are shown at a time, Unix nanoseconds (E113-E115). Stored rows stay as they are."""
        asking: list[int] = []
        stale: list[int] = []
        pace = Pace()
        for place, since_ns, waits, active_ns in self._by_clock:
            if is_probably_asking(since_ns, time_ns):
                asking.append(place)
            elif is_stale("working", waits, active_ns, time_ns, stale_after_ns):
                stale.append(place)
        if self._last[0] == (asking, stale):
            return self._last[1]
        rows = self.rows.copy()
        for number, place in enumerate(asking + stale):
            row = rows[place] = rows[place].copy()
            if number < len(asking):
                row["state"], row["attention"] = ASKING, ASKING_ATTENTION
            else:
                row["stale"] = True
            if not number % 500 and pace.due:
                await pace.rest()
        snapshot = Snapshot(rows, self.children, self.tree)
        self._last = (asking, stale), snapshot
        return snapshot


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
        if len(stored.rows) > self._most or (before is not None and before.keys >= stored.keys):
            return
        if before is not None:
            self._held -= len(before.rows)
        self._found[key] = stored
        self._found.move_to_end(key)
        self._held += len(stored.rows)
        while self._held > self._most:
            self._held -= len(self._found.popitem(last=False)[1].rows)


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


async def _newest_first(rows: list[Stored], by_ref: Callable[[Stored], Any], pace: Pace | None) -> None:
    """By `created`, latest first, equal ones by ref (R35). Rows come about in that order or its reverse, so refs are looked at last."""
    await _sort(rows, itemgetter("created"), pace, reverse=True)
    start = 0
    for place in range(1, len(rows) + 1):
        if place == len(rows) or rows[place]["created"] != rows[start]["created"]:
            if place - start > 1:
                equal = rows[start:place]
                await _sort(equal, by_ref, pace)
                rows[start:place] = equal
            start = place
            if pace is not None and not place % 500 and pace.due:
                await pace.rest()


async def _children(rows: list[Stored], by_ref: Callable[[Stored], Any], pace: Pace | None) -> Order:
    children: Order = {None: []}
    for place in range(len(rows) - 1, -1, -1):
        children.setdefault(rows[place]["parent"], []).append(place)
        if pace is not None and not place % 500 and pace.due:
            await pace.rest()
    created: list[Any] = [row["created"] for row in rows]  # they sort as their usual texts do
    if any(row["created_text"] is not None for row in rows):
        created = [usual_text(row["created_text"], row["created"]) for row in rows]
    placed = [row["placed"] for row in rows]
    for parent, places in children.items():
        if parent is None:
            await _sort(places, lambda place: (rows[place]["created"], by_ref(rows[place])), pace)  # R35
        elif len(places) > 1:
            await _sort(places, lambda place: (created[place], placed[place]), pace)  # E120
        if pace is not None and pace.due:
            await pace.rest()
    return children


async def _sort(items: list[T], key: Callable[[T], Any], pace: Pace | None, *, reverse: bool = False) -> None:
    """Sorts in place; a long list in runs first, which the last sort only has to merge."""
    if pace is not None and len(items) > _RUN:
        for start in range(0, len(items), _RUN):
            items[start : start + _RUN] = sorted(items[start : start + _RUN], key=key, reverse=reverse)
            if pace.due:
                await pace.rest()
    items.sort(key=key, reverse=reverse)
    if pace is not None and pace.due:
        await pace.rest()


async def _tree(rows: list[Stored], children: Order, pace: Pace | None) -> list[int]:
    order: list[int] = []
    stack = children[None][::-1]
    while stack:
        place = stack.pop()
        order.append(place)
        under = children.get(rows[place]["ref"])
        if under is not None:
            stack += reversed(under)
        if pace is not None and not len(order) % 500 and pace.due:
            await pace.rest()
    return order


def _ref_by_code_unit(row: Stored) -> bytes:
    return by_code_unit(row["ref"])


def _place(moment: Moment) -> tuple[str, int, int]:
    return moment.g, moment.revision, moment.seq
