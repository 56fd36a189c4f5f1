"""Walks over a snapshot's edges against their definitions (M15, M18)."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from app.graphql.rho.walks import neighbours, reached, shortest_cycle

IDS = "abcdef"
PAIRS = st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)), max_size=14)


@given(PAIRS, st.sampled_from(IDS))
def test_the_shortest_loop_through_a_node(pairs: list[tuple[str, str]], start: str) -> None:
    """M18: none is shorter; it follows the edges, goes through the node, and begins with its smallest id."""
    edges = set(pairs)
    loops = [
        (start, *others)
        for number in range(len(IDS))
        for others in permutations([id for id in IDS if id != start], number)
        if {*zip((start, *others), (*others, start), strict=True)} <= edges
    ]
    found = shortest_cycle(start, neighbours(pairs))
    assert (found is None) == (not loops)
    if found is not None:
        assert len(found) == min(map(len, loops))
        assert start in found
        assert found[0] == min(found)
        assert {*zip(found, [*found[1:], found[0]], strict=True)} <= edges


@given(PAIRS, st.sampled_from(IDS), st.integers(1, 4))
def test_what_is_within_so_many_levels(pairs: list[tuple[str, str]], start: str, levels: int) -> None:
    """M15: in at most so many steps, whatever loops there are; the node itself is not above or below itself."""
    rings = [{start}]
    for _ in range(levels):
        rings.append({target for source, target in pairs if source in rings[-1]})
    assert reached(start, neighbours(pairs), levels) == set().union(*rings[1:]) - {start}
