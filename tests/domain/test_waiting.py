"""Chains and loops of waits (Q8, Q9), against searches by brute force that share no code with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.domain.forest import above, below
from app.domain.rollup import rollup
from app.domain.waiting import chain, cycle, cycles, waiters

REFS = "abcdefg"
STATES = ("working", "idle", "completed", "failed")


@dataclass
class Trees:
    """Some nodes, newest first as they come; each under an earlier one or a root."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    @cached_property
    def by_ref(self) -> dict[str, dict[str, Any]]:
        return {row["ref"]: row for row in self.rows}

    @cached_property
    def children(self) -> dict[str | None, list[dict[str, Any]]]:
        found: dict[str | None, list[dict[str, Any]]] = {}
        for row in self.rows:
            found.setdefault(row["parent"], []).append(row)
        return found

    def tree(self) -> list[dict[str, Any]]:
        return [each for root in self.children.get(None, []) for each in (root, *below(self, root["ref"]))]


@st.composite
def trees(draw: st.DrawFn) -> Trees:
    rows = []
    for number, ref in enumerate(REFS[: draw(st.integers(1, len(REFS)))]):
        state = draw(st.sampled_from(STATES))
        on = draw(st.lists(st.sampled_from([*REFS, "nowhere"]), max_size=2)) if state in ("working", "idle") else []
        parent = draw(st.none() | st.sampled_from(REFS[:number])) if number else None
        rows.append({
            "ref": ref, "parent": parent, "state": state, "blocked_on": on or None, "blocked_node_count": len(on) or None, "kind": "agent",
            "stale": False, "background_agent_count": 1, "tasks_total": 0, "tasks_pending": 0, "tasks_in_progress": 0, "tasks_completed": 0,
            "depth": 0 if parent is None else next(row["depth"] for row in rows if row["ref"] == parent) + 1, "created": number,
            "last_event": number, "blocked_cycle": None,
        })  # fmt: skip
    return Trees(rows)


def onward(forest: Trees, ref: str) -> list[str]:
    """What a walk reaches from a node: its children, then what it waits on."""
    row = forest.by_ref[ref]
    return [child["ref"] for child in forest.children.get(ref, [])] + [on for on in row["blocked_on"] or [] if on in forest.by_ref]


def distances(forest: Trees, ref: str) -> dict[str, int]:
    """Steps to every node that a walk from the targets of a node reaches, by widening sets."""
    level = {on for on in forest.by_ref[ref]["blocked_on"] or [] if on in forest.by_ref}
    found: dict[str, int] = {}
    steps = 1
    while level - found.keys() - {ref}:
        level = level - found.keys() - {ref}
        found |= dict.fromkeys(level, steps)
        level = {each for at in level for each in onward(forest, at)}
        steps += 1
    return found


@given(trees(), st.integers(1, 4))
def test_a_chain_is_every_unfinished_node_in_reach(forest: Trees, levels: int) -> None:
    """Q9: unfinished nodes at most so many steps away, nearest first, each once, never the node itself."""
    for row in forest.rows:
        reach = distances(forest, row["ref"])
        found = [each["ref"] for each in chain(forest, row["ref"], levels)]
        unfinished = {ref for ref, steps in reach.items() if steps <= levels and forest.by_ref[ref]["state"] in ("working", "idle")}
        assert set(found) == unfinished
        assert len(found) == len(unfinished)
        assert [reach[ref] for ref in found] == sorted(reach[ref] for ref in found)


def shortest_loop(forest: Trees, ref: str) -> list[str] | None:
    """The smallest of the shortest loops, by trying every path of each length."""
    row = forest.by_ref[ref]
    for length in range(1, len(forest.rows) + 1):
        for path in sorted(product(sorted(forest.by_ref), repeat=length - 1)):
            loop = [ref, *path]
            steps = zip(loop, [*loop[1:], ref], strict=True)
            first = True
            for at, to in steps:
                allowed = (row["blocked_on"] or []) if first else onward(forest, at)
                first = False
                if to not in allowed:
                    break
            else:
                return loop
    return None


@given(trees().filter(lambda forest: len(forest.rows) <= 5))
def test_a_loop_is_the_smallest_of_the_shortest(forest: Trees) -> None:
    """Q8: first a wait of its own, then children and waits; of equal loops that with the smallest refs."""
    for row in forest.rows:
        loop = cycle(forest, row["ref"])
        assert (None if loop is None else [each["ref"] for each in loop]) == shortest_loop(forest, row["ref"])


@given(trees())
def test_the_graphs_loops_are_each_there_once(forest: Trees) -> None:
    """Q8: turned to begin with the smallest ref, sorted; over the most there is none."""
    loops = {}
    for row in forest.rows:
        loop = cycle(forest, row["ref"])
        row["blocked_cycle"] = loop is not None
        if loop is not None:
            refs = [each["ref"] for each in loop]
            first = refs.index(min(refs))
            loops[tuple(refs[first:] + refs[:first])] = None
    found = cycles(forest, 1_000)
    assert found is not None
    assert [tuple(each["ref"] for each in loop) for loop in found] == sorted(loops)
    assert cycles(forest, len(loops)) is not None
    assert not loops or cycles(forest, len(loops) - 1) is None


@given(trees())
def test_waiters_are_by_ref_and_once_each(forest: Trees) -> None:
    """Q8: the nodes whose targets name one, though one waits twice."""
    found = waiters(forest)
    for ref in [*REFS, "nowhere"]:
        assert [row["ref"] for row in found.get(ref, [])] == sorted(row["ref"] for row in forest.rows if ref in (row["blocked_on"] or []))


@given(trees(), st.integers(1, 3))
def test_above_and_below_are_each_others_reverse(forest: Trees, levels: int) -> None:
    """R44: a node is at most so many levels below another exactly if that one is among its so many nearest ancestors."""
    for row in forest.rows:
        for other in forest.rows:
            is_below = other["ref"] in [each["ref"] for each in below(forest, row["ref"], levels)]
            assert is_below is (row["ref"] in [each["ref"] for each in above(forest, other["ref"], levels)])


@given(trees())
def test_a_rollup_is_the_nodes_own_and_its_childrens(forest: Trees) -> None:
    """Q10: the sums of a node are its own and those of its children."""
    for row in forest.rows:
        own, parts = rollup(forest, row["ref"]), [rollup(forest, child["ref"]) for child in forest.children.get(row["ref"], [])]
        assert own.nodes == 1 + sum(part.nodes for part in parts)
        assert own.background_agents == own.nodes
        assert own.max_depth == max((part.max_depth + 1 for part in parts), default=0)
        assert own.blocked == (row["blocked_node_count"] is not None) + sum(part.blocked for part in parts)
        assert sum(own.by_state.values()) == own.nodes
