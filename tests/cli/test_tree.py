"""The tree as text (O8)."""

from __future__ import annotations

from typing import Any

import pytest

from app.cli.tree import guides, tree_lines


@pytest.mark.parametrize(
    ("depths", "drawn"),
    [
        ([], []),
        ([0], [""]),
        ([0, 1, 1, 0], ["", "├─ ", "└─ ", ""]),
        ([0, 1, 2, 1, 2, 3, 0, 1], ["", "├─ ", "│  └─ ", "└─ ", "   └─ ", "      └─ ", "", "└─ "]),
        ([0, 1, 2, 2, 1], ["", "├─ ", "│  ├─ ", "│  └─ ", "└─ "]),
    ],
)
def test_each_node_hangs_on_its_parent(depths: list[int], drawn: list[str]) -> None:
    """O8: siblings are joined, and no line runs past the last of them."""
    assert guides(depths) == drawn


def node(own_id: str, depth: int, **more: Any) -> dict[str, Any]:
    return {
        "id": own_id, "providerRef": f"p:{own_id}", "provider": "p", "kind": "SESSION", "parentId": None, "depth": depth,
        "state": "WORKING",
        "stale": False, "attention": None, "title": None, "headline": None, "purpose": None, "agentType": None, "background": None,
        "created": 0, "ended": None, "lastEvent": 0, "taskCounts": {"total": 0, "completed": 0}, "blocked": None, **more,
    }  # fmt: skip


def text_of(*nodes: dict[str, Any]) -> list[str]:
    counts = {"sessions": 1, "agents": 1, "blocked": 1, "stale": 0}
    graph = {"id": "gph_x", "title": "Fleet", "counts": counts, "asOfEventId": "evt_1", "asOfTime": 90_000, "nodes": list(nodes)}
    return [line.plain for line in tree_lines(graph)]


def test_states_blocks_and_questions_are_shown() -> None:
    """O8: states marked, blocked and waiting ones shown, by the names of what they wait for."""
    blocked = {"onIds": ["b", "elsewhere"], "starting": 1, "nodeCount": 2, "cycle": True}
    lines = text_of(
        node("a", 0, title="Ship it", blocked=blocked, taskCounts={"total": 3, "completed": 1}),
        node("b", 1, kind="AGENT", agentType="Explore", purpose="Read", state="INPUT_REQUIRED", attention="Allow rm?", background=True),
        node("c", 1, kind="AGENT", state="FAILED", stale=True),
    )
    assert "Fleet" in lines[0]
    assert "evt_1" in lines[0]
    assert lines[1] == "● Ship it  p  blocked on 2 (in a loop), 1 starting  waits for Read, elsewhere  1/3 tasks  1 min"
    assert lines[2] == "├─ ? Read  background Explore  asks: Allow rm?"
    assert lines[3].startswith("└─ ✗ p:c  agent  stale")


def test_what_agents_wrote_cannot_steer_the_terminal() -> None:
    """O21: no control character of theirs is printed."""
    lines = text_of(node("a", 0, title="red \x1b[31m\x07\n\u202eevil", headline="\x9b2J"))
    assert all(line.isprintable() for line in lines)
