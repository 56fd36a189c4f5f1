"""What stands in a node's way, held against walks taken afresh after every event (E109, E116-E119)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.demo.adversarial import chain, mutual_waiters
from app.domain.envelope import parse_object
from app.domain.history import Batch
from app.domain.keyframe import Keyframe
from app.domain.projector import Projector, blocked, walks
from app.domain.projector.state import Node
from tests.domain.logs import STEP
from tests.domain.shown import shown_nodes

Shown = dict[str, dict[str, Any]]
Step = tuple[str, str, str | None, dict[str, Any]]
"""Type, node, parent and data of an event."""

SESSIONS = tuple(f"acme:{name}" for name in ("pine", "oak", "elm"))
NODES = (*SESSIONS, *(f"{session}/{below}" for session in SESSIONS for below in ("a", "b", "a/c", "a/c/d")))
AGENTS = NODES[len(SESSIONS) :]
IDS = ("w1", "w2", "w3")
STATES = ("working", "working", "idle", "input_required", "completed", "failed")


def steps() -> st.SearchStrategy[Step]:
    """Mostly waits, of a few nodes on each other; nodes that move, finish and come back, and take up tasks."""
    node, agent, session, id = st.sampled_from(NODES), st.sampled_from(AGENTS), st.sampled_from(SESSIONS), st.sampled_from(IDS)

    def step(kind: str, about: st.SearchStrategy[str], parent: st.SearchStrategy[str | None] | None = None, /, **data: Any) -> Any:
        return st.tuples(st.just(kind), about, st.none() if parent is None else parent, st.fixed_dictionaries(data))

    task = step("task.upserted", node, id=id, text=st.just("t"), status=st.sampled_from(("pending", "in_progress", "completed")))
    wait = step("wait.started", node, wait_id=id, on=node)
    return st.one_of(
        wait,
        wait,
        wait,
        wait,
        step("wait.ended", node, wait_id=id),
        task,
        task,
        step("status", node, state=st.sampled_from(STATES)),
        step("activity", node, node, tool=st.just("Read")),
        step("spawn.requested", node, call_id=id, kind=st.sampled_from(("agent", "session"))),
        step("agent.spawned", agent, st.none() | node, call_id=st.none() | id),
        step("agent.finished", agent),
        step("spawn.returned", node, call_id=id, child=st.none() | node),
        step("session.started", session, st.none() | session),
        step("session.ended", session),
    )


def events_of(log: list[Step]) -> list[Any]:
    events = []
    for n, (kind, node, parent, data) in enumerate(log):
        when = {"v": 1, "id": f"{n:026}", "ts": f"2027-03-04T09:{n // 60:02}:{n % 60:02}.000Z"}
        events.append(parse_object({**when, "type": kind, "node": node, "parent": parent, "data": data}))
    return events


def walked(nodes: Shown, ref: str) -> dict[str, Any] | None:
    """`blocked` of a node by the letter of E116-E119."""

    def finished(one: str) -> bool:
        return one in nodes and nodes[one]["state"] in ("completed", "failed", "canceled")

    def counting(one: str) -> list[str | None]:
        return [wait["on"] for wait in nodes[one]["waits"] if wait["open"] and not (wait["on"] is not None and finished(wait["on"]))]

    waits = counting(ref)
    if finished(ref) or not waits:
        return None
    on = [target for target in waits if target is not None]
    queue, met, cycle = list(on), [], False
    while queue:
        at = queue.pop(0)
        if at == ref:
            cycle = True
        elif at not in met:
            met.append(at)
            if at in nodes:
                queue += nodes[at]["children"]
                if not finished(at):
                    queue += [target for target in counting(at) if target is not None]
    there = [at for at in met if at in nodes]
    open_tasks = sum(nodes[at]["task_counts"]["open"] for at in there)
    node_count = sum(not finished(at) for at in there)
    return {"on": on, "starting": len(waits) - len(on), "node_count": node_count, "open_tasks": open_tasks, "cycle": cycle}


def assert_as_walked(projector: Projector) -> None:
    nodes = shown_nodes(projector.history.now, 0)
    assert {ref: node["blocked"] for ref, node in nodes.items()} == {ref: walked(nodes, ref) for ref in nodes}


MOVED_WHERE_IT_WAS_MET: list[Step] = [
    ("agent.spawned", "acme:oak/a/c", "acme:pine/a/c", {}),
    ("agent.spawned", "acme:oak/a/c/d", None, {}),
    ("wait.started", "acme:oak", None, {"wait_id": "w1", "on": "acme:pine"}),
    ("spawn.requested", "acme:oak", None, {"call_id": "w1"}),
    ("agent.spawned", "acme:oak/a/c/d", None, {}),
]
"""A waiter that met an agent far below what it waits on is bound to it: it comes to wait on the agent itself, which moves under it."""

MET_BY_TWO_WAYS_UP: list[Step] = [
    ("wait.started", "acme:elm/a/c", None, {"wait_id": "w1", "on": "acme:oak/a/c"}),
    ("wait.started", "acme:oak/b", None, {"wait_id": "w1", "on": "acme:oak"}),
    ("wait.started", "acme:elm/a", None, {"wait_id": "w1", "on": "acme:oak/b"}),
    ("task.upserted", "acme:oak/a/c/d", None, {"id": "w1", "text": "t", "status": "in_progress"}),
]
"""From the task, the way back to `elm/a` leads over `elm/a/c` below it, and over `oak/b`: only the second is a wait of its own."""

LOOP_WITH_NODES_BELOW: list[Step] = [
    ("wait.started", "acme:oak/a/c/d", None, {"wait_id": "w1", "on": "acme:elm/a/c/d"}),
    ("wait.started", "acme:oak", None, {"wait_id": "w1", "on": "acme:pine/a/c"}),
    ("wait.started", "acme:pine/a/c", None, {"wait_id": "w1", "on": "acme:oak/a/c/d"}),
    ("wait.started", "acme:elm/a/c", None, {"wait_id": "w1", "on": "acme:oak/a/c"}),
    ("wait.started", "acme:oak/b", None, {"wait_id": "w1", "on": "acme:oak"}),
    ("wait.started", "acme:elm/a/c/d", None, {"wait_id": "w1", "on": "acme:oak/b"}),
]
"""`oak` stands on a loop, and some of the nodes below it are to be reached through it alone: its own walk does not meet them."""

ON_ITSELF: list[Step] = [
    ("spawn.requested", "acme:pine", None, {"call_id": "w2"}),
    ("wait.started", "acme:pine", None, {"wait_id": "w1", "on": "acme:pine"}),
    ("wait.ended", "acme:pine", None, {"wait_id": "w1"}),
    ("wait.started", "acme:elm", None, {"wait_id": "w1", "on": "acme:elm"}),
    ("wait.started", "acme:elm/a", None, {"wait_id": "w1", "on": "acme:oak/a/c"}),
    ("wait.started", "acme:oak/a/c/d", None, {"wait_id": "w1", "on": "acme:pine/a"}),
]
"""`pine` waits on itself, then no longer, and is blocked still. `elm` does too: what is below it, or waited for there, is not met."""


@pytest.mark.parametrize(("few", "many"), [(0, 1_000), (0, 2), (3, 1_000)])
@pytest.mark.parametrize("most_searches", [0, 16])
@settings(max_examples=100, deadline=None)
@given(log=st.lists(steps(), min_size=1, max_size=60))
@example(log=MOVED_WHERE_IT_WAS_MET)
@example(log=MET_BY_TWO_WAYS_UP)
@example(log=LOOP_WITH_NODES_BELOW)
@example(log=ON_ITSELF)
def test_after_every_event_it_is_what_a_walk_comes_to(few: int, many: int, most_searches: int, log: list[Step]) -> None:
    """E116-E119, whether what an event changed is searched for or walked anew, and walked one by one or together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walks, "_FEW", few)
        patch.setattr(walks, "_MANY", many)
        patch.setattr(blocked, "_MOST_SEARCHES", most_searches)
        projector = Projector()
        for n, event in enumerate(events_of(log), start=1):
            projector.apply(event, n * STEP, Batch())
            assert_as_walked(projector)


