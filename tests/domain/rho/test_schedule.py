"""Waves and runnable tasks of generated lists, against their definition (G61-G71)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.rho.problems import Refused
from app.domain.rho.schedule import read_tasks, ready_work, schedule
from tests.strategies.rho import task_lists

Fields = dict[str, Any]


def blockers(tasks: list[Fields]) -> dict[str, set[str]]:
    return {task["id"]: {each["targetId"] for each in task["dependencies"] if each["type"] == "blocks"} for task in tasks}


def longest(id: str, found: dict[str, set[str]]) -> int:
    return 1 + max((longest(blocker, found) for blocker in found[id]), default=0)


@given(task_lists(acyclic=True))
def test_a_wave_is_one_more_than_the_longest_chain_beneath_it(tasks: list[Fields]) -> None:
    """G67, G68: every task stands once, after all that blocks it, as early as it can, by id within its wave."""
    made = schedule(read_tasks(tasks))
    found = blockers(tasks)
    assert {id: n for n, wave in enumerate(made.waves, start=1) for id in wave} == {id: longest(id, found) for id in found}
    assert all(list(wave) == sorted(wave, key=str.encode) for wave in made.waves)
    assert made.unique_blocking_edges == sum(map(len, found.values()))


@given(task_lists(acyclic=True), st.data())
def test_ready_is_what_is_pending_with_every_blocker_completed(tasks: list[Fields], data: st.DataObject) -> None:
    """G69, G70: and the order of the list does not matter."""
    status = {task["id"]: task["status"] for task in tasks}
    found = blockers(tasks)
    expected = [id for id in sorted(found) if status[id] == "pending" and all(status[each] == "completed" for each in found[id])]
    made = schedule(read_tasks(tasks))
    assert list(made.ready) == expected
    assert schedule(read_tasks(data.draw(st.permutations(tasks)))) == made


@given(task_lists())
def test_a_circle_is_refused_and_named(tasks: list[Fields]) -> None:
    """G63, G71: the tasks named wait for each other in a ring, smallest id first; without a ring there are waves."""
    found = blockers(tasks)
    try:
        made = schedule(read_tasks(tasks))
    except Refused as refused:
        ring = refused.cycle
        assert refused.kind == "cycle"
        assert ring[0] == min(ring)
        assert len(set(ring)) == len(ring) >= 2
        assert all(after in found[id] for id, after in zip(ring, (*ring[1:], ring[0]), strict=True))
        assert ready_work(read_tasks(tasks)) == ()
    else:
        place = {id: n for n, wave in enumerate(made.waves) for id in wave}
        assert all(place[blocker] < place[id] for id in found for blocker in found[id])


@pytest.mark.parametrize(
    ("tasks", "path"),
    [
        (None, "tasks"),
        ({}, "tasks"),
        ([1], "tasks[0]"),
        ([{"id": 1, "status": "pending"}], "tasks[0].id"),
        ([{"id": "a", "status": "pending", "dependencies": {}}], "tasks[0].dependencies"),
        ([{"id": "a", "status": "pending", "dependencies": ["b"]}], "tasks[0].dependencies[0]"),
        ([{"id": "a", "status": "pending", "dependencies": [{"type": "blocks"}]}], "tasks[0].dependencies[0].targetId"),
    ],
)
def test_what_is_no_list_of_tasks(tasks: Any, path: str) -> None:
    """Section H: the shape of a task."""
    with pytest.raises(Refused) as caught:
        read_tasks(tasks)
    assert caught.value.path == path


def test_odd_but_clear_lists() -> None:
    """Section H: no dependencies may be told by leaving them out or by null; ids may have white space at their ends."""
    tasks = [
        {"id": "a ", "status": "completed"},
        {"id": "b", "status": "pending", "dependencies": [{"targetId": "a ", "type": "blocks"}]},
        {"id": "c", "status": "pending", "dependencies": None},
    ]
    made = schedule(read_tasks(tasks))
    assert made.waves == (("a ", "c"), ("b",))
    assert made.ready == ("b", "c")
