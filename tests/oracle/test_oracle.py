"""What must hold of any log, whatever is in it: a check of the oracle on itself, and of the generated logs."""

from __future__ import annotations

import random
from functools import partial
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle import Log, changes, cut, fold_with_rules, keyframe_state, read_log, roots_by_activity, state_after, tree_order
from tests.oracle.changes import compared
from tests.oracle.keyframes import adds_up, pack, world_json, world_of
from tests.oracle.times import readable, shown_ms
from tests.strategies.logs import log_bytes, logs, random_log

few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def read(events: list[dict[str, Any]]) -> Log:
    return read_log(log_bytes(events))


def final_state(log: Log) -> dict[str, Any]:
    return state_after(log, len(log.events))


@few
@given(logs(max_events=40))
def test_generated_logs_are_in_order(events: list[dict[str, Any]]) -> None:
    """E10: by default the n-th envelope of a generated log is its n-th event."""
    log = read(events)
    assert log.events == events
    assert log.skipped == 0


@few
@given(logs(max_events=40), st.randoms(use_true_random=False))
def test_line_order_does_not_matter(events: list[dict[str, Any]], source: random.Random) -> None:
    """E10, E12: a log's lines in any order give the same state."""
    log = read(events)
    mixed = list(events)
    source.shuffle(mixed)
    assert final_state(read(mixed)) == final_state(log)


@few
@given(logs(max_events=40, malformed=True))
def test_repeated_lines_do_not_matter(events: list[dict[str, Any]]) -> None:
    """E2, E9: lines sent again change nothing but the count of skipped lines."""
    once, twice = read(events), read(events + events[::-1])
    assert final_state(twice) == final_state(once)
    assert twice.skipped == 2 * once.skipped


