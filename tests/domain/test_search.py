"""The search language (R52-R54)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import node_id
from app.domain.problems import SearchQueryInvalid
from app.domain.search import search

ROW: dict[str, Any] = {
    "ref": "acme:a/b", "parent": "acme:a", "root": "acme:a", "session": "acme:a", "state": "working", "kind": "agent", "provider": "acme",
    "agent_type": None, "title": 'The "Nest"', "summary": "Counting\\reeds", "headline": None, "purpose": "", "attention": None,
    "stale": False, "blocked_node_count": 2, "background": None, "depth": 1, "created": 1_000, "ended": None, "last_event": 2_000,
    "child_count": 0, "descendant_count": 0, "tasks_pending": 2, "tasks_in_progress": 1, "blocked_open_tasks": 4,
}  # fmt: skip

HOLDS = (
    'state:"WORKING"', 'title~"nest"', r'title:"the \"nest\""', r'summary~"g\\r"', "depth:1", 'depth:"1"', "depth>=1", "depth<2",
    "depth>-1",
    "created:1000.0", "ended:null", "-ended:5", '-ended>5', 'blocked:"true"', 'stale:"false"', "background:null", "open_tasks:3",
    "blocked_open_tasks>3", f'parent_id:"{node_id("acme:a")}"', 'purpose:""', 'depth:2 OR kind:"agent"', 'depth:1 AND kind:"agent"',
    'depth:1AND-depth:2', '-title~"none of it"', 'agent_type:null AND -agent_type:"Explore"', "title:null OR depth:1", "  depth  :  1  ",
)  # fmt: skip
HOLDS_NOT = (
    'state:"idle"', 'title~"nests"', "depth>1", "ended>0", '-ended:null', 'blocked:"false"', 'background:"true"', 'background:"false"',
    f'parent_id:"{node_id("acme:a").upper()}"', 'depth:1 AND depth:2', '-depth:1', 'agent_type~"abc"', 'title:null',
)  # fmt: skip
REFUSED = (
    "", " ", "depth", "depth:", ":1", "state:working", 'depth~"1"', 'colour:"red"', 'depth:1 AND kind:"a" OR depth:2',
    "depth:1 and depth:2",
    "depth:1 depth:2", "(depth:1)", 'title:"open', "depth:null AND", "depth>null", 'stale:true', 'stale:"yes"', 'title>"a"', 'title~"ab"',
    "title~5", 'depth:"x"', 'depth:""', 'parent_id~"node_"', "- depth:1", 'blocked~"true"', "depth:1;", "AND depth:1", "depth=1",
)  # fmt: skip


@pytest.mark.parametrize("query", HOLDS)
def test_what_holds(query: str) -> None:
    """R53, R54: the clauses that this row meets."""
    assert search(query, "query")(ROW) is True


@pytest.mark.parametrize("query", HOLDS_NOT)
def test_what_does_not_hold(query: str) -> None:
    """R53, R54: the clauses that it does not meet; on a missing value every clause is false."""
    assert search(query, "query")(ROW) is False


@pytest.mark.parametrize("query", REFUSED)
def test_what_is_refused(query: str) -> None:
    """R52, R53: an error with a position."""
    with pytest.raises(SearchQueryInvalid) as found:
        search(query, "query")
    position = found.value.extra["position"]
    assert isinstance(position, int)
    assert 0 <= position <= len(query)


@given(st.text())
def test_any_text_is_read_or_refused(query: str) -> None:
    """R52: nothing else happens, whatever is sent."""
    try:
        test = search(query, "query")
    except SearchQueryInvalid:
        return
    assert test(ROW) in (True, False)
