"""What needs a person, in all graphs (O36): asked for by the GraphQL API, for pages and commands alike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from app.web.questions import age, node_name

Ask: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""Runs a GraphQL document and gives the answer's `data`."""

Kind: TypeAlias = Literal["asks", "loop", "stale", "failed"]

FAILED_MS = 3_600_000
"""How long a failure is news."""

_GRAPHS = 10
_NODES = 500
_VERSIONS = 20

_LISTS = """id title lastEvent asOfTime
  asks: nodes(first: $nodes, filter: {state: [INPUT_REQUIRED]}, order: ACTIVITY) { totalCount nodes { ...N attention } }
  loops: blockingCycles { nodes { ...N } }
  stale: nodes(first: $nodes, filter: {stale: true}, order: ACTIVITY) { totalCount nodes { ...N } }
  failed: nodes(first: $nodes, filter: {state: [FAILED], lastEvent: {gte: $since}}, order: ACTIVITY) { totalCount nodes { ...N summary } }
"""
_NAMES = "fragment N on Node { id kind title purpose agentType providerRef lastEvent ended }"

EVERYWHERE = f"""query Attention($first: Int!, $after: String, $nodes: Int!, $since: Timestamp!) {{
  graphs(first: $first, after: $after) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ {_LISTS} }} }}
}} {_NAMES}"""

IN_ONE = f"query AttentionInOne($id: ID!, $nodes: Int!, $since: Timestamp!) {{ graph(id: $id) {{ {_LISTS} }} }} {_NAMES}"

SINCE = """query AskingSince($id: ID!, $nodes: Int!, $versions: Int!) {
  graph(id: $id) {
    nodes(first: $nodes, filter: {state: [INPUT_REQUIRED]}, order: ACTIVITY) {
      nodes { id history(first: $versions, order: DESC) { nodes { since node { state } } } }
    }
  }
}"""


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing that needs a person: a node that asks (`what`: for what), is stale or has failed, or the nodes of a loop.

    `since`: Unix ms; of a node that asks when it began to, of a stale one when it was last heard of; None of a loop. `now` is when it was
    judged. `more`: how many others of the kind there are that are not told one by one.
    """

    graph: str
    title: str | None
    kind: Kind
    nodes: tuple[str, ...]
    names: tuple[str, ...]
    since: int | None
    what: str | None
    now: int
    more: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        """The same for the same concern found again."""
        return self.graph, self.kind, self.nodes, self.since

    @property
    def said(self) -> str:
        """What is told of the nodes, in words."""
        span = "" if self.since is None else age(self.now - self.since)
        return {"asks": f"asks for {span}", "stale": f"silent for {span}", "failed": f"failed {span} ago", "loop": "in a loop"}[self.kind]


async def concerns(ask: Ask, graphs: Sequence[str], now_ms: int) -> AsyncIterator[list[Concern]]:
    """What there is in each graph, in these graphs or in all, latest activity first."""
    since = now_ms - FAILED_MS
    variables = {"nodes": _NODES, "since": since}
    for graph_id in graphs:
        yield await _of(ask, (await ask(IN_ONE, {"id": graph_id, **variables}))["graph"], since)
    after, more = None, not graphs
    while more:
        page = (await ask(EVERYWHERE, {"first": _GRAPHS, "after": after, **variables}))["graphs"]
        for graph in page["nodes"]:
            yield await _of(ask, graph, since)
        after, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]


async def _of(ask: Ask, graph: dict[str, Any], failed_since: int) -> list[Concern]:
    asking_since = await _asking_since(ask, graph["id"]) if graph["asks"]["nodes"] else {}
    return list(_concerns(graph, asking_since, failed_since))


def _concerns(graph: dict[str, Any], asking_since: dict[str, int], failed_since: int) -> Iterator[Concern]:
    where = {"graph": graph["id"], "title": graph["title"], "now": graph["asOfTime"]}
    kinds: tuple[Kind, ...] = ("asks", "failed", "stale")
    for kind in kinds:
        found = graph[kind]
        for number, node in enumerate(found["nodes"], 1):
            began = {"asks": asking_since.get(node["id"]), "failed": node["ended"]}.get(kind)
            since = node["lastEvent"] if began is None else began
            if kind == "failed" and since < failed_since:  # heard of since, but no news
                continue
            what = node.get("attention") or node.get("summary")
            more = found["totalCount"] - number if number == len(found["nodes"]) else 0
            yield Concern(kind=kind, nodes=(node["id"],), names=(node_name(node),), since=since, what=what, more=more, **where)
    for loop in graph["loops"]:
        ids, names = tuple(node["id"] for node in loop["nodes"]), tuple(map(node_name, loop["nodes"]))
        yield Concern(kind="loop", nodes=ids, names=names, since=None, what=None, **where)


async def _asking_since(ask: Ask, graph_id: str) -> dict[str, int]:
    """When nodes that ask began to: where their state was last another one before (as far back as is worth looking)."""
    found = (await ask(SINCE, {"id": graph_id, "nodes": _NODES, "versions": _VERSIONS}))["graph"]["nodes"]["nodes"]
    began: dict[str, int] = {}
    for node in found:
        for place, version in enumerate(node["history"]["nodes"]):
            asked = version["node"] is not None and version["node"]["state"] == "INPUT_REQUIRED"
            if place and not asked:
                break
            began[node["id"]] = version["since"]
    return began
