"""Nodes at a place: single ones, few, many and all, however long history is."""

from __future__ import annotations

from typing import Any

import pytest

from app.domain.moments import AsOf
from app.services.graph_at import KeySet
from app.store import nodes
from app.store.connection import Store
from app.store.intervals import STEP
from app.store.reading import Reading
from tests.grown import Grown, event, grow, soon

QUIET = 700
"""Events in a row that say nothing of the node looked for."""


@pytest.fixture(scope="module")
async def long_history(store: Store) -> Grown:
    """`quiet` changes at first and never again until the very end; `busy` at every event between; five others once."""
    events = [event(n, "session.started", f"other{n}", n) for n in range(5)]
    events += [event(5, "session.started", "quiet", 5), event(6, "session.started", "busy", 6)]
    events += [event(7, "status", "quiet", 7, state="working", title="first")]
    events += [event(8 + n, "status", "busy", 8 + n, state="working", title=f"title {n}") for n in range(QUIET)]
    events += [event(8 + QUIET, "status", "quiet", 8 + QUIET, state="working", title="last")]
    return await grow(store, events, pieces=2)


async def reading_at(grown: Grown, store: Store, number: int) -> Reading:
    at = await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(event=f"{number:08d}"), soon())
    return Reading(store, at.moment, soon())


async def whole_graph(reading: Reading, keys: KeySet) -> dict[str, dict[str, Any]]:
    return {row[0]: dict(zip(keys.columns, row, strict=True)) for row in await nodes.whole(reading, keys)}


@pytest.mark.parametrize("number", [5, 7, 8, 300, 7 + QUIET, 8 + QUIET])
async def test_few_nodes_and_many_are_found_as_in_the_whole_graph(store: Store, long_history: Grown, number: int) -> None:
    """E13: whichever statement finds them, and however far back their states began."""
    reading = await reading_at(long_history, store, number)
    whole = await whole_graph(reading, KeySet.FULL)
    assert whole["acme:quiet"].get("title") == (None if number < 7 else "first" if number < 8 + QUIET else "last")
    names = ["acme:quiet", "acme:busy", *(f"acme:other{n}" for n in range(5)), "acme:never"]
    for wanted in (names[:1], names[1:2], names[:2], names):
        assert await nodes.of(reading, wanted) == {ref: whole[ref] for ref in wanted if ref in whole}


async def test_a_smaller_key_set_is_the_larger_one_with_less(store: Store, long_history: Grown) -> None:
    """The three sizes show the same states."""
    reading = await reading_at(long_history, store, 400)
    sizes = {keys: await whole_graph(reading, keys) for keys in KeySet}
    for keys in KeySet:
        assert sizes[keys] == {ref: {name: row[name] for name in keys.columns} for ref, row in sizes[KeySet.FULL].items()}


async def test_before_the_first_event_there_are_no_nodes(store: Store) -> None:
    """Q4: a graph without events is a graph, with empty lists."""
    grown = await grow(store, [])
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    reading = Reading(store, at.moment, soon())
    assert at.moment.seq < STEP
    assert await nodes.whole(reading, KeySet.FULL) == []
    assert await nodes.of(reading, ["acme:a"]) == {}
    assert await nodes.of(reading, []) == {}