@settings(max_examples=50, deadline=None)
@given(log=st.lists(steps(), min_size=1, max_size=60))
def test_a_state_taken_up_stands_in_the_way_as_before(log: list[Step]) -> None:
    """E116-E119, E133: what is derived is worked out again."""
    events, before = events_of(log), Projector()
    for n, event in enumerate(events, start=1):
        before.apply(event, n * STEP, Batch())
    after, _ = Projector.from_keyframe(Keyframe(before.state(), events[-1].ts, events[-1].time_ns), 1)
    assert_as_walked(after)


def walked_anew(log: Any, patch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Type of each event, and for how many nodes it had to take the walk again."""
    found: list[Node] = []
    patch.setattr(blocked, "walks", lambda starts: found.extend(starts) or walks.walks(starts))
    projector, counts = Projector(), []
    for n, event in enumerate(map(parse_object, log), start=1):
        found.clear()
        projector.apply(event, n * STEP, Batch())
        counts.append((event.type, len(found)))
    assert_as_walked(projector)
    return counts


def test_a_ring_that_stays_closed_is_not_walked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """E140: a wait that comes or goes where the ring is closed without it changes no walk, but perhaps of the two that it is between."""
    log = list(mutual_waiters(60, 900))
    assert sum(number for _, number in walked_anew(log, monkeypatch)[180:]) <= 2 * len(log[180:])


def test_a_chain_is_not_walked_when_its_last_link_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """E140: helpers that come and go at the bottom of sixty links add to what the links meet, or take from it."""
    assert all(number <= 1 for _, number in walked_anew(chain(60, 1_000), monkeypatch))
