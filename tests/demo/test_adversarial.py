"""The logs made to be hard: as deep, as many and as long as they say."""

import pytest

from app.demo.adversarial import chain, flat_nodes, hot_session, mutual_waiters, tree_nodes
from tests.demo.logs import assert_in_contract, last_state


@pytest.mark.parametrize(
    ("log", "count"),
    [(chain(events=3_000), 3_000), (mutual_waiters(events=6_000), 6_000), (hot_session(5_000), 5_000), (mutual_waiters(7, 900), 900)],
)
def test_as_many_events_as_asked_within_the_contract(log, count: int) -> None:
    """E4, E10, E138."""
    last, seen = "", 0
    for event in log:
        assert_in_contract(event)
        assert event["id"] > last
        last, seen = event["id"], seen + 1
    assert seen == count


def test_a_chain_hangs_by_its_levels_and_moves_at_the_bottom() -> None:
    """E89, E118: every link waits on the next, and sees what is open at the bottom."""
    state = last_state(chain(levels=60, events=400))
    assert state["claude-code:chain/link-60"]["depth"] == 60
    assert state["claude-code:chain"]["blocked"]["node_count"] >= 60
    assert state["claude-code:chain"]["blocked"]["open_tasks"] > 0
    assert state["claude-code:chain/link-60"]["task_counts"]["total"] > 10


@pytest.mark.parametrize("n", [40, 41])
def test_all_waiters_stand_in_a_loop(n: int) -> None:
    """E119: the ring alone sees to that, whatever happens to the pairs."""
    state = last_state(mutual_waiters(n, events=8 * n))
    assert len(state) == n
    assert all(node["blocked"]["cycle"] for node in state.values())


def test_a_hot_session_has_everything_on_one_node() -> None:
    state = last_state(hot_session(4_000))
    session = state["claude-code:hot"]
    assert len(state) == 25
    assert all(len(session[part]) > 400 for part in ("spawns", "waits", "messages", "tasks"))


@pytest.mark.parametrize(("n", "levels"), [(2, 2), (500, 2), (4, 4), (5, 4), (100, 4), (341, 5), (777, 4)])
def test_trees_have_exactly_their_nodes_levels_and_texts(n: int, levels: int) -> None:
    state = last_state(flat_nodes(n) if levels == 2 else tree_nodes(n, levels))
    assert len(state) == n
    assert max(node["depth"] for node in state.values()) == levels - 1
    assert max(node["child_count"] for node in state.values()) <= (n if levels == 2 else n ** (1 / (levels - 1)) + 1)
    for node in state.values():
        filled = ["cwd", "title", "summary"] + ["purpose", "agent_type", "spawn_call_id"] * (node["kind"] == "agent")
        assert all(node[field] for field in filled)
        assert len(node["tasks"]) == 4


def test_a_tree_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="no tree"):
        tree_nodes(3, levels=4)
