"""Whole graphs over HTTP: GraphQL against the same answer by hand, and old moments against now."""

from __future__ import annotations

from functools import partial

import orjson

from app.domain.ids import event_id
from bench.client import Client
from bench.floors import FORMS
from bench.logs import bare_tree, busy_tree
from bench.queries import READS
from bench.results import Result
from bench.serving import served
from bench.stores import VIEWER, Bed, soon
from bench.timing import alternating

NODES = 1_000
LARGE = 25_000
NOW = 2.0
"""Times the floor that a read of the present may take."""
TENTH = 0.1
"""Of what resolvers take."""
THEN = 2.0
"""Times a read of the present that one of an old moment may take."""


class UnequalAnswersError(Exception):
    """Two ways to the same answer that differ: nothing may be timed."""


async def present(bed: Bed, name: str, quick: bool) -> list[Result]:
    """The state now, with nothing kept in memory between requests."""
    size = LARGE // 10 if quick else LARGE
    large = READS[name].large
    graph_id = await bed.kept(f"bare-{size}", partial(bare_tree, size)) if large else await _history(bed, 2_000)
    rounds = (2 if quick else 8) if large else (10 if quick else 60)
    g = (await bed.graphs.at(VIEWER, graph_id, None, soon())).info.g
    async with served(bed) as client:
        ours = partial(client.ask, _question(client, name, graph_id))
        floors = [partial(client.ask, client.get(f"/floor/{name}/{form}?graph={graph_id}&g={g}")) for form in FORMS]
        nothing = partial(client.ask, client.get("/floor/nothing"))
        answer = await ours()
        for form, floor in zip(FORMS, floors, strict=True):
            same(answer, await floor(), f"{name} and its floor ({form})")
        _count(name, answer, size if large else NODES)
        took, *by_hand, empty = await alternating([ours, *floors, nothing], rounds, warm=1 if large else 3)
    async with served(bed, cached_nodes=50_000) as client:
        (kept,) = await alternating([partial(client.ask, _question(client, name, graph_id))], rounds)
    form = FORMS[by_hand.index(min(by_hand))]
    note = f"{len(answer):,} bytes; floor: {form}; an empty answer takes {empty:.2f} ms; ours with the graph in memory {kept:.2f} ms"
    return [Result(name, bed.engine, took, min(by_hand), "ms", NOW, note)]


async def idiomatic(bed: Bed, quick: bool) -> list[Result]:
    """The nested tree against the same one from resolvers and DataLoaders, as the library's guide has it."""
    name = "tree-1000x12"
    graph_id = await _history(bed, 2_000)
    async with served(bed) as client:
        question = _question(client, name, graph_id)
        ours, theirs = partial(client.ask, question), partial(client.ask, question.replace(b"POST /graphql ", b"POST /floor/peer/ ", 1))
        same(await ours(), await theirs(), "idiomatic")
        took, peer = await alternating([ours, theirs], 4 if quick else 20)
    note = f"{name} by resolvers and DataLoaders takes {peer / took:.1f} times as long"
    return [Result("idiomatic", bed.engine, took, peer, "ms", TENTH, note)]


async def past(bed: Bed, events: int, quick: bool) -> list[Result]:
    """The whole tree at old moments, with so many events of history behind and before them."""
    graph_id = await _history(bed, events)
    log = [event["id"] for event in busy_tree(NODES, events)]
    places = [len(log) - events + events * tenths // 10 for tenths in (1, 5, 9)]
    name = "tree-1000x12"
    async with served(bed) as client:
        now = partial(client.ask, _question(client, name, graph_id))
        then = [partial(client.ask, _question(client, name, graph_id, log[place])) for place in places]
        for ask in (now, *then):
            _count(name, await ask())
        took, *old = await alternating([now, *then], 6 if quick else 30)
    figures = ", ".join(f"{ms:.1f}" for ms in old)
    note = f"{NODES:,} nodes after a tenth, half and nine tenths of {events:,} events: {figures} ms; the floor is now"
    return [Result(f"asof-{events}", bed.engine, max(old), took, "ms", THEN, note)]


async def _history(bed: Bed, events: int) -> str:
    """A graph of `NODES` nodes with so many events after they were made, the same for every benchmark of a run."""
    return await bed.kept(f"busy-{events}", partial(busy_tree, NODES, events))


def _question(client: Client, name: str, graph_id: str, after: str | None = None) -> bytes:
    as_of = None if after is None else {"event": event_id(after)}
    return client.post("/graphql", orjson.dumps({"query": READS[name].operation, "variables": {"id": graph_id, "asOf": as_of}}))


def same(ours: bytes, floor: bytes, which: str) -> None:
    """Raises UnequalAnswersError where two answers differ."""
    if orjson.loads(ours) != orjson.loads(floor):
        raise UnequalAnswersError(which)


def _count(name: str, answer: bytes, nodes: int = NODES) -> None:
    """Every node is there, and nothing failed."""
    if answer.count(b'"providerRef":') != nodes or b'"errors"' in answer[:200]:
        raise UnequalAnswersError(f"{name}: {answer[:500].decode()}")
