"""The same tree as the library's own guide would have it: a class of resolvers for each type, a DataLoader for children, its HTTP view.

What `tree-1000x12` asks for, with the same answer, over the same store and driver. The schema's names are the gateway's.
"""

from __future__ import annotations

from enum import Enum
from time import time
from typing import Any, NewType

import strawberry
from neo4j import READ_ACCESS, AsyncDriver
from strawberry.asgi import GraphQL
from strawberry.dataloader import DataLoader
from strawberry.schema.config import StrawberryConfig
from strawberry.types import Info

from app.domain.ids import node_id

_COLUMNS = "ref, .kind, .state, .title, .headline, .purpose, .agent_type, .parent, .created, .last_event, .child_count, .placed, .asking_ns"
_CHILDREN = f"MATCH (n:Node {{g: $g}}) WHERE n.parent IN $refs RETURN n {{.{_COLUMNS}}} AS row ORDER BY n.created, n.placed"
_ROOTS = f"MATCH (n:Node {{g: $g}}) WHERE n.parent IS NULL RETURN n {{.{_COLUMNS}}} AS row ORDER BY n.created, n.placed"
_GRAPH = "MATCH (r:Graph {id: $id}) RETURN r.g AS g"
_ASKING_AFTER_NS = 10_000_000_000

Timestamp = NewType("Timestamp", int)


class NodeKind(Enum):
    """What a node is."""

    SESSION = "session"
    AGENT = "agent"


class NodeState(Enum):
    """What it is doing."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    IDLE = "idle"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"


@strawberry.input
class AsOf:
    """A moment. There is only now."""

    event: strawberry.ID | None = None
    time: Timestamp | None = None


@strawberry.type
class Node:
    """A node."""

    id: strawberry.ID
    provider_ref: str
    kind: NodeKind
    state: NodeState
    title: str | None
    headline: str | None
    purpose: str | None
    agent_type: str | None
    parent_id: strawberry.ID | None
    created: Timestamp
    last_event: Timestamp
    child_count: int

    @strawberry.field
    async def children(self, info: Info[Any, None], first: int = 100) -> NodeConnection:
        """Those under it."""
        return NodeConnection(nodes=(await info.context["children"].load(self.provider_ref))[:first])


@strawberry.type
class NodeConnection:
    """A page of nodes."""

    nodes: list[Node]


@strawberry.type
class Graph:
    """A graph."""

    id: strawberry.ID

    @strawberry.field
    async def roots(self, info: Info[Any, None], first: int = 100) -> NodeConnection:
        """Its roots."""
        return NodeConnection(nodes=[_node(record["row"]) for record in await info.context["run"](_ROOTS)][:first])


@strawberry.type
class Query:
    """The one question."""

    @strawberry.field
    async def graph(self, info: Info[Any, None], id: strawberry.ID, as_of: AsOf | None = None) -> Graph | None:
        """A graph."""
        found = await info.context["run"](_GRAPH, id=id)
        info.context["g"] = found[0]["g"]
        return Graph(id=id)


def _node(row: dict[str, Any]) -> Node:
    asks = row["asking_ns"] is not None and int(time()) * 1_000_000_000 - row["asking_ns"] >= _ASKING_AFTER_NS
    return Node(
        id=strawberry.ID(node_id(row["ref"])),
        provider_ref=row["ref"],
        kind=NodeKind(row["kind"]),
        state=NodeState.INPUT_REQUIRED if asks else NodeState(row["state"]),
        title=row["title"],
        headline=row["headline"],
        purpose=row["purpose"],
        agent_type=row["agent_type"],
        parent_id=None if row["parent"] is None else strawberry.ID(node_id(row["parent"])),
        created=row["created"],
        last_event=row["last_event"],
        child_count=row["child_count"],
    )


def peer(driver: AsyncDriver, database: str | None) -> GraphQL[dict[str, Any], None]:
    """Its application: POST to its root."""

    class View(GraphQL[dict[str, Any], None]):
        async def get_context(self, request: Any, response: Any) -> dict[str, Any]:
            context: dict[str, Any] = {}

            async def run(text: str, **params: Any) -> list[Any]:
                async with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
                    return [record async for record in await session.run(text, {"g": context.get("g"), **params})]

            async def load(refs: list[str]) -> list[list[Node]]:
                found: dict[str, list[Node]] = {}
                for record in await run(_CHILDREN, refs=refs):
                    found.setdefault(record["row"]["parent"], []).append(_node(record["row"]))
                return [found.get(ref, []) for ref in refs]

            context |= {"run": run, "children": DataLoader(load_fn=load)}
            return context

    scalars: dict[object, Any] = {Timestamp: strawberry.scalar(name="Timestamp", serialize=int, parse_value=int)}
    schema = strawberry.Schema(Query, config=StrawberryConfig(scalar_map=scalars))
    return View(schema)
