"""Cursors (Q15): they come back as they were made, and belong to one list."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.filters import NodeFilter
from app.domain.problems import CursorInvalid
from app.services.cursors import Mark, Place, list_name, read_cursor, write_cursor

KEYS = st.lists(st.integers(-(2**53), 2**53) | st.text(), max_size=3)
MARKS = st.none() | st.builds(Mark, st.none() | st.text(max_size=30), st.integers(-(2**70), 2**70))


@given(KEYS, MARKS)
def test_a_cursor_comes_back(key: list[Any], mark: Mark | None) -> None:
    """What was written is read."""
    cursor, kinds = write_cursor("a", key, mark), [type(part) for part in key]
    assert read_cursor(cursor, "a", *kinds) == Place(key, mark)
    with pytest.raises(CursorInvalid):
        read_cursor(cursor, "a", *kinds, str)


@given(KEYS)
def test_a_cursor_of_another_list_is_refused(key: list[Any]) -> None:
    """Q15: it belongs to one list."""
    with pytest.raises(CursorInvalid):
        read_cursor(write_cursor("a", key), "b")


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_what_is_no_cursor_is_refused(text: str) -> None:
    """Q15: nothing else happens, whatever is sent."""
    with pytest.raises(CursorInvalid):
        read_cursor(text, "a")


def test_lists_have_names_of_their_own() -> None:
    """Q15: another graph, node, order, filter or `asOf` is another list."""
    names = {
        list_name("nodes", graph, ref, levels, order, chosen)
        for graph in ("g", "h") for ref in (None, "r") for levels in (None, 2) for order in ("tree", "newest")
        for chosen in (NodeFilter(), NodeFilter(kind="agent"), NodeFilter(state=()))
    }  # fmt: skip
    assert len(names) == 2 * 2 * 2 * 2 * 3
    assert list_name("nodes", NodeFilter(kind="agent")) == list_name("nodes", NodeFilter(kind="agent"))
