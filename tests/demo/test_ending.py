"""A demo log's last state has something of everything in it."""

import pytest

from app.demo.fleet import fleet
from tests.demo.logs import last_state, read
from tests.oracle.shown import Shown


@pytest.fixture(scope="module", params=[100, 1_500, 20_000])
def state(request: pytest.FixtureRequest) -> dict[str, Shown]:
    return last_state(fleet(request.param, seed=9))


def _of(state: dict[str, Shown], topic: str) -> list[Shown]:
    return [node for ref, node in state.items() if f":{topic}-" in ref]


def test_live_sessions_with_agents_three_levels_deep(state: dict[str, Shown]) -> None:
    """E33, E124."""
    assert sum(node["kind"] == "session" and node["state"] == "working" for node in state.values()) >= 5
    assert any(node["kind"] == "agent" and node["state"] == "working" and node["depth"] == 3 for node in state.values())


def test_somebody_waits_on_somebody_and_two_loops_stand(state: dict[str, Shown]) -> None:
    """E116–E119: through an agent, and three in a ring."""
    blocked = [node["blocked"] for node in state.values() if node["blocked"]]
    assert any(not each["cycle"] and each["node_count"] > 1 and each["open_tasks"] for each in blocked)
    assert any(each["starting"] for each in blocked)
    assert [node["blocked"]["cycle"] for node in _of(state, "ring")] == [True] * 3
    assert [node["blocked"]["cycle"] for node in _of(state, "gate")] == [True]
    assert any(node["state"] == "idle" and node["blocked"] for node in _of(state, "crossroads"))


def test_an_approval_is_pending_and_a_question_asked(state: dict[str, Shown]) -> None:
    """E113: the approval is shown, not stored; E75: the question is."""
    approval, question = _of(state, "drawbridge")[0], _of(state, "compass")[0]
    assert (approval["state"], approval["attention"]) == ("input_required", "May be waiting for your approval to run a command")
    assert (question["state"], question["attention"]) == ("input_required", "Keep the old templates?")


def test_one_is_stale_and_those_that_wait_or_ask_are_not(state: dict[str, Shown]) -> None:
    """E114, E115."""
    assert [node["stale"] for topic in ("overnight", "unattended", "patient") for node in _of(state, topic)] == [True, False, False]


def test_one_failed(state: dict[str, Shown]) -> None:
    """E52, E112, E116."""
    failed = _of(state, "landslide")[0]
    assert (failed["state"], failed["headline"], failed["blocked"]) == ("failed", "The disk is full", None)


def test_the_approval_is_ten_seconds_old_at_the_last_event() -> None:
    """E113, E14: it shows at the log's own last moment."""
    log = read(fleet(100))
    asked = [n for n, event in enumerate(log.events, 1) if event["data"].get("may_ask")][-1]
    assert log.moment(len(log.events)) - log.moment(asked) >= 10 * 10**9
