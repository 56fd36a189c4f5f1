"""The compiled projection answers as the resolvers do: the same data in the same order, the same errors, whatever the rows hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson
import pytest
import pytest_asyncio
from graphql import FieldNode, VariableDefinitionNode, Visitor, parse, visit

from app.demo.fleet import fleet
from app.domain.ids import node_id
from app.graphql.documents import Refused
from app.graphql.listing import TablePage
from app.graphql.projection import columns
from app.graphql.projection.executor import SHOWN
from app.graphql.running import Asked, Operations
from app.graphql.schema import schema
from app.services.graph_at import NodeTable
from app.services.viewer import ALL_SCOPES, Viewer
from app.store.connection import Store
from tests.graphql.operations import Writer
from tests.served import Served, account, served

pytestmark = pytest.mark.filterwarnings(
    r"ignore:coroutine '(GraphQLCoreConverter\.from_resolver|Executor)\..* was never awaited:RuntimeWarning",
    r"ignore:Exception ignored in. <coroutine object (GraphQLCoreConverter|Executor)\.:pytest.PytestUnraisableExceptionWarning",
)
"""Where a resolver raises, graphql-core drops what the fields beside it would still have had to wait for. Python says so, or cannot: in the
midst of making a named tuple it has nothing to import its warnings with."""

NUMBER = 2_000
LONG_NUMBER = 20_000
EVENTS = 600


@dataclass
class Both:
    """The same door twice: with projections, and with resolvers alone."""

    door: Served
    viewer: Viewer
    graph_id: str
    events: list[str]
    rows: list[dict[str, Any]]
    compiled: Operations
    resolved: Operations


@pytest_asyncio.fixture(scope="module")
async def both(store: Store) -> AsyncIterator[Both]:
    async with served(store, lambda settings: settings.model_copy(update={"deadline": 60.0})) as door:
        name = account()
        key = await door.key(name)
        events = list(fleet(EVENTS, seed=11, keyframe=False))
        graph_id = await door.graph(key, events)
        viewer = Viewer(account=name, scopes=ALL_SCOPES, key_id="key")
        at = await door.services.graphs.at(viewer, graph_id, None, _soon())
        rows = list((await at.snapshot()).rows)
        settings = door.services.settings
        yield Both(
            door, viewer, graph_id, [f"evt_{event['id']}" for event in events], rows,
            Operations(door.services, settings), Operations(door.services, settings, compiled=False),
        )  # fmt: skip


def _soon() -> Any:
    from app.store.deadline import Deadline

    return Deadline.after(60)


@dataclass
class Answer:
    """Data as bytes, so that the order of members counts; errors by the place that is null because of them."""

    data: bytes
    errors: dict[tuple[Any, ...], set[bytes]]


async def answer(operations: Operations, viewer: Viewer, query: str, variables: dict[str, Any]) -> Answer:
    """The answer to an operation."""
    try:
        document = operations.document(query)
        body = await operations.run(viewer, document, Asked(query, variables), "req")
    except Refused as refused:
        return Answer(b"", {(): {orjson.dumps(error) for error in refused.errors}})
    errors: dict[tuple[Any, ...], set[bytes]] = {}
    for error in body.get("errors", []):
        place = nulled(body["data"], error["path"])
        fields = [part for part in error["path"][len(place) :] if isinstance(part, str)]  # which item of a list comes first is chance
        errors.setdefault(place, set()).add(orjson.dumps({**error, "path": fields}))
    return Answer(orjson.dumps(body["data"]), errors)


def nulled(data: Any, path: list[Any]) -> tuple[Any, ...]:
    """The part of an error's path that leads to the null that it made."""
    for length, part in enumerate(path):
        if data is None:
            return tuple(path[:length])
        data = data[part]
    return tuple(path)


