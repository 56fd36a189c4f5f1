"""The projector against a naive fold of the whole log that shares no code with it (E9-E125, E137)."""

from __future__ import annotations

import json
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.history import Batch
from app.domain.keyframe import Keyframe
from app.domain.projector import Projector
from tests.domain.logs import STEP, both, folded
from tests.domain.shown import shown_nodes
from tests.oracle import changes, keyframe_state, state_after
from tests.strategies.logs import logs

Envelopes = list[dict[str, Any]]


@settings(max_examples=100, deadline=None)
@given(logs(max_events=50))
def test_state_and_changes_at_every_event_are_those_of_the_naive_fold(log: Envelopes) -> None:
    """E13, E137: the state as of an event is what the events up to it make, and its changes are what differs from the one before."""
    events, naive = both(log)
    projector = Projector()
    for n, event in enumerate(events, start=1):
        batch = Batch()
        projector.apply(event, n * STEP, batch)
        assert shown_nodes(projector.history.now, projector.judged_ns) == state_after(naive, n)
        expected = [{name: value for name, value in change.items() if name != "ref"} for change in changes(naive, n)]
        assert orjson.loads(batch.events[0].changes) == json.loads(json.dumps(expected))


@settings(max_examples=50, deadline=None)
@given(logs(max_events=40, shuffled=True, duplicates=True, malformed=True))
def test_order_of_lines_duplicates_and_malformed_lines_do_not_matter(log: Envelopes) -> None:
    """E2, E9, E10: events apply in order of time and id, each id once, whatever else stands in the log."""
    events, naive = both(log)
    projector, _ = folded(events)
    assert [event.id for event in events] == [event["id"] for event in naive.events]
    assert shown_nodes(projector.history.now, projector.judged_ns) == state_after(naive, len(events))


@settings(max_examples=50, deadline=None)
@given(logs(max_events=50))
def test_one_batch_or_many_give_the_same_rows(log: Envelopes) -> None:
    """Folding event by event and at once give the same states, ended ones included."""
    events, _ = both(log)
    at_once, batch = folded(events)
    one_by_one, ended = Projector(), []
    for place, event in enumerate(events, start=1):
        single = Batch()
        one_by_one.apply(event, place * STEP, single)
        ended += single.ended
    assert one_by_one.history.now == at_once.history.now
    assert sorted(ended, key=_by_cell) == sorted(batch.ended, key=_by_cell)


@settings(max_examples=50, deadline=None)
@given(logs(max_events=50))
def test_states_of_a_cell_never_overlap_and_rebuild_every_moment(log: Envelopes) -> None:
    """The half-open spans of each cell's states are disjoint, and those that hold a place are the state there."""
    events, naive = both(log)
    projector, batch = folded(events)
    spans = [(cell, since, until, row) for cell, since, until, row in batch.ended]
    spans += [(cell, state.since, None, state.row) for cell, state in projector.history.now.items()]  # type: ignore[misc]
    ends: dict[Any, int] = {}
    for cell, since, until, _ in sorted(spans, key=lambda span: span[1]):
        assert since >= ends.get(cell, 0)
        assert until is None or until > since
        ends[cell] = until if until is not None else 2**63
    for n in range(1, len(events) + 1):
        seq = n * STEP
        at = {cell: _State(since, row) for cell, since, until, row in spans if since <= seq and (until is None or seq < until)}
        assert shown_nodes(at, events[n - 1].time_ns) == state_after(naive, n)  # type: ignore[arg-type]


class _State:
    def __init__(self, since: int, row: Any) -> None:
        self.since, self.row = since, row


@settings(max_examples=60, deadline=None)
@given(logs(min_events=2, max_events=50), st.data())
def test_a_state_taken_up_goes_on_as_if_never_laid_down(log: Envelopes, data: st.DataObject) -> None:
    """E133, E134: the whole state, hidden fields too, carries everything that later events need."""
    events, naive = both(log)
    stop = data.draw(st.integers(1, len(events) - 1)) if len(events) > 1 else 1
    before, _ = folded(events[:stop])
    assert json.loads(before.state()) == _without_nulls(keyframe_state(naive, stop))
    after, _ = Projector.from_keyframe(Keyframe(before.state(), events[stop - 1].ts, events[stop - 1].time_ns), 1)
    assert shown_nodes(after.history.now, after.judged_ns) == state_after(naive, stop)
    for n, event in enumerate(events[stop:], start=stop + 1):
        batch = Batch()
        after.apply(event, n * STEP, batch)
        assert shown_nodes(after.history.now, after.judged_ns) == state_after(naive, n)
        before.apply(event, n * STEP, other := Batch())
        assert batch.events[0].changes == other.events[0].changes


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, (list, tuple)) else value


def _by_cell(ended: Any) -> tuple[str, str, int, int]:
    return *ended.cell, ended.since
