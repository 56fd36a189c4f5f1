"""Rho graphs: what checking, hashing and scheduling cost at the caps, and storing and giving back a whole upload (G41, G61, O33)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from graphlib import TopologicalSorter
from itertools import chain
from statistics import median
from time import process_time
from typing import Any, TypeAlias
from uuid import uuid4

from neo4j import READ_ACCESS, AsyncDriver

from app.domain.rho.apart import put_together, take_apart
from app.domain.rho.envelope import canonical_json
from app.domain.rho.json_text import read_json
from app.domain.rho.profiles import Profile
from app.domain.rho.schedule import MOST_BLOCKING_EDGES, MOST_TASKS, Task, read_tasks, schedule
from app.domain.rho.timestamps import from_ms
from app.domain.rho.validate import validate
from app.domain.rho.vocabulary import MOST_FACTS
from app.services.clock import system_clock
from app.services.rho.rho import Rho
from app.store.connection import driver_for
from app.store.rho import rows
from app.store.statements import statement
from bench.floors import WRITES, BareRows
from bench.results import Result
from bench.stores import VIEWER, Bed, soon
from bench.timing import alternating, taken

Fields: TypeAlias = dict[str, Any]

DOCUMENT_GOAL = 6.0
"""Every field of every fact is looked at; a bare round trip looks at none."""

SCHEDULE_GOAL = 2.0
GROWTH_GOAL = 1.5
"""Linear, with some room for what a larger heap costs."""

STORE_GOAL = 2.0
"""Taking in checks and hashes everything, and lets readers see it in a commit of its own; giving back hashes it again."""

_BEGUN_MS = 1_790_000_000_000
_WIDTH, _BLOCKERS = 20, 10


def upload(number: int = 0) -> Fields:
    """A valid envelope of 250 nodes, 400 edges and 250 events: as many facts as an upload may have. Each `number` is another one."""

    def at(place: int) -> str:
        return from_ms(_BEGUN_MS + 1_000 * place + number)

    def source(place: int) -> Fields:
        return {"provenance": {"producer": "rho", "source_id": f"s{place}"}}

    def task(place: int) -> Fields:
        return {"kind": "execution", "id": f"rho/task/n{number}.{place % 250:03d}"}

    attributes = {"entity_type": "task", "data_classification": "metadata_only", "status": "pending", "subject_sha256": "0" * 64}
    nodes = [{**task(place), "created_at": at(place), "attributes": attributes, **source(place)} for place in range(250)]
    edges = [
        {
            "id": f"rho/edge/{place:03d}",
            "kind": "references",
            "from": task(place),
            "to": task(7 * place + 1),
            "created_at": at(place),
            **source(place),
        }
        for place in range(400)
    ]
    events = [
        {"id": f"rho/event/{place:03d}", "type": "observed", "subject": task(place), "occurred_at": at(place), **source(place)}
        for place in range(250)
    ]
    return {"schema_version": "rho.graph/v1", "generated_at": from_ms(_BEGUN_MS), "nodes": nodes, "edges": edges, "events": events}


def layers(tasks: int) -> list[Task]:
    """Tasks in layers of 20, each blocked by ten of the layer before: nearly ten blocking edges a task."""
    found = []
    for place in range(tasks):
        layer = place // _WIDTH - 1
        blockers = [f"t{layer * _WIDTH + (place + step) % _WIDTH:04d}" for step in range(_BLOCKERS)] if layer >= 0 else []
        dependencies = [{"targetId": blocker, "type": "blocks"} for blocker in blockers]
        found.append({"id": f"t{place:04d}", "status": "pending", "dependencies": dependencies})
    return read_tasks(found)


def rho(quick: bool) -> list[Result]:
    """What needs no store."""
    times = 5 if quick else 25
    text = json.dumps(upload()).encode()

    def checked() -> str:
        document = read_json(text)
        assert validate(document, Profile.CLOUD).facts == MOST_FACTS
        return canonical_json(document)

    ours, floor = _medians((checked, lambda: json.dumps(json.loads(text), sort_keys=True)), times)
    note = f"{MOST_FACTS} facts, {len(text):,} bytes: read, cloud profile, canonical form; the floor parses and writes them"
    results = [Result("rho-document", "none", ours, floor, "ms", DOCUMENT_GOAL, note)]
    small, large = layers(MOST_TASKS // 4), layers(MOST_TASKS)
    edges = schedule(large).unique_blocking_edges
    assert 0.95 * MOST_BLOCKING_EDGES < edges <= MOST_BLOCKING_EDGES
    assert [sorted(wave) for wave in _bare_waves(large)] == [list(wave) for wave in schedule(large).waves]
    at_quarter, ours, floor = _medians((lambda: schedule(small), lambda: schedule(large), lambda: _bare_waves(large)), times)
    note = f"{MOST_TASKS:,} tasks, {edges:,} blocking edges; the floor is graphlib's sorter"
    results.append(Result("rho-schedule", "none", ours, floor, "ms", SCHEDULE_GOAL, note))
    share = schedule(small).unique_blocking_edges / edges
    results.append(
        Result("rho-schedule-growth", "none", ours, at_quarter / share, "ms", GROWTH_GOAL, "at the caps against a quarter of them")
    )
    return results


async def on_store(bed: Bed, quick: bool) -> list[Result]:
    """Taking an upload's worth of facts in, against bare rows; giving it back, against reading the bodies and joining them."""
    rounds, service = 4 if quick else 20, Rho.on(bed.store, system_clock, 1_000)
    ours, floors, key = list[float](), [list[float]() for _ in WRITES], ""
    async with driver_for(bed.address) as driver:
        for number in range(-2, rounds):
            envelope = upload(uuid4().int % 1_000_000)
            bare = [_bare_rows(envelope) for _ in WRITES]
            took = await taken(partial(service.imports.import_envelope, VIEWER, envelope, None, soon()))
            others = [await taken(partial(write, driver, bed.address.database, each)) for write, each in zip(WRITES, bare, strict=True)]
            if number >= 0:
                ours.append(took)
                for all_, one in zip(floors, others, strict=True):
                    all_.append(one)
        key = (await service.imports.import_envelope(VIEWER, envelope, None, soon())).snapshot.key
        given, bodies = partial(service.reading.export, VIEWER, key, soon()), partial(_bare_export, driver, bed.address.database, key)
        assert await given() == await bodies()
        export, floor = await alternating((given, bodies), rounds)
    note = f"{MOST_FACTS} facts and what joins them; the floor creates the same rows in one transaction"
    return [
        Result("rho-import", bed.engine, median(ours), min(map(median, floors)), "ms", STORE_GOAL, note),
        Result("rho-export", bed.engine, export, floor, "ms", STORE_GOAL, f"{MOST_FACTS} facts; the floor reads and joins their texts"),
    ]