def is_same(one: Answer, other: Answer) -> bool:
    """The same data, and for each null that an error made the same errors, or more of them.

    Of several errors that make the same null, the first is told; which that is, and whether the others are, depends on which resolver comes
    first.
    """
    return (
        one.data == other.data
        and one.errors.keys() == other.errors.keys()
        and all(found <= other.errors[place] or found >= other.errors[place] for place, found in one.errors.items())
    )


async def without_first(both: Both, query: str, variables: dict[str, Any], resolved: Answer, compiled: Answer) -> tuple[str, Answer]:
    """The operation without the fields whose errors the resolvers alone told, and what they answer then: where the other way told an error
    of another field that makes the same null, it is the one that is left. Nothing else in the text is moved."""
    fields = Fields()
    visit(parse(query), fields)
    for place, errors in resolved.errors.items():
        for error in errors - compiled.errors.get(place, set()):
            [at] = orjson.loads(error)["locations"]
            start = sum(map(len, query.splitlines(keepends=True)[: at["line"] - 1])) + at["column"] - 1
            name, end = fields.at[start]
            query = query[:start] + f"{name}: __typename".ljust(end - start) + query[end:]
    for name, start, end in fields.variables:
        if len(re.findall(rf"\${name}\b", query)) == 1:  # only those fields had used it
            query = query[:start] + " " * (end - start) + query[end:]
    return query, await answer(both.resolved, both.viewer, query, variables)


class Fields(Visitor):
    """Where each field of a document begins: its name in the answer, and where it ends. Variables' names, and from where to where they are
    defined."""

    def __init__(self) -> None:
        super().__init__()
        self.at: dict[int, tuple[str, int]] = {}
        self.variables: list[tuple[str, int, int]] = []

    def enter_variable_definition(self, node: VariableDefinitionNode, *_: Any) -> None:
        assert node.loc is not None
        self.variables.append((node.variable.name.value, node.loc.start, node.loc.end))

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        assert node.loc is not None
        self.at[node.loc.start] = ((node.alias or node.name).value, node.loc.end)


async def compare(both: Both, seed: int) -> str:
    """One generated operation, both ways. Gives what became of it."""
    random = Random(seed)
    writer = Writer(schema()._schema, random, [row["ref"] for row in both.rows[:40]], [node_id(row["ref"]) for row in both.rows[:40]])
    operation = writer.operation()
    variables = {"g": both.graph_id, **operation.variables}
    if random.random() < 0.3:
        variables["a"] = {"event": random.choice(both.events)}
    resolved = await answer(both.resolved, both.viewer, operation.query, variables)
    compiled = await answer(both.compiled, both.viewer, operation.query, variables)
    if not is_same(compiled, resolved):
        query, again = await without_first(both, operation.query, variables, resolved, compiled)
        assert is_same(compiled, again), (seed, operation.query, query, variables, compiled, resolved, again)
    assert b"GRAPHQL_VALIDATION_FAILED" not in b"".join(resolved.errors.get((), ())), (operation.query, resolved.errors)
    return "refused" if not resolved.data else "errors" if resolved.errors else "data"


async def test_compiled_is_resolved(both: Both, long: bool, share: Callable[[range], range]) -> None:
    """Generated operations have the same answer either way, and most of them are compiled."""
    SHOWN.clear()
    seeds = share(range(LONG_NUMBER if long else NUMBER))
    became = Counter([await compare(both, seed) for seed in seeds])
    assert became["data"] > len(seeds) / 4, became
    assert SHOWN["compiled"] > SHOWN["unsupported"] + SHOWN["given_up"], SHOWN


