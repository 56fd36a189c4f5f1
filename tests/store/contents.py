"""What a graph's rows in the store are, as a whole, and what they should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from neo4j import Record

from app.domain.envelope import Event, parse_object
from app.domain.history import Batch
from app.domain.projector import Projector
from app.domain.rows import EdgeRow
from app.store import graphs, records
from app.store.connection import Store, Transaction
from app.store.intervals import STEP
from app.store.keys import generation_key
from tests.grown import soon

LABELS = {"node": "Node", "task": "Task", "spawn": "Spawn", "wait": "Wait", "message": "Message"}
TYPES = {"parent": "PARENT_OF", "waits_on": "WAITS_ON"}

Contents = dict[str, list[dict[str, Any]]]
"""Rows by label, in order of their keys."""


async def raw(store: Store, text: str, **params: Any) -> list[Record]:
    """The records of a statement of the tests' own."""

    async def work(tx: Transaction) -> list[Record]:
        return await tx.run_text(text, **params)

    return await store.write(work, soon())


async def new_graph(store: Store, account: str = "acc") -> str:
    """The id of a new graph."""
    graph_id = "gph_" + uuid4().hex[:12]
    await graphs.create(store, graph_id=graph_id, account=account, title=None, source="watch", created=1, retention=None, deadline=soon())
    return graph_id


async def contents(store: Store, graph_id: str) -> Contents:
    """All rows of the graph's generation."""
    g = generation_key(graph_id, 1)
    found: Contents = {}
    for label in ("Event", *LABELS.values(), *(f"{label}Version" for label in LABELS.values())):
        rows = await raw(store, f"MATCH (x:{label}) WHERE x.g = $g RETURN properties(x) AS row", g=g)
        found[label] = [record["row"] for record in rows]
    for type_ in TYPES.values():
        text = f"MATCH (a:Node)-[e:{type_}]->(b:Node) WHERE a.g = $g RETURN a.key AS a, b.key AS b, properties(e) AS row"
        found[type_] = [{**record["row"], "a": record["a"], "b": record["b"]} for record in await raw(store, text, g=g)]
    return in_order(found)


def expected(graph_id: str, calls: Iterable[Sequence[dict[str, Any]]]) -> Contents:
    """What a graph holds that took in these events in these calls, one after the other."""
    g = generation_key(graph_id, 1)
    projector, arrival = Projector(), 0
    found: Contents = {label: [] for label in ("Event", *LABELS.values(), *TYPES.values())}
    found |= {f"{label}Version": [] for label in LABELS.values()}
    for call in calls:
        batch = folded(projector, [parse_object(event) for event in call])
        for recorded in batch.events:
            arrival += 1
            found["Event"].append(records.event(g, recorded, arrival))
        for over in batch.ended:
            if isinstance(over.row, EdgeRow):
                found[TYPES[over.cell.kind]].append(records.edge(g, over.cell, over.since, over.row, over.until))
            else:
                found[f"{LABELS[over.cell.kind]}Version"].append(records.ended(g, over))
    for cell, state in projector.history.now.items():
        if isinstance(state.row, EdgeRow):
            found[TYPES[cell.kind]].append(records.edge(g, cell, state.since, state.row))
        else:
            found[LABELS[cell.kind]].append(records.current(g, cell, state))
    return in_order(found)


def folded(projector: Projector, events: Iterable[Event]) -> Batch:
    """What these events write, at the places that follow."""
    batch = Batch()
    for event in sorted(events, key=lambda event: event.order):
        projector.apply(event, projector.head_seq + STEP, batch)
    return batch


def in_order(found: Contents) -> Contents:
    """The same, each label's rows by key; no key twice."""
    for label, rows in found.items():
        rows.sort(key=lambda row: row["key"])
        assert not [key for key, times in Counter(row["key"] for row in rows).items() if times > 1], label
    return found