@few
@given(logs(max_events=40), st.integers(1, 15))
def test_a_cut_log_gives_the_same_state(events: list[dict[str, Any]], k: int) -> None:
    """E136: and so does the cut of a cut, which starts from a keyframe."""
    log = read(events)
    shorter = read_log("\n".join(cut(log, k)).encode())
    again = read_log("\n".join(cut(shorter, k)).encode())
    assert (shorter.base is not None) == (len(events) // k >= 2)
    n = len(shorter.events)
    assert n == len(events) if shorter.base is None else k <= n < 2 * k
    moment = log.moment(len(log.events))
    assert state_after(shorter, n, moment) == final_state(log)
    assert state_after(again, len(again.events), moment) == final_state(log)
    assert keyframe_state(again, len(again.events)) == keyframe_state(log, len(log.events))


@few
@given(logs(max_events=40), st.integers(1, 500), st.booleans())
def test_a_keyframe_round_trip(events: list[dict[str, Any]], part_length: int, restart: bool) -> None:
    """E127, E128, E130, E134, E135: a state is the same after it was packed, cut in parts and read again."""
    log = read(events)
    n = len(log.events)
    state = keyframe_state(log, n)
    parts = pack(state, events[-1]["ts"], events[-1]["id"], part_length=part_length, restart=restart)
    before = [{**events[0], "id": "another", "node": "acme:forgotten"}] if restart else []
    if len(parts) > 2_048:
        return
    reread = read(before + parts)
    assert adds_up(state)
    assert reread.base == state
    assert world_json(world_of(reread.base)) == state
    assert state_after(reread, 0) == final_state(log)


def known(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


@few
@given(logs(max_events=30))
def test_changes_lead_from_one_state_to_the_next(events: list[dict[str, Any]]) -> None:
    """E137, R62-R66: the changes applied to the state before give the state after."""
    log = read(events)
    state: dict[str, dict[str, Any]] = {}
    for n in range(1, len(log.events) + 1):
        for change in changes(log, n):
            assert change["created"] == (change["ref"] not in state)
            members = state.setdefault(change["ref"], {})
            for name, moved in change["fields"].items():
                assert members.get(name) == moved["from"] != moved["to"]
                members[name] = moved["to"]
        shown = {ref: known(compared(node)) for ref, node in state_after(log, n).items()}
        assert {ref: known(members) for ref, members in state.items()} == shown


def is_deeper(node: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(other["depth"] > node["depth"])


@few
@given(logs(max_events=40))
def test_the_tree_is_a_tree(events: list[dict[str, Any]]) -> None:
    """E32, E34, E121, E124: every node stands in the tree once, below its root, with what is below it counted."""
    log = read(events)
    state = final_state(log)
    order = tree_order(state)
    assert sorted(order) == sorted(state)
    for ref, node in state.items():
        assert all(state[child]["parent"] == ref for child in node["children"])
        after = [state[each] for each in order[order.index(ref) + 1 :]]
        below = list(takewhile(partial(is_deeper, node), after))
        assert len(below) == node["descendant_count"]
        assert all(each["root"] == node["root"] for each in below)
        assert (node["parent"] is None) == (node["root"] == ref) == (node["depth"] == 0)
    assert sorted(roots_by_activity(log, len(log.events))) == sorted(ref for ref in state if state[ref]["parent"] is None)


@few
@given(logs(max_events=60))
def test_bindings_agree(events: list[dict[str, Any]]) -> None:
    """E89, E93, E95: a bound node is the child of the request it is bound to and sits below the requester, unless a call that
    nobody made named it (E88); a spawn wait points where its request does (E97)."""
    state = final_state(read(events))
    for ref, node in state.items():
        if node["spawn_call_id"] is not None:
            asked = [spawn for spawn in state[node["requested_by"]]["spawns"] if spawn["call_id"] == node["spawn_call_id"]]
            assert [spawn["child"] for spawn in asked] == [ref]
        children = {spawn["call_id"]: spawn["child"] for spawn in node["spawns"]}
        assert all(wait["on"] == children[wait["id"]] for wait in node["waits"] if wait["kind"] == "spawn")


def test_generated_logs_meet_every_rule() -> None:
    """Fifty generated logs exercise each of E17-E122 (E21 aside: they hold no keyframes)."""
    met = set().union(*(fold_with_rules(read(random_log(seed, 80))) for seed in range(50)))
    assert [rule for rule in range(17, 123) if rule not in met] == [21]


def test_random_logs_are_what_they_say() -> None:
    """The same seed gives the same log; the options add what they promise."""
    plain = random_log(7, 150)
    assert plain == random_log(7, 150)
    assert len(read(plain).events) == len(plain) == 150
    spoilt = read(random_log(7, 150, shuffled=True, duplicates=True, malformed=True))
    assert spoilt.skipped > 0
    assert {event["id"] for event in spoilt.events} == {event["id"] for event in plain}


@pytest.mark.parametrize(
    ("ts", "nanoseconds", "milliseconds"),
    [
        ("1970-01-01T00:00:01.5Z", 1_500_000_000, 1_500),
        ("1970-01-01 00:00:01", 1_000_000_000, 1_000),
        ("1970-01-01T00:00:01.+00:00", 1_000_000_000, 1_000),
        ("1970-01-01T00:00:00.1234567899Z", 123_456_789, 123),
        ("1970-01-01T00:00:60Z", 59_000_000_000, 59_000),
        ("1970-01-01T01:00:00+01:00", None, 0),
        ("1970-01-01T00:00:00-00:30", None, 1_800_000),
        ("1969-12-31T23:59:59.5Z", None, -500),
        ("1970-01-01T00:00:00+0000", None, None),
        ("1970-02-29T00:00:00Z", None, None),
        ("1970-01-01T24:00:00Z", None, None),
        ("1970-01-01T00:00:61Z", None, None),
        ("1970-01-01T00:00:0١Z", None, None),
        ("1970-01-01T00:00Z", None, None),
        ("", None, None),
    ],
)
def test_times(ts: str, nanoseconds: int | None, milliseconds: int | None) -> None:
    """E11, E123: which times the rules read, and which can be shown."""
    assert readable(ts) == nanoseconds
    assert shown_ms(ts) == milliseconds
