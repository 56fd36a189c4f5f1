"""The live demo's schedule: most of the log just happened, the rest plays, and it goes on for ever."""

from itertools import islice, pairwise

import pytest

from app.demo.fleet import fleet
from app.demo.replay import replay, still_at_work
from app.demo.stamps import unix_ms
from tests.demo.logs import assert_in_contract, last_state

NOW = 1_900_000_000_000


@pytest.fixture(scope="module")
def played() -> list[tuple[int, dict]]:
    return list(islice(replay(fleet(2_000), NOW), 4_000))


def test_nine_tenths_have_happened_and_the_rest_is_to_come(played: list[tuple[int, dict]]) -> None:
    log = [event for event in fleet(2_000) if event["type"] != "keyframe"]
    settled = int(len(log) * 0.9)
    assert played[settled - 1][0] == NOW
    assert played[settled][0] >= NOW
    for (at, event), original in zip(played, log, strict=False):
        assert {**original, "id": event["id"], "ts": event["ts"]} == event
        if at <= NOW:
            assert NOW - at == unix_ms(log[settled - 1]["ts"]) - unix_ms(original["ts"])


def test_times_and_ids_are_new_and_in_order(played: list[tuple[int, dict]]) -> None:
    """E4, E10: each event carries the time it is due at."""
    for at, event in played:
        assert unix_ms(event["ts"]) == at
        assert_in_contract(event)
    for (_, before), (_, after) in pairwise(played):
        assert before["id"] < after["id"]


def test_it_goes_on_calmly(played: list[tuple[int, dict]]) -> None:
    """One to three events a second once the log is over; no pause above three seconds before."""
    log_length = sum(event["type"] != "keyframe" for event in fleet(2_000))
    pauses = [after - before for (before, _), (after, _) in pairwise(played)]
    assert max(pauses[int(log_length * 0.9) :]) <= 3_000
    assert all(333 <= pause <= 1_000 for pause in pauses[log_length:])
    assert len({event["node"].partition("/")[0] for _, event in played[log_length:]}) >= 6


def test_sessions_at_work_go_on_without_starting_again(played: list[tuple[int, dict]]) -> None:
    log = [event for event in fleet(2_000) if event["type"] != "keyframe"]
    going_on = still_at_work(log)
    assert going_on
    first = {}
    for _, event in played[len(log) :]:
        first.setdefault(event["node"], event["type"])
    assert {first[ref] for ref in going_on if ref in first} <= {"status"}
    state = last_state(log)
    assert all(state[ref]["state"] in ("working", "idle") for ref in going_on)


def test_the_same_log_and_now_give_the_same_schedule(played: list[tuple[int, dict]]) -> None:
    assert list(islice(replay(fleet(2_000), NOW), 4_000)) == played


@pytest.mark.parametrize("past", [0.0, 1.0])
def test_all_or_nothing_may_be_past(past: float) -> None:
    at = [at for at, _ in islice(replay(fleet(100), NOW, past=past), 100)]
    assert at[-1 if past else 0] == NOW
