"""The demo fleet's logs: the same each time, as many lines as asked, within the contract, in order, in little memory."""

import tracemalloc
from collections import Counter
from itertools import islice, pairwise

import pytest

from app.demo.fleet import ALL_RULES_FROM, fleet
from app.demo.stamps import unix_ms
from tests.demo.logs import assert_in_contract, last_state, line, read
from tests.oracle import keyframe_state
from tests.oracle.keyframes import unpack
from tests.oracle.payloads import read_data

SIZES = (100, 101, 250, 999, 1_000, 1_001, 2_000, 12_345)


def test_the_same_arguments_give_the_same_bytes() -> None:
    def text(seed: int) -> bytes:
        return b"".join(map(line, fleet(3_000, seed)))

    assert text(5) == text(5)
    assert text(5) != text(6)


@pytest.mark.parametrize("events", SIZES)
def test_as_many_lines_as_asked_in_the_contract_and_in_order(events: int) -> None:
    """E4, E10, E138: every line within the published contract and 4 KB; ids increase strictly, times never go back."""
    log = list(fleet(events, seed=3))
    assert len(log) == events
    for event in log:
        assert_in_contract(event)
    for before, after in pairwise(log):
        assert before["id"] < after["id"]
        assert unix_ms(before["ts"]) <= unix_ms(after["ts"])


@pytest.mark.parametrize("events", [0, 99, 1_000_001])
def test_other_lengths_are_refused_at_once(events: int) -> None:
    with pytest.raises(ValueError, match="100 to 1000000"):
        fleet(events)


def test_too_few_nodes_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="at least"):
        fleet(1_000, nodes=5)


@pytest.mark.parametrize(("events", "nodes"), [(500, 40), (3_000, 60), (3_000, 300), (20_000, 200), (20_000, 1_400)])
def test_no_more_nodes_than_asked_and_nearly_as_many(events: int, nodes: int) -> None:
    """`nodes` bounds the distinct nodes of the last state, which hold all there ever were."""
    count = len(last_state(fleet(events, nodes=nodes)))
    assert nodes * 0.7 < count <= nodes


def test_data_is_readable_but_where_a_scene_means_it() -> None:
    """E6: one status is of an unknown state on purpose."""
    unreadable = [event for event in fleet(5_000) if event["type"] != "keyframe" and read_data(event) is None]
    known = [event for event in unreadable if event["type"] == "status"]
    assert [event["data"] for event in known] == [{"state": "puzzled"}]
    assert {event["type"] for event in unreadable} == {"status", "unknown", "weather.changed", "tool.heartbeat"}


def test_the_keyframe_is_true() -> None:
    """E127, E134: it holds the state after the log's first event, and is only in logs that have the odd scenes."""
    log = list(fleet(ALL_RULES_FROM))
    keyframes = [event for event in log if event["type"] == "keyframe"]
    assert keyframes == [log[1]]
    assert {**(unpack([read_data(log[1])]) or {}), "unpaired_runs": None} == keyframe_state(read(log), 1)
    assert all(event["type"] != "keyframe" for event in fleet(ALL_RULES_FROM - 1))
    assert all(event["type"] != "keyframe" for event in fleet(ALL_RULES_FROM, keyframe=False))


def test_calls_repeat_across_sessions_and_every_kind_of_event_occurs() -> None:
    """E8, E86."""
    log = list(fleet(3_000))
    makers: dict[str, set[str]] = {}
    for event in log:
        if event["type"] == "spawn.requested":
            makers.setdefault(event["data"]["call_id"], set()).add(event["node"].partition("/")[0])
    assert max(map(len, makers.values())) > 3
    kinds = Counter(event["type"] for event in log)
    assert set(kinds) >= {
        "session.started", "session.ended", "agent.spawned", "agent.finished", "status", "tasks.updated", "task.upserted", "task.deleted",
        "spawn.requested", "spawn.returned", "wait.started", "wait.ended", "message.sent", "activity", "unknown",
    }  # fmt: skip
    assert {event["node"].partition(":")[0] for event in log} >= {"claude-code", "codex", "cursor", "run"}


def test_a_long_log_is_never_held() -> None:
    """Memory holds the live scenes only: the beginning of a log of a million events takes no more than that of a short one."""

    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            for _ in islice(fleet(1_000_000, keyframe=False), count):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(30_000) < peak(3_000) + 1_000_000
