"""When tasks came about and last changed, against the list as it was at every event (M25, M27, E81-E83)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.rho.task_times import TaskPlaces, TaskSpan, task_places

Task = tuple[str, str]
"""An id and what the task says."""


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y"])), max_size=3, unique_by=lambda task: task[0]), max_size=8
    )
)
def test_places_in_the_list_do_not_matter(lists: list[list[Task]]) -> None:
    """A task that only moves has not changed; one that comes back is the one that was there before."""
    spans, held = [], dict[int, Task]()
    created, changed, said = dict[str, int](), dict[str, int](), dict[str, str]()
    for seq, tasks in enumerate(lists, start=1):
        for position in {*range(len(tasks)), *held}:
            task = tasks[position] if position < len(tasks) else None
            if task is not None and held.get(position) != task:
                spans.append(TaskSpan("s", task[0], seq, (task[1],)))
        held = dict(enumerate(tasks))
        for id, text in tasks:
            created.setdefault(id, seq)
            if said.get(id) != text:
                changed[id], said[id] = seq, text
    assert task_places(reversed(spans)) == {("s", id): TaskPlaces(created[id], changed[id]) for id in created}
