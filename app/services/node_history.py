"""A node's history: one entry for each held event that changed it by more than what others did (Q11).

A state that the store keeps begins with the event that made it, so those states say where to look. The clock alone changes a node too, at
the first event after its question has waited long enough (E113, R66): that is looked for by its time. Where it cannot be told from the
states whether anything shown differs, the event's own list of changes decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import orjson

from app.domain.differences import FROM_OTHERS, own_members
from app.domain.ids import node_id
from app.domain.shown import ASKING_AFTER_NS
from app.domain.times import NS_PER_MS, event_ns
from app.services.event_pages import EventRow
from app.services.lists import Ask, Page, cut, places
from app.services.snapshot import shown_row
from app.store import checkpoints, events, nodes
from app.store.events import Stretch
from app.store.graphs import GraphRow
from app.store.moments import last_by, times_at
from app.store.reading import Reading, Stored

_BY_THE_CLOCK = frozenset(("state", "attention"))
_FEW = 8

BEGINNING = 0
"""The place of the state that the window begins with."""


class Place(NamedTuple):
    """Where a state of a node begins, with its row as it is stored (None: shown by nobody)."""

    seq: int
    row: Stored | None


class Version(NamedTuple):
    """An entry. `event` began it, with its `changes` to this node by member; None, and none, for the state that the window begins with.

    `since_ms`: the event's time, or the base's (Unix ms).
    `until`: the event of the next entry (None: it lasts). `row`: the node just after.
    """

    seq: int
    event: EventRow | None
    since_ms: int
    until: EventRow | None
    changes: dict[str, dict[str, Any]]
    row: Stored | None


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Which page is asked for. `after` and `before` are places of entries in the list's order."""

    ask: Ask
    ascending: bool
    after: int | None = None
    before: int | None = None


async def history(reading: Reading, graph: GraphRow, ref: str, asked: HistoryPage, stale_after_ns: int) -> Page[Version]:
    """The page of a node's entries up to the moment."""
    found = await _Entries(reading, graph, ref).all()
    sign = 1 if asked.ascending else -1
    ordered = found if asked.ascending else found[::-1]
    keys = [sign * place.seq for place in ordered]
    after, before = (None if at is None else sign * at for at in (asked.after, asked.before))
    page = cut(ordered, asked.ask, *places(keys, after, before))
    rows = await _versions(reading, graph, ref, found, page.rows, stale_after_ns)
    return Page(rows, page.has_next, page.has_previous, page.total)


async def _versions(
    reading: Reading, graph: GraphRow, ref: str, all_of_them: Sequence[Place], wanted: Sequence[Place], stale_after_ns: int
) -> list[Version]:
    following = {place.seq: later.seq for place, later in pairwise(all_of_them)}
    needed = {seq for place in wanted for seq in (place.seq, following.get(place.seq, BEGINNING))} - {BEGINNING}
    held = await events.at(reading, needed)
    made = []
    for place in wanted:
        until = held.get(following.get(place.seq, BEGINNING))
        event = held.get(place.seq)
        if event is None:
            made.append(Version(BEGINNING, None, await _base_ms(reading, graph), until, {}, None))
            continue
        assert place.row is not None
        row = shown_row(dict(place.row), event["time_ns"], stale_after_ns)
        made.append(Version(place.seq, event, event["time_ms"], until, _changes(event, ref), row))
    return made


async def _base_ms(reading: Reading, graph: GraphRow) -> int:
    floor = graph.standing.floor or graph.standing.head + 1
    ts = await checkpoints.time_of(reading.store, reading.g, floor, reading.deadline)
    return 0 if ts is None else event_ns(ts) // NS_PER_MS


class _Entries:
    """Where the entries of one node's history are."""

    def __init__(self, reading: Reading, graph: GraphRow, ref: str) -> None:
        self._reading = reading
        self._floor = graph.standing.floor
        self._ref = ref

    async def all(self) -> list[Place]:
        """All of them, oldest first."""
        states = await nodes.states(self._reading, self._ref)
        before = [row for row in states if not self._floor or row["since"] < self._floor]
        later = states[len(before) :]
        base = before[-1] if before else None
        entries = {BEGINNING: Place(BEGINNING, None)} if base is not None else {}
        doubtful: dict[int, Place] = {}
        old = base
        for row in later:
            place = Place(row["since"], row)
            members = None if old is None else own_members(old, row)
            if members is None or members - _BY_THE_CLOCK or (members and old is not None and not _asks(old) and not _asks(row)):
                entries[place.seq] = place
            elif members or (old is not None and (_asks(old) or _asks(row))):
                doubtful[place.seq] = place
            old = row
        if self._floor:
            for place in await self._by_the_clock([*([base] if base is not None else []), *later], base):
                if place.seq not in entries:
                    doubtful.setdefault(place.seq, place)
        changed = await self._changed(doubtful)
        entries |= {seq: place for seq, place in doubtful.items() if seq in changed}
        return [entries[seq] for seq in sorted(entries)]

    async def _by_the_clock(self, states: Sequence[Stored], base: Stored | None) -> list[Place]:
        """Events at which one of these states may look different without having changed."""
        reading, found = self._reading, []
        spans = [(row, max(row["since"], self._floor), self._end(states, number)) for number, row in enumerate(states) if _asks(row)]
        if base is not None and spans and spans[0][0] is base and spans[0][2] >= self._floor:
            found.append(Place(self._floor, base))  # a late event may lie before the base's own time
        times = await times_at(reading, {seq for _, low, high in spans for seq in (low, high)}) if spans else {}
        for row, low, high in spans:
            due = row["asking_ns"] + ASKING_AFTER_NS
            first, last = times.get(low), times.get(high)
            if first is not None and first * NS_PER_MS >= due and row is not base:
                continue  # so it looked from its beginning on
            if last is not None and (last + 1) * NS_PER_MS <= due:
                continue  # so it never looked
            seq = await self._first_at(due, low, high)
            if seq is not None:
                found.append(Place(seq, row))
        return found

    def _end(self, states: Sequence[Stored], number: int) -> int:
        """The place of the event that ended a state, or the place that is read at."""
        return states[number + 1]["since"] if number + 1 < len(states) else self._reading.seq

    async def _first_at(self, time_ns: int, low: int, high: int) -> int | None:
        """The first event at or after a time, Unix ns, between two places."""
        earlier = await last_by(self._reading, time_ns // NS_PER_MS - 1, low, high)
        start = low if earlier is None else earlier.seq + 1
        while rows := await events.page(self._reading, Stretch(start, high), _FEW, down=False):
            for row in rows:
                if row["time_ns"] >= time_ns:
                    return int(row["seq"])
            start = rows[-1]["seq"] + 1
        return None

    async def _changed(self, doubtful: Iterable[int]) -> set[int]:
        """Those of these places whose events say that they changed the node by more than what others did."""
        held = await events.at(self._reading, doubtful)
        return {seq for seq, event in held.items() if _changes(event, self._ref).keys() - FROM_OTHERS}


def _asks(row: Stored) -> bool:
    return row["state"] == "working" and row["asking_ns"] is not None


def _changes(event: EventRow, ref: str) -> dict[str, dict[str, Any]]:
    """What an event says that it changed about a node."""
    named = node_id(ref)
    return next((changed["fields"] for changed in orjson.loads(event["changes"]) if changed["node_id"] == named), {})
