"""Histories, differences and timelines, against folds of the log from scratch that share no code with the product."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from app.domain.differences import fields
from app.domain.ids import node_id
from app.domain.moments import AsOf
from app.domain.problems import BadUserInput
from app.services import timeline
from app.services.event_pages import EventPage
from app.services.graph_at import GraphAt
from app.services.lists import Ask
from app.services.node_history import HistoryPage, Version
from app.store import moments
from app.store.connection import Store
from tests.grown import Grown, event, grow, reader, soon
from tests.oracle import Log, changes, state_after
from tests.oracle.changes import changes_between
from tests.oracle.times import time_of
from tests.services.test_bases import base_of
from tests.services.test_graph_at import log_of
from tests.strategies.logs import random_log

FROM_OTHERS = {"child_count", "descendant_count", "blocked"}
ALL = Ask(1_000)


async def of(grown: Grown, store: Store, as_of: AsOf | None = None) -> GraphAt:
    return await reader(store).at(grown.viewer, grown.graph_id, as_of, soon())


def naive_history(log: Log, upto: int) -> dict[str, list[dict[str, Any]]]:
    """Q11 to the letter: for each node its entries up to an event, oldest first; every event is looked at."""
    found: dict[str, list[dict[str, Any]]] = {}
    for ref in state_after(log, 0):
        found[ref] = [{"event": None, "since": time_of(log.base_ts or "") // 1_000_000, "changes": {}}]
    for n in range(1, upto + 1):
        for changed in changes(log, n):
            if set(changed["fields"]) - FROM_OTHERS:
                said = {"event": log.events[n - 1]["id"], "since": time_of(log.events[n - 1]["ts"]) // 1_000_000}
                found.setdefault(changed["ref"], []).append({**said, "changes": changed["fields"]})
    return found


def told(versions: list[Version] | Any) -> list[dict[str, Any]]:
    return [{"event": each.event and each.event["id"], "since": each.since_ms, "changes": each.changes} for each in versions]


async def check_histories(at: GraphAt, log: Log, upto: int) -> None:
    wanted = naive_history(log, upto)
    for ref, row in (await at.snapshot()).by_ref.items():
        page = await at.history(ref, HistoryPage(ALL, ascending=True))
        assert told(page.rows) == wanted[ref], ref
        assert page.total == len(wanted[ref])
        following = [each["event"] for each in wanted[ref][1:]]
        assert [each.until and each.until["id"] for each in page.rows] == [*following, None]
        for each in page.rows:
            if each.event is not None:
                before = at.at_event(each.event)
                assert each.row == await before.node(ref)
        assert page.rows[-1].row is None or row["last_event"] == page.rows[-1].row["last_event"]


@pytest.mark.parametrize("seed", range(1))
async def test_nodes_after_many_events_are_the_states_of_the_log_up_to_each(store: Store, seed: int) -> None:
    """R61: those that an event changed and those that it left alone or that were not there yet, after trims of the cache as well."""
    events = random_log(seed, 80)
    grown = await grow(store, events, pieces=4)
    log = log_of(events)
    at = await of(grown, store)
    rows = (await at.events(EventPage(1_000, ascending=True))).rows
    refs = sorted(state_after(log, len(log.events)))
    asked = [(row, ref) for row in rows for ref in (row["ref"], *random.Random(seed).sample(refs, min(3, len(refs))))]
    found = await at.nodes_after(asked)
    for n, row in enumerate(rows, start=1):
        wanted = state_after(log, n)
        for ref in {ref for each, ref in asked if each is row}:
            shown = found.get((row["seq"], ref))
            assert (shown is not None) == (ref in wanted), (n, ref)
            assert shown == await at.at_event(row).node(ref)


@pytest.mark.shared
@pytest.mark.parametrize("seed", range(2))
async def test_a_history_is_what_every_event_did_to_the_node(store: Store, seed: int, long: bool) -> None:
    """Q11: at old moments and now, whatever the clock alone did; events come late in half of the logs."""
    for number in range(20 if long else 1):
        events = random_log(100 * number + seed, 60)
        came = events[:]
        if seed % 2:
            random.Random(seed).shuffle(came)
        grown = await grow(store, came, pieces=5)
        log = log_of(events)
        for n in (len(log.events) // 3, len(log.events)):
            await check_histories(await of(grown, store, AsOf(event=log.events[n - 1]["id"])), log, n)
        await check_histories(await of(grown, store), log, len(log.events))


@pytest.mark.shared
@pytest.mark.parametrize("seed", range(3))
async def test_a_history_begins_with_the_base(store: Store, seed: int) -> None:
    """Q11: the state that the window begins with is the oldest entry, since the base's time; R66 for the first held event."""
    events = random_log(seed + 40, 60)
    _, said = base_of(events[:25])
    late = {**events[3], "id": "0" * 26}
    grown = await grow(store, [*said, *events[25:], *([late] if seed else [])], pieces=1)
    log = log_of([*said, *events[25:], *([late] if seed else [])])
    await check_histories(await of(grown, store), log, len(log.events))


async def test_what_waits_for_an_answer_changes_by_the_clock_alone(store: Store) -> None:
    """E113, R66: at the first event, of whomever, ten seconds after the question; not again, and not if an answer came before."""
    events = [
        event(0, "session.started", "asker", 0),
        event(1, "status", "asker", 1_000, state="working"),
        event(2, "activity", "asker", 2_000, tool="Bash", label="rm", may_ask=True),
        *(event(3 + n, "status", "other", 3_000 + 3_000 * n, state="idle") for n in range(6)),
        event(20, "activity", "asker", 40_000, tool="Bash", label="rm"),
        event(21, "activity", "asker", 41_000, tool="Bash", label="ls", may_ask=True),
        event(22, "activity", "asker", 45_000, tool="Bash", label="ls"),
        event(23, "status", "other", 60_000, state="idle"),
    ]
    grown = await grow(store, events)
    page = await (await of(grown, store)).history("acme:asker", HistoryPage(ALL, ascending=True))
    ids = [each.event and each.event["id"] for each in page.rows]
    assert ids == [f"{n:08d}" for n in (0, 1, 2, 6, 20, 21, 22)]
    await check_histories(await of(grown, store), log_of(events), len(events))


