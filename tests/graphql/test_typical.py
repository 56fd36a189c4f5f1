"""What forty typical operations cost: which statements, how often, how many rows; no more of them on a larger graph; shown compiled."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from graphql import OperationDefinitionNode, parse, print_ast

from app.demo.fleet import fleet
from app.graphql.projection.executor import SHOWN
from app.store.connection import Store
from app.store.tally import tallied
from tests.grown import event
from tests.served import Served, account, served

DATA = Path(__file__).parent / "data"
OPERATIONS = {
    each.name.value: print_ast(each)
    for each in parse((DATA / "typical.graphql").read_text()).definitions
    if isinstance(each, OperationDefinitionNode) and each.name is not None
}
GOLDEN = DATA / "typical.json"
LOG = list(fleet(300, seed=5, keyframe=False))
"""Of the graph that the golden file is about."""

MORE = [event(number, "agent.spawned", f"s{number % 40}/a{number}", 100 * number, purpose=f"Part {number}") for number in range(400)]
"""What a larger graph holds besides: forty sessions and four hundred agents, later."""

MOST_OF_A_TREE = 3
"""Statements, beside the graph's own row."""

PARTS = ("read/tasks_", "read/spawns_", "read/waits_", "read/messages_")

NEAREST_FIRST = Counter({"read/events_of_down": 1, "read/events_of_up": 1})
"""Of a node's events the nearest are looked at first, then all: once more at most."""

OWN_ROW = ("graph/one", "graph/standing")
"""Which moment, and whether it still holds: asked about every graph, whatever is read of it."""


@dataclass
class Fleet:
    """A graph behind a door that keeps none in memory; statements are written down as they are sent."""

    door: Served
    key: str
    variables: dict[str, str]
    statements: Counter[str] = field(default_factory=Counter)
    rows: int = 0

    async def cost(self, name: str) -> dict[str, Any]:
        """What an operation costs."""
        self.statements.clear()
        self.rows = 0
        SHOWN.clear()
        text = OPERATIONS[name]
        given = {one: value for one, value in self.variables.items() if f"${one}:" in text}
        body = await self.door.ask(self.key, text, given)
        assert "errors" not in body, body
        for _ in range(
            self.statements.pop("read/node_latest", 0)
        ):  # in place of the other on one engine, with a look at the graph after it
            self.statements += Counter({"read/nodes_latest": 1})
            self.statements -= Counter({"graph/standing": 1})
            self.rows -= 1
        return {"statements": dict(sorted(self.statements.items())), "rows": self.rows, "shown": dict(sorted(SHOWN.items()))}


@pytest_asyncio.fixture(scope="module")
async def fleets(store: Store) -> AsyncIterator[tuple[Fleet, Fleet]]:
    async with served(store, lambda settings: settings.model_copy(update={"snapshot_cache_nodes": 0})) as door:
        small, large = [await planted(door, log) for log in (LOG, LOG + MORE)]
        plain = store.read

        async def read(name: str, *args: Any, **params: Any) -> Any:
            with tallied() as tally:
                found = await plain(name, *args, **params)
            if not name.startswith("access/"):
                for each in (small, large):
                    each.statements[name] += 1
                    each.rows += tally.rows
            return found

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(store, "read", read)
            yield small, large


async def planted(door: Served, events: list[dict[str, Any]]) -> Fleet:
    """A graph in an account of its own."""
    key = await door.key(account())
    graph_id = await door.graph(key, events)
    halfway = f"evt_{LOG[len(LOG) // 2]['id']}"
    asked = (
        "query($g: ID!, $e: ID!) { graph(id: $g, asOf: {event: $e}) { nodes(first: 1000) { nodes { providerRef id depth lastEvent } } } }"
    )
    nodes = (await door.ask(key, asked, {"g": graph_id, "e": halfway}))["data"]["graph"]["nodes"]["nodes"]
    deep = max(nodes, key=lambda node: (node["depth"], node["lastEvent"], node["providerRef"]))
    return Fleet(door, key, {"g": graph_id, "e": halfway, "r": deep["providerRef"], "n": deep["id"]})


async def test_what_they_cost(fleets: tuple[Fleet, Fleet], pytestconfig: pytest.Config) -> None:
    """Statements by name, rows that came back, rows that were shown: as the golden file says, on either engine."""
    found = {name: await fleets[0].cost(name) for name in OPERATIONS}
    if pytestconfig.getoption("--write-budgets"):
        GOLDEN.write_text("{\n" + ",\n".join(f"  {json.dumps(name)}: {json.dumps(cost)}" for name, cost in found.items()) + "\n}\n")
    assert found == json.loads(GOLDEN.read_text())


def test_there_are_forty() -> None:
    """And each is in the golden file."""
    assert len(OPERATIONS) == 40
    assert list(json.loads(GOLDEN.read_text())) == list(OPERATIONS)


async def test_no_more_statements_for_more_rows(fleets: tuple[Fleet, Fleet]) -> None:
    """A graph ten times as large is read by the same statements, as often; at least 99 of 100 of its rows are shown compiled."""
    shown: Counter[str] = Counter()
    for name in OPERATIONS:
        small, large = [await each.cost(name) for each in fleets]
        assert not Counter(large["statements"]) - Counter(small["statements"]) - NEAREST_FIRST, name
        shown.update(large["shown"])
    assert shown["compiled"] >= 0.99 * shown.total() > 1_000, shown


def test_a_tree_is_at_most_three_statements() -> None:
    """The moment, the nodes as they are, and those that have ended since; and one for each kind of part that is asked for."""
    costs = json.loads(GOLDEN.read_text())
    trees = [name for name in OPERATIONS if name.startswith(("Tree", "Flat", "Everything"))]
    assert len(trees) == 14
    for name in trees:
        statements = {each: times for each, times in costs[name]["statements"].items() if each not in OWN_ROW}
        parts = {each for each in statements if each.startswith(PARTS)}
        assert sum(times for each, times in statements.items() if each not in parts) <= MOST_OF_A_TREE, name
        assert {statements[each] for each in parts} <= {1}, name
