"""Keys: hashes of a fixed length, different for different things, sorted by place where that is needed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.rows import Cell
from app.store.keys import cell_key, digest, event_key, generation_key, node_key, since_key

texts = st.text(max_size=20)


@given(st.lists(texts, max_size=4), st.lists(texts, max_size=4))
def test_only_the_same_parts_make_the_same_digest(one: list[str], other: list[str]) -> None:
    """Every part counts with its length, so that parts that run together differently are different."""
    assert (digest(*one) == digest(*other)) == (one == other)


def test_keys_have_one_length_however_long_the_ref_is() -> None:
    """Refs may be 20 kB; an index entry may not."""
    long = "acme:" + "é" * 10_000
    assert {len(node_key("g", ref)) for ref in ("a", long)} == {32}
    assert len(since_key(node_key("g", long), 2**53 - 1)) == 49
    assert node_key("g", long) != node_key("g", long + "x")


def test_cells_of_one_node_have_keys_of_their_own() -> None:
    """A node and its parent edge are named by the ref, parts by kind and position as well."""
    cells = [Cell(kind, "acme:a", position) for kind in ("task", "spawn", "wait", "message", "waits_on") for position in (0, 1)]  # type: ignore[arg-type]
    cells += [Cell("node", "acme:a"), Cell("parent", "acme:a"), Cell("node", "acme:b")]
    assert len({cell_key("g", cell) for cell in cells} | {cell_key("h", cell) for cell in cells}) == 2 * len(cells)


def test_generations_share_no_key() -> None:
    """All keys hold the generation's key: what is written beside an old generation never meets it."""
    first, second = generation_key("gph_a", 1), generation_key("gph_a", 2)
    assert event_key(first, "1") != event_key(second, "1")


@given(st.integers(0, 2**53), st.integers(0, 2**53))
def test_states_of_a_thing_sort_by_place(one: int, other: int) -> None:
    """History pages walk a thing's states by key."""
    assert (since_key("k", one) < since_key("k", other)) == (one < other)
