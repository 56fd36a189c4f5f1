"""Public ids (R15-R17)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import ids


def test_new_graph_ids_have_the_form_and_differ() -> None:
    """R15: `gph_` and exactly twelve letters or digits."""
    made = {ids.new_graph_id() for _ in range(100)}
    assert len(made) == 100
    assert all(ids.graph_id(one) == one for one in made)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("gph_7QmZ2kT9dLxA", "gph_7QmZ2kT9dLxA"),
        ("7QmZ2kT9dLxA", "gph_7QmZ2kT9dLxA"),
        ("gph_7QmZ2kT9dLx", None),
        ("gph_7QmZ2kT9dLxAA", None),
        ("gph_7QmZ2kT9dLx-", None),
        ("GPH_7QmZ2kT9dLxA", None),
        ("gph_gph_7QmZ2kT9", None),
        ("gph_7QmZ2kT9dLxé", None),
        ("", None),
    ],
)
def test_graph_ids(text: str, found: str | None) -> None:
    """R15: the prefixed form or the bare log id."""
    assert ids.graph_id(text) == found


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_node_ids_go_both_ways(ref: str) -> None:
    """R16: the id decodes to exactly the ref that it was made from."""
    assert ids.node_ref(ids.node_id(ref)) == ref


@pytest.mark.parametrize(
    "text",
    [
        "node_",
        "Y2xhdWRl",
        "node_Y2xhdWRlOg==",
        "node_YR",  # stray bits: "a" is YQ
        "node_/w",
        "node__w",  # not UTF-8
        "node_Y2x hdWRl",
        "node_A",
        "evt_YQ",
    ],
)
def test_what_is_no_node_id(text: str) -> None:
    """R16: padding, stray bits, other characters, text that is not UTF-8, nothing at all."""
    assert ids.node_ref(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("evt_01KJPWD9HRGMT3HK89QWB0005Y", "01KJPWD9HRGMT3HK89QWB0005Y"),
        ("evt_a", "a"),
        ("evt_" + "9" * 64, "9" * 64),
        ("evt_" + "9" * 65, None),
        ("evt_", None),
        ("evt_01-2", None),
        ("01KJPWD9HRGMT3HK89QWB0005Y", None),
    ],
)
def test_event_ids(text: str, found: str | None) -> None:
    """R17: 1-64 ASCII letters or digits after the prefix."""
    assert ids.event_own_id(text) == found
