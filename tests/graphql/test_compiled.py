"""The compiled projection answers as the resolvers do: the same data in the same order, the same errors, whatever the rows hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson
import pytest
import pytest_asyncio

from app.demo.fleet import fleet
from app.domain.ids import node_id
from app.graphql.documents import Refused
from app.graphql.projection.executor import SHOWN
from app.graphql.running import Asked, Operations
from app.graphql.schema import schema
from app.services.viewer import ALL_SCOPES, Viewer
from app.store.connection import Store
from tests.graphql.operations import Writer
from tests.served import Served, account, served

pytestmark = pytest.mark.filterwarnings(
    r"ignore:coroutine '(GraphQLCoreConverter\.from_resolver|Executor)\..* was never awaited:RuntimeWarning"
)
"""Where a resolver raises, graphql-core drops what the fields beside it would still have had to wait for."""

NUMBER = 400
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
    """The same data, and for each null that an error made the same errors.

    Of several errors that make the same null, the first is told; whether the others are depends on which resolver comes first.
    """
    return (
        one.data == other.data
        and one.errors.keys() == other.errors.keys()
        and all(found <= other.errors[place] or found >= other.errors[place] for place, found in one.errors.items())
    )


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
    assert is_same(compiled, resolved), (seed, operation.query, variables)
    assert b"GRAPHQL_VALIDATION_FAILED" not in b"".join(resolved.errors.get((), ())), (operation.query, resolved.errors)
    return "refused" if not resolved.data else "errors" if resolved.errors else "data"


async def test_compiled_is_resolved(both: Both, share: Callable[[range], range]) -> None:
    """Generated operations have the same answer either way, and most of them are compiled."""
    SHOWN.clear()
    seeds = share(range(NUMBER))
    became = Counter([await compare(both, seed) for seed in seeds])
    assert became["data"] > len(seeds) / 4, became
    assert SHOWN["compiled"] > SHOWN["unsupported"] + SHOWN["given_up"], SHOWN


WRONG: tuple[Any, ...] = (None, "BOGUS", 12, 3.5, True, 2**40, [], {}, float("nan"), -1)
SPOILED = ("title", "state", "created", "depth", "kind", "stale", "provider", "ended", "parent", "root", "tasks_total", "blocked_on", "cwd")


@pytest.mark.once
@pytest.mark.parametrize("seed", range(12))
async def test_spoiled_rows_fail_alike(both: Both, seed: int) -> None:
    """Rows that do not fit the schema give the same nulls and errors either way."""
    random = Random(seed)
    row, name = random.choice(both.rows[:30]), random.choice(SPOILED)
    good = row[name]
    row[name] = random.choice(WRONG)
    try:
        for number in range(15):
            await compare(both, 1_000_000 + seed * 100 + number)
    finally:
        row[name] = good
