"""Watching one graph: its newest state, each time that it is another one (Q26)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.domain.differences import differ, fields
from app.domain.forest import ShownRow
from app.domain.problems import CursorInvalid, DeadlineExceeded, NotFound, StoreUnavailable
from app.domain.times import NS_PER_S
from app.domain.waiting import by_code_unit
from app.services.cursors import arrival_cursor, read_arrival_cursor
from app.services.differences import Changed
from app.services.event_pages import EventRow, outside
from app.services.graph_at import GraphAt, KeySet, Snapshot
from app.services.liveness import is_live
from app.services.news import Topic
from app.services.sources import Sources
from app.services.throttle import Throttle
from app.store import events
from app.store.deadline import Deadline
from app.store.events import Stretch
from app.store.graphs import Seen
from app.store.pace import Pace
from app.store.reading import Reading

CLOCK_SECONDS = 1.0
"""How often it is looked whether time alone has changed anything: it is told within 2 s (Q26)."""

_BEFORE_STALE = ("provider", "kind", "parent_id", "root_id", "session_id", "requested_by_id", "depth", "state")


@dataclass(frozen=True, slots=True)
class Update:
    """A graph at its newest moment, and what changed since the message before. `since`: own id of the event that it was then just after."""

    at: GraphAt
    cursor: str
    since: str | None = None
    changes: Sequence[Changed] = ()
    history_changed: bool = False


class _Told(NamedTuple):
    """What a message was made of."""

    seen: Seen
    at: GraphAt
    shown: Snapshot
    live: bool


class GraphWatch:
    """One watcher of a graph."""

    def __init__(self, sources: Sources, topic: Topic[Seen | None], throttle: Throttle, *, compare: bool) -> None:
        """`compare`: whether it is of interest what changed."""
        self._sources = sources
        self._topic = topic
        self._throttle = throttle
        self._compare = compare
        self._keys = KeySet.FULL if compare else KeySet.STRUCTURE
        self._told: _Told | None = None
        self._telling: _Told | None = None
        self._from: int | None = None

    def begin(self, graph_id: str, cursor: str | None) -> None:
        """The first message is to cover what came after a cursor, if one is given. Raises: CursorInvalid."""
        self._from = None if cursor is None else read_arrival_cursor(cursor, graph_id)

    async def next(self, seconds: float) -> Update:
        """The next message's content, once there is any; making it may take so long.

        Raises: NotFound (the graph is gone), OutsideRetentionWindow, CursorInvalid.
        """
        while True:
            await self._throttle.wait(self._topic)
            version = self._topic.version
            self._throttle.begin()
            try:
                found = await self._update(Deadline.after(seconds))
            except (StoreUnavailable, DeadlineExceeded):  # the subscription stays open (O30)
                await self._sources.news.look_again(self._topic, version)
                continue
            if found is not None:
                return found
            await self._topic.after(version, CLOCK_SECONDS)

    def made(self) -> None:
        """The message is made."""
        self._throttle.made()

    def took(self) -> None:
        """The watcher has it."""
        self._told, self._from = self._telling, None

    async def _update(self, deadline: Deadline) -> Update | None:
        seen = self._topic.value
        if seen is None:
            raise NotFound("No such graph.")
        told, now = self._told, self._sources.clock()
        if told is not None and told.seen.row == seen.row:
            at = told.at.later(deadline, now // 1_000 * NS_PER_S)
        else:
            at = await self._sources.graphs.now(seen.row, deadline)
        shown = await at.snapshot(self._keys)
        self._telling = telling = _Told(seen, at, shown, is_live(seen.row.heard, now))
        cursor = arrival_cursor(seen.row.id, seen.row.standing.arrived)
        if told is None:
            return Update(at, cursor) if self._from is None else await self._since(telling, self._from, cursor, deadline)
        same = telling.live == told.live and _looks(told.seen) == _looks(seen)
        changes = await _changed(told.shown, shown) if self._compare or same else ()
        if same and not changes:
            return None
        since = None if told.seen.row.last is None else told.seen.row.last.id
        return Update(at, cursor, since, changes, await self._reworked(told.seen, telling, deadline))

    async def _reworked(self, before: Seen, now: _Told, deadline: Deadline) -> bool:
        """Whether history before the last message's moment was worked out again since."""
        if (before.row.g, before.rebased) != (now.seen.row.g, now.seen.rebased):
            return True
        was, stands, last = before.row.standing, now.seen.row.standing, before.row.last
        if was.revision == stands.revision or was.arrived == stands.arrived or last is None:
            return False
        reading = Reading(self._sources.store, now.at.moment, deadline)
        head = (await events.by_id(reading, (last.id,))).get(last.id)
        return head is None or await _any_before(reading, head["seq"], was.arrived + 1, stands.arrived)

    async def _since(self, now: _Told, arrival: int, cursor: str, deadline: Deadline) -> Update:
        """All that came after an arrival number. Raises: OutsideRetentionWindow, CursorInvalid."""
        at, row = now.at, now.seen.row
        arrived = row.standing.arrived
        if arrival > arrived:
            raise CursorInvalid("The cursor is of events that this graph does not have.")
        reading = Reading(self._sources.store, at.moment, deadline)
        places = await events.arrived_places(reading, arrival + 1, arrived)
        start = await _newest_of(reading, row.standing.floor, row.standing.head, places)
        if len(places) < arrived - arrival or (start is None and arrival):
            raise outside(row)
        if start is None:
            return Update(at, cursor, None, await _changed(None, now.shown) if self._compare else ())
        changes = await _changed(await at.at_event(start).snapshot(self._keys), now.shown) if self._compare else ()
        return Update(at, cursor, start["id"], changes, any(place < start["seq"] for place, _ in places))


