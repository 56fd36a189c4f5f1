"""Readers at the head while a writer in another process appends: every answer is exactly the state after the event that it names."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from time import perf_counter
from typing import Any

import orjson

from app.demo.adversarial import tree_nodes
from app.demo.stamps import unix_ms
from app.domain.envelope import parse_line
from app.domain.history import Batch
from app.domain.ids import event_id, node_id
from app.domain.projector import Projector
from app.domain.rows import NodeRow
from app.store.intervals import STEP
from bench.client import Client
from bench.logs import rounds
from bench.results import Result
from bench.serving import served
from bench.stores import VIEWER, Bed, soon

NODES = 200
CHANGED = 50
"""Nodes that each append changes."""

MOST_APPENDS = 50
"""Appends a second, at most."""

READERS = 2
_QUERY = """query($id: ID!) { graph(id: $id) { asOfEventId nodes(first: 1000) { nodes {
  id state title summary headline attention created lastEvent parentId childCount taskCounts { total open }
} } } }"""


@dataclass(slots=True)
class _Seen:
    """What readers were told: how many answers, and every different one, by the event that it names."""

    reads: int = 0
    backwards: int = 0
    answers: dict[str, dict[bytes, bytes]] = field(default_factory=dict)
    counts: dict[tuple[str, bytes], int] = field(default_factory=dict)


async def readers(bed: Bed, quick: bool) -> list[Result]:
    """Two readers over HTTP, nothing kept in memory, until so many answers are there; then each is compared with a fold of the log."""
    wanted = 300 if quick else 10_000
    made = list(tree_nodes(NODES))
    refs = list(dict.fromkeys(event["node"] for event in made))
    log = [orjson.dumps(event) for event in made]
    graph_id = await bed.new_graph()
    await bed.load(graph_id, made)
    seen = _Seen()
    order = {event["id"]: place for place, event in enumerate(made)}
    async with served(bed) as first, first.another() as second:
        started = perf_counter()
        writing = asyncio.create_task(_write(bed, graph_id, rounds(refs, unix_ms(made[-1]["ts"]) + 1_000, CHANGED), log, order))
        try:
            await asyncio.gather(*(_read(client, graph_id, seen, wanted, order) for client in (first, second)))
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
        seconds = perf_counter() - started
    if not writing.cancelled() and writing.exception() is not None:
        raise writing.exception()  # type: ignore[misc]
    wrong = seen.backwards + _wrong(log, seen)
    appends = (len(log) - len(made)) // CHANGED
    note = (
        f"wrong answers of {seen.reads:,}, which name {len(seen.answers):,} events; {seen.reads / seconds:,.0f} reads and "
        f"{appends / seconds:,.1f} appends of {CHANGED} nodes a second; the floor is none"
    )
    return [Result("readers", bed.engine, wrong, 0, "wrong", 0, note)]


async def _write(bed: Bed, graph_id: str, events: Iterator[list[dict[str, Any]]], log: list[bytes], order: dict[str, int]) -> None:
    for some in events:
        until = perf_counter() + 1 / MOST_APPENDS
        lines = [orjson.dumps(event) for event in some]
        for event in some:
            order[event["id"]] = len(order)
        log += lines
        await bed.appends.append(VIEWER, graph_id, lines, soon())
        await asyncio.sleep(max(until - perf_counter(), 0))


async def _read(client: Client, graph_id: str, seen: _Seen, wanted: int, order: dict[str, int]) -> None:
    request = client.post("/graphql", orjson.dumps({"query": _QUERY, "variables": {"id": graph_id}}))
    newest = 0
    while seen.reads < wanted:
        answer = await client.ask(request)
        seen.reads += 1
        digest = blake2b(answer, digest_size=16).digest()
        place = answer.index(b'"asOfEventId":"evt_') + 19
        own_id = answer[place : answer.index(b'"', place)].decode()
        seen.answers.setdefault(own_id, {}).setdefault(digest, answer)
        seen.counts[own_id, digest] = seen.counts.get((own_id, digest), 0) + 1
        seen.backwards += order[own_id] < newest
        newest = max(newest, order[own_id])


def _wrong(log: list[bytes], seen: _Seen) -> int:
    """How many answers are not what a fold of the log says."""
    projector, wrong, found = Projector(), 0, 0
    for number, line in enumerate(log, start=1):
        event = parse_line(line)
        projector.apply(event, number * STEP, Batch())
        answers = seen.answers.get(event.id)
        if answers is None:
            continue
        found += 1
        right = {"data": {"graph": {"asOfEventId": event_id(event.id), "nodes": {"nodes": _nodes(projector)}}}}
        wrong += sum(seen.counts[event.id, digest] for digest, answer in answers.items() if orjson.loads(answer) != right)
    assert found == len(seen.answers), "an answer names an event that was never sent"
    return wrong


def _nodes(projector: Projector) -> list[dict[str, Any]]:
    rows = [(cell.ref, state.row) for cell, state in projector.history.now.items() if isinstance(state.row, NodeRow)]
    rows.sort(key=lambda found: (-found[1].created, found[0]))
    return [_node(ref, row) for ref, row in rows]


def _node(ref: str, row: NodeRow) -> dict[str, Any]:
    return {
        "id": node_id(ref), "state": row.state.upper(), "title": row.title, "summary": row.summary, "headline": row.headline,
        "attention": row.attention, "created": row.created, "lastEvent": row.last_event,
        "parentId": None if row.parent is None else node_id(row.parent), "childCount": row.child_count,
        "taskCounts": {"total": row.tasks_total, "open": row.tasks_pending + row.tasks_in_progress},
    }  # fmt: skip
