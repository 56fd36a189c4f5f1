"""Logs that start from keyframes (E126-E133), read by the product and by the oracle alike."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain import keyframe
from app.domain.history import Batch
from app.domain.log import Log, read_log
from app.domain.projector import Projector
from tests.domain.shown import shown_nodes
from tests.oracle import Log as NaiveLog
from tests.oracle import cut, keyframe_state, log_of, state_after
from tests.oracle import read_log as read_naively
from tests.strategies.logs import logs, random_log

Envelope = dict[str, Any]


def read(lines: list[str]) -> tuple[Log, Projector]:
    log = read_log([line.encode() for line in lines], lambda base: Projector.from_keyframe(base, 1))
    projector = Projector() if log.base is None else Projector.from_keyframe(log.base, 1)[0]
    for seq, event in enumerate(log.events, start=2):
        projector.apply(event, seq, Batch())
    return log, projector


def same_as_naive(lines: list[str]) -> tuple[Log, NaiveLog]:
    log, projector = read(lines)
    naive = read_naively("\n".join(lines).encode())
    assert [event.id for event in log.events] == [event["id"] for event in naive.events]
    assert (log.base is None, log.skipped) == (naive.base is None, naive.skipped)
    assert shown_nodes(projector.history.now, projector.judged_ns) == state_after(naive, len(naive.events))
    return log, naive


@settings(max_examples=40, deadline=None)
@given(logs(min_events=4, max_events=40), st.integers(1, 8))
def test_a_cut_log_gives_the_state_of_the_whole(log: list[Envelope], k: int) -> None:
    """E136: keyframes at the cuts, and events after them."""
    whole = log_of(log)
    read_back, _ = same_as_naive(cut(whole, k))
    _, projector = read(cut(whole, k))
    assert shown_nodes(projector.history.now, projector.judged_ns) == state_after(whole, len(whole.events))
    assert len(read_back.events) <= 2 * k


@settings(max_examples=40, deadline=None)
@given(logs(min_events=3, max_events=30), st.data())
def test_keyframe_lines_anywhere(log: list[Envelope], data: st.DataObject) -> None:
    """E129-E132: parts in any order, missing, repeated, late, as a restart, damaged: the same as the naive reading."""
    whole = log_of(log)
    stop = data.draw(st.integers(1, len(whole.events)))
    last = whole.events[stop - 1]
    state = json.dumps(keyframe_state(whole, stop)).encode()
    parts = list(keyframe.lines(state, last["id"], last["ts"], restart=data.draw(st.booleans())))
    if data.draw(st.booleans()):
        text = parts[0]["data"]["text"]
        middle = len(text) // 8 * 4
        halves = [text[:middle], text[middle:]]
        parts = [
            {**parts[0], "id": f"{last['id']}~{n:06d}", "data": {**parts[0]["data"], "part": n, "parts": 2, "text": half}}
            for n, half in enumerate(halves)
        ]
    damage = data.draw(st.sampled_from(["none", "none", "none", "part", "text", "parts", "null"]))
    if damage != "none":
        value: Any = {"part": 7, "text": "!", "parts": 9, "null": None}[damage]
        parts[-1]["data"]["part" if damage == "null" else damage] = value
    lines = [json.dumps(event) for event in log]
    for part in data.draw(st.permutations(parts)):
        lines.insert(data.draw(st.integers(0, len(lines))) if data.draw(st.booleans()) else 0, json.dumps(part))
    same_as_naive(lines)


def test_many_parts() -> None:
    """E127, E128: a text over 196,608 characters is cut into parts that fit together again."""
    state = json.dumps({"nodes": {}, "processes": {}, "requesters": {}, "ended": {}, "started": {}, "more": [*map(str, range(200_000))]})
    parts = list(keyframe.lines(state.encode(), "01A", "2027-03-04T09:00:00Z"))
    assert len(parts) > 1
    assert all(len(part["data"]["text"]) <= keyframe.PART_CHARACTERS for part in parts)
    log, _ = read([json.dumps(part) for part in reversed(parts)])
    assert log.base is not None
    assert log.base.state == state.encode()


def _packed(state: object) -> list[str]:
    return [json.dumps(part) for part in keyframe.lines(json.dumps(state).encode(), "01A", "2027-03-04T09:00:00Z")]


def _state(**changes: Any) -> dict[str, Any]:
    events = random_log(3, 30)
    return {**json.loads(json.dumps(keyframe_state(log_of(events), 30))), **changes}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: state.pop("started"),
        lambda state: state["processes"].update(p="nobody:here"),
        lambda state: state["requesters"].update(c=["nobody:here"]),
        lambda state: next(iter(state["nodes"].values())).update(id="another:one"),
        lambda state: next(iter(state["nodes"].values())).update(state="asleep"),
        lambda state: next(iter(state["nodes"].values())).pop("messages"),
        lambda state: next(iter(state["nodes"].values())).update(children=["nobody:here"]),
        lambda state: [node.update(parent="nobody:here") for node in state["nodes"].values()],
        lambda state: state.update(nodes=[]),
    ],
)
def test_states_that_do_not_add_up_are_refused(spoil: Any) -> None:
    """E130, E135: such a log has no keyframe, and its events apply from nothing."""
    state = _state()
    spoil(state)
    log, naive = same_as_naive([*_packed(state), *(json.dumps(event) for event in random_log(4, 5))])
    assert log.base is None
    assert naive.base is None


def test_parents_in_a_loop_are_refused() -> None:
    """E32: going up from any node must end; a state in which it does not is no state."""
    state = _state()
    first, second = (
        next(iter(state["nodes"].values())) | {"spawns": [], "waits": [], "id": ref, "kind": "session"} for ref in ("a:1", "a:2")
    )
    loop = {"a:1": first | {"parent": "a:2", "children": ["a:2"]}, "a:2": second | {"parent": "a:1", "children": ["a:1"]}}
    log, _ = read(_packed({"nodes": loop, "processes": {}, "requesters": {}, "ended": {}, "started": {}}))
    assert log.base is None


def test_a_bomb_is_refused_without_unpacking_it() -> None:
    """E130: what unpacks to more than 64 MiB is no keyframe, and is not unpacked further."""
    lines = [json.dumps(part) for part in keyframe.lines(b" " * (keyframe.MAX_UNPACKED_BYTES + 1), "01A", "2027-03-04T09:00:00Z")]
    log, _ = read(lines)
    assert log.base is None