_LEAVES = (
    "key id graphId asOfEventId providerRef provider kind parentId rootId sessionId requestedById depth state stale attention title "
    "summary headline purpose agentType background linkMethod spawnCallId cwd created ended lastEvent childCount descendantCount "
    "backgroundAgentCount __typename"
)
_PAGE = "totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor __typename } __typename"
BY_COLUMNS = (
    f"nodes(first: 1000) {{ nodes {{ {_LEAVES} }} {_PAGE} }}",
    f"nodes(first: 7, order: TREE) {{ nodes {{ id }} again: nodes {{ ref: providerRef }} {_PAGE} }}",
    f"nodes(last: 3) {{ edges {{ at: cursor node {{ id }} __typename }} {_PAGE} }}",
    "nodes(first: 0) { nodes { id } }",
    "nodes { nodes { __typename } }",
    "nodes(first: 1) { nodes { graph { id } tasks { taskId text activeText status } } }",
    "nodes { nodes { taskCounts { total pending inProgress completed open } blocked { starting nodeCount openTasks cycle onIds } } }",
    "nodes { nodes { parent { id parent { title } } root { id tasks { text } } session { state } requestedBy { id } } }",
    "nodes { nodes { tasks { text __typename } spawns { callId kind childId requested } waits { waitId onId open started ended } } }",
    f"roots {{ nodes {{ id children(first: 2) {{ nodes {{ id stale children {{ nodes {{ title }} }} }} {_PAGE} }} }} }}",
    f"roots {{ nodes {{ children(first: 3) {{ edges {{ cursor node {{ {_LEAVES} children {{ {_PAGE} }} }} }} }} }} }}",
    "node(ref: $r) { id descendants { nodes { id depth } totalCount } few: descendants(maxDepth: 4, first: 5) { nodes { stale } } }",
)
"""Of a graph: what is shown from a table of nodes. `$r`: a root's ref."""


@pytest.mark.parametrize("number", range(len(BY_COLUMNS)))
@pytest.mark.parametrize("past", [False, True])
async def test_pages_are_shown_from_columns(both: Both, number: int, past: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns give what resolvers give, without a row for any node, in one piece or in several."""
    query = f"query($g: ID!, $a: AsOf, $r: String!) {{ graph(id: $g, asOf: $a) {{ id {BY_COLUMNS[number]} }} }}"
    query = query if "$r)" in BY_COLUMNS[number] else query.replace(", $r: String!", "")
    variables = {"g": both.graph_id, "a": {"event": both.events[EVENTS // 2]} if past else None, "r": both.rows[-1]["ref"]}
    resolved = await answer(both.resolved, both.viewer, query, variables)
    assert resolved.errors == {}, resolved
    SHOWN.clear()
    monkeypatch.setattr(TablePage, "in_rows", None)
    compiled = await answer(both.compiled, both.viewer, query, variables)
    assert (compiled.data, compiled.errors) == (resolved.data, {})
    assert SHOWN.keys() == {"compiled"} or not SHOWN
    monkeypatch.setattr(columns, "AT_ONCE", 3)
    text = f"# in pieces\n{query}"  # compiled by itself
    assert (await answer(both.compiled, both.viewer, text, variables)).data == resolved.data


WRONG: tuple[Any, ...] = (None, "BOGUS", 12, 3.5, True, 2**40, [], {}, float("nan"), -1)
SPOILED = ("title", "state", "created", "depth", "kind", "stale", "provider", "ended", "parent", "root", "tasks_total", "blocked_on", "cwd")


@pytest.mark.once
@pytest.mark.parametrize("seed", range(12))
async def test_spoiled_rows_fail_alike(both: Both, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that do not fit the schema give the same nulls and errors either way, and so do columns."""
    random = Random(seed)
    row, name = random.choice(both.rows[:30]), random.choice(SPOILED)
    good = row[name]
    row[name] = random.choice(WRONG)
    column = NodeTable.column

    def spoiled(table: NodeTable, wanted: str) -> Sequence[Any]:
        if wanted != name:
            return column(table, wanted)
        return [row[name] if ref == row["ref"] else value for ref, value in zip(column(table, "ref"), column(table, name), strict=True)]

    monkeypatch.setattr(NodeTable, "column", spoiled)
    try:
        for number in range(15):
            await compare(both, 1_000_000 + seed * 100 + number)
    finally:
        row[name] = good