async def test_pages_of_a_history_put_together_are_the_list(store: Store) -> None:
    """Q17, Q14: both orders, both directions, whatever the size of the pages."""
    grown = await grow(store, [event(n, "status", "one", 1_000 * n, state="working", summary=str(n)) for n in range(11)])
    at = await of(grown, store)
    for ascending in (False, True):
        whole = (await at.history("acme:one", HistoryPage(ALL, ascending))).rows
        for size in (1, 3, 11):
            for backward in (False, True):
                put: list[Version] = []
                edge: int | None = None
                while True:
                    side = {"before": edge} if backward else {"after": edge}
                    page = await at.history("acme:one", HistoryPage(Ask(size, backward), ascending, **side))
                    put = [*page.rows, *put] if backward else [*put, *page.rows]
                    if not (page.has_previous if backward else page.has_next):
                        break
                    edge = page.rows[0 if backward else -1].seq
                assert put == list(whole)


@pytest.mark.shared
@pytest.mark.parametrize("seed", range(3))
async def test_a_difference_is_that_of_two_folds(store: Store, seed: int) -> None:
    """Q12, R63, R64: between any two moments, either way; new nodes first, then the others, each by ref."""
    rng = random.Random(seed)
    events = random_log(seed + 7, 80)
    grown = await grow(store, events, pieces=4)
    log = log_of(events)
    for _ in range(12):
        m, n = rng.randrange(1, len(log.events) + 1), rng.randrange(1, len(log.events) + 1)
        one, two = [await of(grown, store, AsOf(event=log.events[place - 1]["id"])) for place in (m, n)]
        found = await two.changed_since(one)
        wanted = changes_between(state_after(log, m), state_after(log, n), "")
        wanted.sort(key=lambda changed: (not changed["created"], changed["ref"]))
        assert [(node_id(each.ref), each.before is None, fields(each.before, each.after)) for each in found] == [
            (changed["node_id"], changed["created"], changed["fields"]) for changed in wanted
        ]
        assert await two.events_between(one) == abs(n - m)


async def test_a_difference_between_times_is_judged_at_them(store: Store) -> None:
    """Q12, E113: time alone makes a difference."""
    events = [
        event(1, "status", "asker", 1_000, state="working"),
        event(2, "activity", "asker", 2_000, tool="Bash", label="rm", may_ask=True),
    ]
    grown = await grow(store, events)
    start = time_of(events[1]["ts"]) // 1_000_000
    early, late = [await of(grown, store, AsOf(time_ms=start + more)) for more in (9_999, 10_000)]
    (changed,) = await late.changed_since(early)
    assert set(fields(changed.before, changed.after)) == {"state", "attention"}
    assert await late.events_between(early) == 0


@pytest.mark.parametrize(("seed", "in_order"), [(0, False), (1, False), (2, True), (3, True)])
async def test_a_timeline_counts_every_event_once(store: Store, seed: int, in_order: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Q13: bounds rounded down, each span without its end but the last, the newest event in or before it; by looking at each event, and
    by searching for the ends of spans where all came in order."""
    monkeypatch.setattr(timeline, "SCANNED", 0)
    monkeypatch.setattr(moments, "_PLACES", 16)
    events = random_log(seed + 60, 90, odd_times=False)
    grown = await grow(store, events if in_order else random.Random(seed).sample(events, len(events)), pieces=3)
    at = await of(grown, store, AsOf(event=events[30]["id"]))
    assert at.info.standing.regular is in_order
    times = [(time_of(each["ts"]) // 1_000_000, each["id"]) for each in log_of(events).events]
    first, last = times[0][0], times[-1][0]
    asked = (1, None, None), (7, None, None), (1_000, None, None), (13, first + 777, last - 1_001), (5, first - 9, last + 9)
    for number, start, end in asked:
        low, high = first if start is None else start, last if end is None else end
        bounds = [low + (high - low) * place // number for place in range(number + 1)]
        spans = await at.timeline(number, start, end)
        assert [(span.from_ms, span.to_ms) for span in spans] == list(pairwise(bounds))
        for place, span in enumerate(spans):
            ends = place == number - 1
            inside = [each for each in times if span.from_ms <= each[0] < span.to_ms or (ends and each[0] == span.to_ms)]
            assert span.events == len(inside)
            until = [own_id for time_ms, own_id in times if time_ms < span.to_ms or (ends and time_ms == span.to_ms)]
            assert span.last_event == (until[-1] if until else None)


async def test_a_timeline_of_one_moment_and_of_nothing(store: Store) -> None:
    """Q13: a graph with one event has spans without length; one without events has none; bounds that cross are refused."""
    one = await of(await grow(store, [event(1, "status", "one", 1_000, state="idle")]), store)
    spans = await one.timeline(3, None, None)
    assert [span.events for span in spans] == [0, 0, 1]
    for start, end in ((2**43, None), (None, 1), (5, 5)):
        with pytest.raises(BadUserInput):
            await one.timeline(3, start, end)
    assert await (await of(await grow(store, []), store)).timeline(3, None, None) == []
