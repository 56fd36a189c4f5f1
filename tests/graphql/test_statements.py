"""Which statements an operation runs: a tree is one, whatever its depth; a lone node is a few, none of which grows with the graph."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
import pytest_asyncio

from app.demo.fleet import fleet
from app.store.connection import Store
from tests.served import Served, account, served, written_down


@dataclass
class Watched:
    """A door on a store whose statements are written down by name."""

    door: Served
    key: str
    graph_id: str
    deepest: str
    names: list[str] = field(default_factory=list)

    async def ask(self, selection: str) -> list[str]:
        """The statements behind a selection under the graph."""
        self.names.clear()
        body = await self.door.ask(self.key, f'{{ graph(id: "{self.graph_id}") {selection} }}')
        assert "errors" not in body, body
        return [name for name in self.names if not name.startswith("access/")]


@pytest_asyncio.fixture(scope="module")
async def watched(store: Store) -> AsyncIterator[Watched]:
    no_memory = {"snapshot_cache_nodes": 0}
    async with served(store, lambda settings: settings.model_copy(update=no_memory)) as door:
        key = await door.key(account())
        graph_id = await door.graph(key, list(fleet(400, seed=5, keyframe=False)))
        body = await door.ask(key, f'{{ graph(id: "{graph_id}") {{ nodes(first: 1000) {{ nodes {{ providerRef depth }} }} }} }}')
        nodes = body["data"]["graph"]["nodes"]["nodes"]
        found = Watched(door, key, graph_id, max(nodes, key=lambda node: node["depth"])["providerRef"])
        with written_down(store, found.names):
            yield found


CARD = "id title state headline"
LEVELS = f"children {{ nodes {{ {CARD} children {{ nodes {{ {CARD} children {{ nodes {{ {CARD} parent {{ id }} }} }} }} }} }} }}"

WHOLE = {
    f"{{ nodes {{ nodes {{ {CARD} }} totalCount }} }}": "read/nodes_now_view",
    f"{{ roots {{ nodes {{ {CARD} {LEVELS} }} }} counts {{ nodes blocked }} }}": "read/nodes_now_view",
    "{ nodes { nodes { cwd blocked { on { id } chain { totalCount } } blocking { id } rollup { nodes } } } }": "read/nodes_now_full",
    "{ blockingCycles { nodes { id } } nodes(first: 3) { nodes { ancestors { id } root { id } } } }": "read/nodes_now_card",
    "{ counts { nodes } }": "read/nodes_now_structure",
}


@pytest.mark.parametrize("selection", WHOLE)
async def test_a_tree_is_one_statement(watched: Watched, selection: str) -> None:
    """The graph's row, and one statement for all nodes with the members that are selected; counts ride along."""
    assert await watched.ask(selection) == ["graph/one", WHOLE[selection]]


async def test_the_graph_alone_is_its_row(watched: Watched) -> None:
    """What a graph says of itself needs no nodes."""
    assert await watched.ask("{ id title live retention { eventCount } eventsCursor asOfTime }") == ["graph/one"]


@pytest.mark.parametrize(
    ("selection", "most"),
    [
        (CARD, 1),
        (f"{CARD} tasks {{ text }} waits {{ reason }}", 3),
        ("ancestors { id title }", 2),
        ("children { nodes { id title tasks { text } } }", 3),
        ("descendants(maxDepth: 2) { nodes { id } }", 2),
        ("parent { id } root { id } session { id } requestedBy { id }", 3),
        ("blocking { id } blocked { on { id } chain { nodes { id } } }", 4),
    ],
)
async def test_a_lone_node_is_a_few_statements(watched: Watched, selection: str, most: int) -> None:
    """One node, and one small statement for each kind of thing around it; never the whole graph."""
    names = await watched.ask(f'{{ node(ref: "{watched.deepest}") {{ {selection} }} }}')
    assert not [name for name in names if name.startswith("read/nodes_now_")]
    apart = {"graph/one", "graph/standing", "read/node_latest", "read/nodes_latest"}
    kinds = {name.removesuffix("_now").removesuffix("_past") for name in names if name not in apart}
    assert len(kinds) <= most, names


async def test_a_timeline_is_counted_by_the_store(watched: Watched) -> None:
    """Whatever the number of spans: one statement for a stretch of events, one for the ids."""
    for buckets in (3, 1_000):
        assert await watched.ask(f"{{ timeline(buckets: {buckets}) {{ eventCount lastEventId }} }}") == [
            "graph/one", "read/events_spans", "read/ids_at"
        ]  # fmt: skip


async def test_nodes_after_a_page_of_events_are_a_few_statements(watched: Watched) -> None:
    """However many events the page has: their own nodes, then those that they changed. Who was left alone is looked up apart."""
    asked = []
    for first in (20, 200):
        names = await watched.ask(f"{{ events(first: {first}) {{ nodes {{ id node {{ state }} changes {{ after {{ state }} }} }} }} }}")
        assert names.count("read/nodes_begun") == 2
        asked.append(len(names))
    assert asked[1] < asked[0] + 10


async def test_a_page_of_history_is_a_few_statements(watched: Watched) -> None:
    """Its entries come with their events, changes and nodes, however many there are."""
    fields = "until event { payload } changes { field } node { state headline }"
    known = {"read/nodes_of_now", "read/node_states", "read/times_at", "read/time_seq", "read/events_at", "graph/standing", "graph/one"}
    asked = []
    for first in (2, 50):
        names = await watched.ask(f'{{ node(ref: "{watched.deepest}") {{ history(first: {first}) {{ nodes {{ {fields} }} }} }} }}')
        assert set(names) <= known
        asked.append(sorted(names))
    assert asked[0] == asked[1]


async def test_a_difference_is_both_graphs_read_once(watched: Watched) -> None:
    """Each node before and after is one of those that have been read."""
    ends = await watched.door.ask(watched.key, f'{{ graph(id: "{watched.graph_id}") {{ retention {{ firstEventId }} }} }}')
    first = ends["data"]["graph"]["retention"]["firstEventId"]
    fields = "fields { field } before { title parent { title } } after { title root { state } }"
    names = await watched.ask(
        f'{{ difference(from: {{event: "{first}"}}) {{ eventCount changes {{ nodes {{ {fields} }} totalCount }} }} }}'
    )
    assert sorted(set(names)) == [
        "graph/one",
        "graph/standing",
        "read/events_by_key",
        "read/events_count",
        "read/nodes_now_full",
        "read/nodes_past_full",
    ]
    assert names.count("read/nodes_now_full") == 2


async def test_parts_of_a_page_are_one_statement_each(watched: Watched) -> None:
    """However many nodes the page has."""
    names = await watched.ask("{ nodes(first: 50) { nodes { id tasks { text } messages { nodes { body } } } } }")
    assert sorted(names) == ["graph/one", "read/messages_of_now", "read/nodes_now_structure", "read/tasks_of_now"]
