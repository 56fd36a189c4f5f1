"""Pages (Q14-Q17): put together they are the list, and their flags are exact, whatever the size and direction."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.problems import BadUserInput
from app.services.lists import MOST, PAGE, Ask, cut, places

LISTS = st.lists(st.integers(0, 1_000), unique=True, max_size=40).map(sorted)


@given(LISTS, st.integers(1, 7))
def test_pages_forward_are_the_list(keys: list[int], size: int) -> None:
    """Q17, forward: following end cursors until there is no next page gives every row once, in order."""
    found: list[int] = []
    after = None
    while True:
        page = cut(keys, Ask(size), *places(keys, after, None))
        assert page.has_previous is bool(found)
        found += page.rows
        if not page.has_next:
            break
        after = page.rows[-1]
    assert found == keys


@given(LISTS, st.integers(1, 7))
def test_pages_backward_are_the_list(keys: list[int], size: int) -> None:
    """Q17, backward: each page is in the list's own order."""
    found: list[int] = []
    before = None
    while True:
        page = cut(keys, Ask(size, backward=True), *places(keys, None, before))
        assert page.has_next is bool(found)
        found = [*page.rows, *found]
        if not page.has_previous:
            break
        before = page.rows[0]
    assert found == keys


@given(LISTS, st.integers(0, 9), st.booleans(), st.none() | st.integers(0, 1_000), st.none() | st.integers(0, 1_000))
def test_flags_are_exact(keys: list[int], size: int, backward: bool, after: int | None, before: int | None) -> None:
    """Q14: rows between the cursors, as many as asked for, and whether the whole list has more on either side of the page."""
    page = cut(keys, Ask(size, backward), *places(keys, after, before))
    between = [key for key in keys if (after is None or key > after) and (before is None or key < before)]
    assert list(page.rows) == ((between[-size:] if size else []) if backward else between[:size])
    assert page.total == len(keys)
    if page.rows:
        assert page.has_previous is (page.rows[0] > keys[0])
        assert page.has_next is (page.rows[-1] < keys[-1])


def test_an_empty_page_stands_where_it_would_begin_or_end() -> None:
    """Q14: `first: 0` stands before its first row, `last: 0` behind its last."""
    begin = cut([1, 2, 3], Ask(0))
    end = cut([1, 2, 3], Ask(0, backward=True))
    assert (begin.has_previous, begin.has_next, end.has_previous, end.has_next) == (False, True, True, False)


def test_sizes() -> None:
    """Q14: 100 without a size; 0 to the most; not both."""
    assert Ask.of(None, None, None, None).size == PAGE
    assert Ask.of(MOST, None, None, None).size == MOST
    assert Ask.of(None, None, 0, None) == Ask(0, backward=True)
    for first, last, argument in ((MOST + 1, None, "first"), (-1, None, "first"), (None, -1, "last"), (1, 1, "last")):
        with pytest.raises(BadUserInput) as found:
            Ask.of(first, None, last, None)
        assert found.value.extra["argument"] == argument
