"""Interval slots: a span is found from every place in it, by one slot, and from no other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.store.intervals import fork, probes, slots

places = st.one_of(st.integers(1, 300), st.integers(1, 2**40))


@given(places, places, places, st.integers(0, 2**20))
def test_a_span_is_found_exactly_from_the_places_that_it_holds(one: int, other: int, seq: int, room: int) -> None:
    """Slots: a span that holds `seq` has exactly one of its probes (with the rest of the condition), one that does not has none."""
    since, until = sorted((one, other + (one == other)))
    right, left = slots(since, until)
    to_the_right, to_the_left = probes(seq, max(until, seq) + room)
    hits = to_the_right.count(right) * (until > seq) + to_the_left.count(left) * (since <= seq)
    assert hits == (since <= seq < until)


@given(places, places)
def test_the_fork_is_the_point_with_most_trailing_zeros(one: int, length: int) -> None:
    """Slots: of all points in the span, none has more trailing zeros than its fork."""
    since, until = one, one + min(length, 500)
    assert fork(since, until) == max(range(since, until), key=lambda point: (point & -point, -point))


@given(places)
def test_probes_are_few(seq: int) -> None:
    """Slots: the number of probes grows with the logarithm of history only."""
    to_the_right, to_the_left = probes(seq, 2 * seq)
    assert len(set(to_the_right)) == len(to_the_right)
    assert len(to_the_right) + len(to_the_left) <= (2 * seq).bit_length() ** 2