def _bare_rows(envelope: Fields) -> BareRows:
    """The rows that taking an envelope in writes, under a key of their own; what joins two of them is a row too, without ends."""
    key = uuid4().hex
    made: dict[str, list[Fields]] = {name: [] for name in rows.FACTS}
    for name, row in rows.facts(key, take_apart(envelope)):
        made[name].append(row)
    nodes, events = made.pop("nodes"), made.pop("events")
    edges = [row["row"] for row in chain.from_iterable(made.values())]
    joins = [{"a": key, "b": row["skey"]} for row in (*nodes, *(event["row"] for event in events))]
    joins += [{"a": event["row"]["skey"], "b": event["subject"]} for event in events]
    return {"RhoNode": nodes, "RhoEvent": [event["row"] for event in events], "BareRhoEdge": edges, "BareRhoJoin": joins}


async def _bare_export(driver: AsyncDriver, database: str | None, key: str) -> str:
    """The same statements, one session, no checks."""
    found = []
    async with driver.session(database=database, default_access_mode=READ_ACCESS, fetch_size=-1) as session:
        frame = await (await session.run("MATCH (s:RhoSnapshot {key: $key}) RETURN s.frame AS frame", {"key": key})).single(strict=True)
        for kind in ("nodes", "edges", "events"):
            result = await session.run(statement(f"rho/{kind}"), {"lists": {"keys": [key]}})
            found.append((await result.single(strict=True))["rows"])
    return put_together(frame["frame"], *found)


def _bare_waves(tasks: Sequence[Task]) -> list[tuple[str, ...]]:
    sorter = TopologicalSorter({task.id: {each.target for each in task.dependencies} for task in tasks})
    sorter.prepare()
    waves = []
    while sorter.is_active():
        wave = sorter.get_ready()
        sorter.done(*wave)
        waves.append(wave)
    return waves


def _medians(works: Sequence[Callable[[], object]], times: int) -> list[float]:
    """The median of each in milliseconds of processor time, taking turns."""
    took: list[list[float]] = [[] for _ in works]
    for _ in range(times):
        for work, each in zip(works, took, strict=True):
            started = process_time()
            work()
            each.append((process_time() - started) * 1e3)
    return [median(each) for each in took]
