"""REST = GraphQL (design, section 9): at generated moments of generated logs, fields that both doors have are the same in both."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest
import pytest_asyncio

from app.store.connection import Store
from tests.served import Served, account, served
from tests.strategies.logs import random_log

SEEDS = 3
LONG_SEEDS = 60
MOMENTS = 5

_PLAIN = (
    "id asOfEventId graphId providerRef provider kind parentId rootId sessionId requestedById depth state stale attention title summary "
    "headline purpose agentType background linkMethod spawnCallId cwd created ended lastEvent childCount descendantCount "
    "backgroundAgentCount taskCounts { total pending inProgress completed open } "
    "blocked { onIds starting nodeCount openTasks cycle }"
)
_PARTS = (
    "tasks { taskId text activeText status } "
    "spawns { callId kind agentType purpose background run title childId returned requested } "
    "waits { waitId kind onId reason open started ended } "
    "messages(first: 1000) { nodes { messageId direction peerId peerName replyToMessageId summary body created } }"
)
GRAPH = f"""query($g: ID!, $a: AsOf, $o: NodeOrder, $f: NodeFilter) {{ graph(id: $g, asOf: $a) {{
  id asOfEventId source url created lastEvent
  retention {{ firstEventId lastEventId firstEventCreated lastEventCreated eventCount }}
  counts {{ nodes sessions agents stale blocked byState {{ working inputRequired idle completed failed canceled }} }}
  nodes(first: 1000, order: $o, filter: $f) {{ totalCount nodes {{ {_PLAIN} {_PARTS} parent {{ {_PLAIN} }} }} }}
}} }}"""
EVENTS = f"""query($g: ID!, $o: EventOrder, $f: EventFilter) {{ graph(id: $g) {{ events(first: 1000, order: $o, filter: $f) {{ nodes {{
  id type created graphId nodeId source {{ provider providerVersion adapter }} payload
  changes {{ nodeId created fields {{ field from to }} }} node {{ {_PLAIN} }}
}} }} }} }}"""

PART_IDS = {"taskId": "id", "waitId": "id", "messageId": "id"}
ENUMS = ("state", "kind", "status", "direction")
AS_SENT = ("payload", "from", "to")


@dataclass
class Graph:
    """A graph with its log, behind both doors."""

    door: Served
    key: str
    id: str
    events: list[str]

    async def rest(self, path: str, **parameters: Any) -> Any:
        """A body of REST."""
        query = urlencode([(name, value) for name, value in parameters.items() if value is not None], doseq=True)
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = await self.door.client.get(f"/api/v1/graphs/{self.id}{path}?{query}", headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def graphql(self, query: str, **variables: Any) -> Any:
        """The graph in an answer of GraphQL, with REST's names and values."""
        body = await self.door.ask(self.key, query, {"g": self.id, **variables})
        assert "errors" not in body, body
        return as_rest(body["data"]["graph"])


def as_rest(value: Any, name: str = "") -> Any:
    """A value of GraphQL as REST has it: names, enums, and lists of parts and changes in their forms."""
    if name in AS_SENT:
        return value
    if isinstance(value, list):
        return [as_rest(each, name) for each in value]
    if not isinstance(value, dict):
        return value.lower() if (name in ENUMS and value is not None) or name == "source" else value
    if name == "messages":
        return as_rest(value["nodes"])
    if name == "changes":
        return {
            **as_rest({**value, "fields": None}),
            "fields": {each["field"]: {"from": each["from"], "to": each["to"]} for each in value["fields"]},
        }
    return {
        PART_IDS.get(key) or re.sub("[A-Z]", lambda found: "_" + found[0].lower(), key): as_rest(each, key) for key, each in value.items()
    }


def bare(value: Any) -> Any:
    """A body of REST without what only says of which kind an object is; an expanded member that is absent counts as null."""
    if isinstance(value, list):
        return [bare(each) for each in value]
    return {name: bare(each) for name, each in value.items() if name != "object"} if isinstance(value, dict) else value


def full(node: dict[str, Any], *expanded: str) -> dict[str, Any]:
    """A node of REST with null for expanded members that it has not."""
    return {**dict.fromkeys(expanded), **bare(node)}


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Served]:
    async with served(store) as found:
        yield found


@pytest_asyncio.fixture
async def graph(door: Served, seed: int) -> Graph:
    events = random_log(7_000 + seed, 90)
    key = await door.key(account())
    return Graph(door, key, await door.graph(key, events), [f"evt_{event['id']}" for event in events])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(LONG_SEEDS if metafunc.config.getoption("--long") else SEEDS))