async def _newest_of(reading: Reading, floor: int, head: int, after: Sequence[tuple[int, bool]]) -> EventRow | None:
    """The event with the last place of those that are not among `after` (places, and whether late), which came later than it."""
    high = min((place for place, late in after if not late), default=head + 1) - 1
    passed = {place for place, late in after if late}
    for row in await events.page(reading, Stretch(floor, high), len(passed) + 1, down=True) if floor else ():
        if row["seq"] not in passed:
            return row
    return None


async def _any_before(reading: Reading, place: int, first: int, last: int) -> bool:
    """Whether an event with one of these arrival numbers lies before a place."""
    return any(seq < place for seq, _ in await events.arrived_places(reading, first, last))


def _looks(seen: Seen) -> tuple[Any, ...]:
    """What a graph shows of itself."""
    return seen.row.standing, seen.row.title, seen.rebased


async def _changed(before: Snapshot | None, after: Snapshot) -> list[Changed]:
    """The nodes that look different, also by the clock alone (`stale`): new ones, then the others, each by ref."""
    if before is after:
        return []
    pace, found = Pace(), []
    was: Mapping[str, ShownRow] = {} if before is None else before.by_ref
    now = after.by_ref
    for number, row in enumerate(after.rows):
        old = was.get(row["ref"])
        if old is not row and (old is None or old["stale"] != row["stale"] or differ(old, row)):
            found.append(Changed(row["ref"], old, row))
        if not number % 500 and pace.due:
            await pace.rest()
    found += [Changed(ref, row, None) for ref, row in was.items() if ref not in now]
    return sorted(found, key=lambda changed: (changed.group, by_code_unit(changed.ref)))


def changed_fields(changed: Changed) -> dict[str, dict[str, Any]]:
    """The members of a change, `stale` among them, in R40's order."""
    before, after = changed.before, changed.after
    found = fields(before, after)
    if before is None or after is None or before["stale"] == after["stale"]:
        return found
    first = {name: each for name, each in found.items() if name in _BEFORE_STALE}
    rest = {name: each for name, each in found.items() if name not in first}
    return {**first, "stale": {"from": before["stale"], "to": after["stale"]}, **rest}
