"""Pages of a graph's or a node's held events up to a moment (R58, Q14-Q17, Q45)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from app.domain.filters import EventFilter, Range
from app.domain.ids import event_id
from app.domain.problems import CursorInvalid, OutsideRetentionWindow, Span
from app.domain.waiting import by_code_unit
from app.services.lists import Slice
from app.store import events
from app.store.events import Stretch, Types
from app.store.graphs import GraphRow
from app.store.moments import last_by
from app.store.reading import Reading, Stored

EventRow = Stored
"""A held event: the columns of `app.store.events`."""

_WINDOW = 256
"""Events are looked through by so many where a filter cannot be put to the store."""


@dataclass(frozen=True, slots=True)
class EventPage:
    """Which page is asked for: `size` events from the beginning of the list or, if `backward`, to its end.

    `after` and `before` are own ids of events, the cursors. `ascending` is the list's order; `within` are the refs of the tree that the
    filter's root stands for (its root member itself is not looked at here); None: all.
    """

    size: int
    ascending: bool = False
    backward: bool = False
    after: str | None = None
    before: str | None = None
    filter: EventFilter = field(default_factory=EventFilter)
    within: frozenset[str] | None = None


async def page(reading: Reading, graph: GraphRow, asked: EventPage) -> Slice[EventRow]:
    """The page. Raises: CursorInvalid, OutsideRetentionWindow."""
    wanted = await _stretch(reading, graph, asked.filter)
    if wanted is None or (asked.within is not None and not asked.within):
        return Slice([], False, False)
    keeps = _keeps(asked.within)
    after, before = await _places(reading, graph, asked)
    older, newer = (after, before) if asked.ascending else (before, after)
    low = wanted.low if older is None else max(wanted.low, older + 1)
    high = wanted.high if newer is None else min(wanted.high, newer - 1)
    down = asked.ascending is asked.backward
    rows = await _kept(reading, replace(wanted, low=low, high=high), asked.size + 1 if asked.size else 0, keeps, down=down)
    cut = len(rows) > asked.size
    rows = rows[: asked.size]
    # An empty page stands where it would begin, or where it would end if it goes backward (Q14).
    empty = high + 1 if down else low
    oldest, newest = (min(seqs), max(seqs)) if (seqs := [row["seq"] for row in rows]) else (empty, empty - 1)

    async def more(side: Stretch, towards: bool, cursor: int | None) -> bool:
        """Whether the list goes on there: `towards` the end that was read to, or behind the other, where only a cursor leaves anything."""
        if towards and asked.size and (cut or cursor is None):
            return cut
        if not towards and cursor is None:
            return False
        return bool(await _kept(reading, side, 1, keeps, down=towards is down))

    has_older = await more(replace(wanted, high=oldest - 1), down, older)
    has_newer = await more(replace(wanted, low=newest + 1), not down, newer)
    if down is asked.ascending:
        rows.reverse()
    return Slice(rows, *((has_newer, has_older) if asked.ascending else (has_older, has_newer)))


async def count(reading: Reading, graph: GraphRow, wanted: EventFilter, within: frozenset[str] | None) -> int:
    """How many events the whole filtered list has (Q16)."""
    stretch = await _stretch(reading, graph, wanted)
    if stretch is None:
        return 0
    if within is not None:
        return len(await _kept(reading, stretch, graph.standing.held, _keeps(within), down=False))
    standing = graph.standing
    if stretch == Stretch(standing.floor, standing.head):
        return standing.held
    return await events.count(reading, stretch)


async def _stretch(reading: Reading, graph: GraphRow, wanted: EventFilter) -> Stretch | None:
    """What a filter means in places; None: no event can pass it."""
    standing = graph.standing
    if not standing.held:
        return None
    types = _types(wanted.types)
    if types is not None and not types.exact and not types.families:
        return None
    low, high = standing.floor, min(reading.seq, standing.head)
    if wanted.created is not None:
        above, upto = _bounds(wanted.created)
        if upto is not None:
            high = min(high, await place_by(reading, graph, upto))
        if above is not None:
            low = max(low, await place_by(reading, graph, above) + 1)
    return Stretch(low, high, types, wanted.node)


async def place_by(reading: Reading, graph: GraphRow, time_ms: int) -> int:
    """The place of the last held event at or before a time (Unix ms, R26); 0 where there is none."""
    if graph.first is None or graph.last is None or time_ms < graph.first.time_ms:
        return 0
    if time_ms >= graph.last.time_ms:
        return graph.standing.head
    found = await last_by(reading, time_ms, graph.standing.floor, graph.standing.head)
    return 0 if found is None else found.seq


def outside(graph: GraphRow) -> OutsideRetentionWindow:
    """The problem with the span that the graph holds (R25)."""
    if graph.first is None or graph.last is None:
        return OutsideRetentionWindow()
    return OutsideRetentionWindow(Span(event_id(graph.first.id), graph.first.time_ms, event_id(graph.last.id), graph.last.time_ms))


def is_before(graph: GraphRow, own_id: str) -> bool:
    """Whether an id that is not held lies below the first held one, as strings (R25, R59, R60)."""
    return graph.first is not None and by_code_unit(own_id) < by_code_unit(graph.first.id)


async def _places(reading: Reading, graph: GraphRow, asked: EventPage) -> tuple[int | None, int | None]:
    named = [own_id for own_id in (asked.after, asked.before) if own_id is not None]
    found = await events.by_id(reading, named)
    for own_id in named:
        if own_id not in found:
            raise outside(graph) if is_before(graph, own_id) else CursorInvalid("The cursor names an event that is not held.")
    return (
        None if asked.after is None else found[asked.after]["seq"],
        None if asked.before is None else found[asked.before]["seq"],
    )


async def _kept(reading: Reading, stretch: Stretch, limit: int, keeps: Callable[[EventRow], bool] | None, *, down: bool) -> list[EventRow]:
    """The first `limit` events of a stretch that pass a test."""
    if keeps is None:
        return await events.page(reading, stretch, limit, down=down)
    kept: list[EventRow] = []
    while len(kept) < limit:
        rows = await events.page(reading, stretch, _WINDOW, down=down)
        kept += [row for row in rows if keeps(row)]
        if len(rows) < _WINDOW:
            break
        last = rows[-1]["seq"]
        stretch = replace(stretch, high=last - 1) if down else replace(stretch, low=last + 1)
    return kept[:limit]


def _keeps(within: frozenset[str] | None) -> Callable[[EventRow], bool] | None:
    return None if within is None else lambda row: row["ref"] in within


def _types(patterns: tuple[str, ...] | None) -> Types | None:
    if patterns is None or "*" in patterns:
        return None
    families = tuple(pattern[:-1] for pattern in patterns if pattern.endswith(".*"))
    return Types(tuple(pattern for pattern in patterns if not pattern.endswith(".*")), families)


def _bounds(created: Range) -> tuple[int | None, int | None]:
    """A range as (above, up to and including), Unix ms."""
    above = [value for value in (created.gt, None if created.gte is None else created.gte - 1) if value is not None]
    upto = [value for value in (created.lte, None if created.lt is None else created.lt - 1) if value is not None]
    return max(above, default=None), min(upto, default=None)