async def test_graphs_and_nodes(graph: Graph, seed: int) -> None:
    """R36, R40-R44, R52-R55 against graphql.md section 2: now, after events and at times; in each order, filtered and found."""
    rng = random.Random(seed)
    held = (await graph.rest("/events", limit=1000))["data"]
    moments: list[tuple[Any, Any]] = [(None, None)]
    moments += [(event["id"], {"event": event["id"]}) for event in rng.sample(held, MOMENTS)]
    moments += [(time, {"time": time}) for time in (max(event["created"] for event in held) + rng.choice([0, 1, 10_000, 2_000_000_000]),)]
    expand = ["data.tasks", "data.spawns", "data.waits", "data.messages", "data.parent"]
    for as_of, moment in moments:
        rest = bare(await graph.rest("", as_of=as_of))
        for order in ("newest", "tree"):
            found = await graph.graphql(GRAPH, a=moment, o=order.upper())
            listed = await graph.rest("/nodes", as_of=as_of, order=order, limit=1000, **{"expand[]": expand})
            nodes = found.pop("nodes")
            assert [full(node, "parent") for node in listed["data"]] == nodes["nodes"]
            assert nodes["total_count"] == found["counts"]["nodes"] == len(nodes["nodes"])
            assert found == rest
        for wanted in chosen(nodes["nodes"], rng):
            kept = await graph.graphql(GRAPH, a=moment, o="TREE", f={camel(name): enum(name, value) for name, value in wanted.items()})
            listed = await graph.rest("/nodes", as_of=as_of, order="tree", limit=1000, **{"expand[]": expand, **spelt(wanted)})
            assert [full(node, "parent") for node in listed["data"]] == kept["nodes"]["nodes"], wanted
        for query in ("depth>=1", 'state:"working" OR blocked:"true"', "-ended:null AND last_event>0"):
            kept = await graph.graphql(GRAPH, a=moment, o="ACTIVITY", f={"search": query})
            listed = await graph.rest("/nodes/search", as_of=as_of, query=query, limit=1000, **{"expand[]": expand})
            assert [full(node, "parent") for node in listed["data"]] == kept["nodes"]["nodes"], query
            assert listed["total_count"] == kept["nodes"]["total_count"]


def chosen(nodes: list[dict[str, Any]], rng: random.Random) -> list[dict[str, Any]]:
    """Filters that have something to choose: of a node that is there."""
    node = rng.choice(nodes)
    return [
        {"kind": node["kind"], "stale": node["stale"]},
        {"state": sorted({node["state"], rng.choice(nodes)["state"]})},
        {"root_id": node["root_id"], "blocked": rng.random() < 0.5},
        {"ancestor_id": node["root_id"], "max_depth": rng.randint(1, 3)},
        {"session_id": node["session_id"], "provider": node["provider"]},
        {"parent_id": node["parent_id"] or node["id"]},
        {"is_root": rng.random() < 0.5, "created": {"gte": node["created"]}, "last_event": {"lte": node["last_event"]}},
    ]


def camel(name: str) -> str:
    """A name of REST as GraphQL spells it."""
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)


def enum(name: str, value: Any) -> Any:
    """A filter's value for GraphQL."""
    if name == "state":
        return [each.upper() for each in value]
    return value.upper() if name == "kind" else value


def spelt(wanted: dict[str, Any]) -> dict[str, Any]:
    """A filter as REST's parameters."""
    found: dict[str, Any] = {}
    for name, value in wanted.items():
        if isinstance(value, dict):
            found |= {f"{name}[{bound}]": limit for bound, limit in value.items()}
        else:
            found[name] = str(value).lower() if isinstance(value, bool) else value
    return found


async def test_events(graph: Graph, seed: int) -> None:
    """R57-R63 against Q4: all events in both orders, with their changes and their node just after; filtered; and each by itself."""
    rng = random.Random(seed)
    for order in ("asc", "desc"):
        found = (await graph.graphql(EVENTS, o=order.upper()))["events"]["nodes"]
        listed = (await graph.rest("/events", order=order, limit=1000, **{"expand[]": ["data.node"]}))["data"]
        assert [full(event, "node") for event in listed] == found
    assert sorted(event["id"] for event in found) == sorted(graph.events)
    some = rng.choice(found)
    for wanted in (
        {"type": [some["type"], "agent.*"]},
        {"node_id": some["node_id"]},
        {"root_id": some["node_id"]},
        {"created": {"gt": some["created"]}},
    ):
        kept = (await graph.graphql(EVENTS, o="DESC", f={camel(name): value for name, value in wanted.items()}))["events"]["nodes"]
        listed = (await graph.rest("/events", limit=1000, **{"expand[]": ["data.node"], **spelt(wanted)}))["data"]
        assert [full(event, "node") for event in listed] == kept, wanted
    for event in rng.sample(found, 5):
        assert full(await graph.rest(f"/events/{event['id']}", **{"expand[]": "node"}), "node") == event
