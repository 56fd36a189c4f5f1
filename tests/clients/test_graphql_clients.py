"""Other people's GraphQL clients get what the oracle says (Q14, Q17, Q29, Q30, Q46): trees, pages both ways, two moments in one cache."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gql import Client, GraphQLRequest
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXAsyncTransport

from tests.clients.conftest import Gateway

pytestmark = pytest.mark.once

SCHEMA = Path(__file__).parents[2] / "schema.graphql"

TREE = """query Tree($graph: ID!, $asOf: AsOf) {
  graph(id: $graph, asOf: $asOf) { roots(first: 1000) { nodes { ...N children(first: 1000) { nodes { ...N children(first: 1000) {
    nodes { ...N } } } } } } }
} fragment N on Node { providerRef state }"""

PAGE = """query Page($graph: ID!, $asOf: AsOf, $first: Int, $after: String, $last: Int, $before: String) {
  graph(id: $graph, asOf: $asOf) { nodes(first: $first, after: $after, last: $last, before: $before, order: TREE) {
    nodes { providerRef } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }
}"""


async def test_the_audits_of_graphql_http(ask: Callable[..., Any]) -> None:
    """Q29: every one, MUST, SHOULD and MAY."""
    audits = [json.loads(line) for line in (await ask("audits.mjs")).splitlines()]
    assert [each for each in audits if each["status"] != "ok"] == []
    assert len(audits) == 61


@pytest.mark.parametrize("program", ["apollo.mjs", "urql.mjs", "relay.mjs"])
async def test_clients_of_node(ask: Callable[..., Any], program: str) -> None:
    """Q46 and docs/graphql.md: with the settings that are documented; each program compares by itself, and complains where it differs."""
    await ask(program, schema=SCHEMA.read_text())


def levels(connection: dict[str, Any]) -> list[dict[str, Any]]:
    """The tree of an answer in the form of the facts."""
    return [
        {"ref": node["providerRef"], "state": node["state"], **({"children": levels(node["children"])} if "children" in node else {})}
        for node in connection["nodes"]
    ]


async def test_gql_of_python(gateway: Gateway) -> None:
    """It reads the schema from the server, holds operations against it, and gets the tree, the pages, and errors as errors."""
    transport = HTTPXAsyncTransport(url=f"{gateway.url}/graphql", headers={"Authorization": f"Bearer {gateway.key}"})
    async with Client(transport=transport, fetch_schema_from_transport=True) as session:
        for moment in (gateway.facts["early"], gateway.facts["late"]):
            variables = {"graph": gateway.graph, "asOf": {"event": moment["event"]}}
            found = await session.execute(GraphQLRequest(TREE, variable_values=variables))
            assert levels(found["graph"]["roots"]) == moment["tree"]
            for forward in (True, False):
                assert await paged(session, variables, forward) == moment["refs"]
        with pytest.raises(TransportQueryError) as refused:
            await session.execute(GraphQLRequest(TREE, variable_values={"graph": "gph_AAAAAAAAAAAA"}))
        assert refused.value.errors is not None
        assert refused.value.errors[0]["extensions"]["code"] == "NOT_FOUND"


async def paged(session: Any, variables: dict[str, Any], forward: bool) -> list[str]:
    """All refs, seven a page."""
    count, cursor, end, more = ("first", "after", "endCursor", "hasNextPage") if forward else (
        "last", "before", "startCursor", "hasPreviousPage"
    )  # fmt: skip
    refs: list[str] = []
    page: dict[str, Any] = {}
    while True:
        asked = GraphQLRequest(PAGE, variable_values={**variables, count: 7, **page})
        nodes = (await session.execute(asked))["graph"]["nodes"]
        found = [node["providerRef"] for node in nodes["nodes"]]
        refs = [*refs, *found] if forward else [*found, *refs]
        if not nodes["pageInfo"][more]:
            return refs
        page = {cursor: nodes["pageInfo"][end]}
