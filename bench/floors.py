"""Floors: the least that an answer or an append can cost by hand, as fast as we can make them.

The official driver with its Rust extension, one statement, shaping by hand, orjson, a bare Starlette route. No keys, no history, no
checks. Each is offered in the forms that could be the fastest; a benchmark takes whichever is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count
from operator import itemgetter
from time import process_time, time
from typing import Any, TypeAlias

import orjson
from neo4j import READ_ACCESS, AsyncDriver, AsyncManagedTransaction
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from app.domain.history import Batch
from app.store import records
from app.store.pieces import added, placed
from bench.beat import Beat
from bench.peer import peer
from bench.queries import READS, task
from bench.rest_floors import rest_floors

# ---- appends ----

ADDED = {
    "events": "Event", "nodes": "NodeVersion", "tasks": "TaskVersion", "spawns": "SpawnVersion", "waits": "WaitVersion",
    "messages": "MessageVersion",
}  # fmt: skip
CURRENT = {"node": "Node", "task": "Task", "spawn": "Spawn", "wait": "Wait", "message": "Message"}
EDGES = ("parent_until", "waits_until", "parent_of", "waits_on")
"""Labels; an edge is written as a node without indexes. A row that is only taken away costs the floor nothing."""

BareRows: TypeAlias = dict[str, list[dict[str, Any]]]


def bare_rows(g: str, batch: Batch) -> BareRows:
    """The rows that the append of `batch` wrote, for a graph key `g` of their own, by label: same number, same properties."""
    found: BareRows = {}
    for name, row in added(g, batch, count(1)):
        found.setdefault(ADDED[name], []).append(row)
    for cell, state in batch.after.items():
        if state is not None and cell.kind in CURRENT:
            found.setdefault(CURRENT[cell.kind], []).append(records.current(g, cell, state))
    edges = [row for name, row in placed(g, batch) if name in EDGES]
    return found | ({"BareEdge": edges} if edges else {})


async def write_in_one(driver: AsyncDriver, database: str | None, rows: BareRows) -> None:
    """One statement, one transaction."""
    parts = [f"FOREACH (row IN $rows.{label} | CREATE (x:{label}) SET x = row)" for label in sorted(rows)]
    async with driver.session(database=database) as session:
        await (await session.run(" ".join(parts), {"rows": rows})).consume()


async def write_by_label(driver: AsyncDriver, database: str | None, rows: BareRows) -> None:
    """One transaction with an `UNWIND` for each label."""

    async def work(tx: AsyncManagedTransaction) -> None:
        for label in sorted(rows):
            await (await tx.run(f"UNWIND $rows AS row CREATE (x:{label}) SET x = row", {"rows": rows[label]})).consume()

    async with driver.session(database=database) as session:
        await session.execute_write(work)


WRITES = (write_in_one, write_by_label)

# ---- reads ----

FORMS = ("whole", "pieces")
"""One record with everything, or records of 250 rows, which let store and gateway work at the same time."""


def statement(columns: Sequence[str], form: str) -> str:
    """All nodes of a graph as they are now, each as a list of the columns."""
    values = ", ".join(f"n.{name}" for name in columns)
    collected = f"MATCH (n:Node {{g: $g}}) WITH collect([{values}]) AS rows"
    if form == "whole":
        return f"{collected} RETURN rows"
    return f"{collected} UNWIND range(0, size(rows) - 1, 250) AS i RETURN rows[i..i + 250] AS rows"


_TASKS = "MATCH (t:Task {g: $g}) RETURN collect([t.ref, t.position, t.id, t.text, t.active_text, t.status]) AS rows"


async def by_hand(driver: AsyncDriver, database: str | None, name: str, form: str, graph_id: str, g: str) -> dict[str, Any]:
    """The data of an operation, from the state now. `g`: the store's key of the graph."""
    read = READS[name]

    async def rows_of(text: str) -> list[list[Any]]:
        async with driver.session(database=database, default_access_mode=READ_ACCESS, fetch_size=-1) as session:
            result = await session.run(text, {"g": g})
            return [row async for record in result for row in record[0]]

    if read.tasks:
        rows, found = await asyncio.gather(rows_of(statement(read.columns, form)), rows_of(_TASKS))
        tasks: dict[str, list[dict[str, Any]]] = {}
        for ref, _, *values in sorted(found, key=itemgetter(1)):
            tasks.setdefault(ref, []).append(task(*values))
        for row in rows:
            row.append(tasks.get(row[0], []))
    else:
        rows = await rows_of(statement(read.columns, form))
    return read.shape(graph_id, rows, int(time()) * 1_000_000_000)


def floor_app(driver: AsyncDriver, database: str | None) -> Starlette:
    """`/floor/READ/FORM?graph=ID&g=KEY`: the answer of that operation, made by hand. `/floor/nothing`: no work at all.

    `/floor/beat/start` and `stop`: how long the event loop was held in between, in milliseconds. `/floor/processor`: the processor time
    that the process has taken, in seconds. `/floor/rest/…`: pages of REST; `/floor/peer/`: the tree by resolvers.
    """

    async def answer(request: Request) -> Response:
        name, form = request.path_params["name"], request.path_params["form"]
        data = await by_hand(driver, database, name, form, request.query_params["graph"], request.query_params["g"])
        return Response(orjson.dumps({"data": data}), media_type="application/json")

    async def nothing(_: Request) -> Response:
        return Response(b"{}", media_type="application/json")

    beat = Beat()

    async def beating(request: Request) -> Response:
        if request.path_params["what"] == "start":
            beat.start()
            return await nothing(request)
        return Response(orjson.dumps(list(beat.stop())), media_type="application/json")

    async def processor(_: Request) -> Response:
        return Response(orjson.dumps(process_time()), media_type="application/json")

    routes = [
        Route("/floor/nothing", nothing),
        Route("/floor/processor", processor),
        Route("/floor/beat/{what}", beating),
        Mount("/floor/rest", rest_floors(driver, database)),
        Mount("/floor/peer", peer(driver, database)),
        Route("/floor/{name}/{form}", answer),
    ]
    return Starlette(routes=routes)
