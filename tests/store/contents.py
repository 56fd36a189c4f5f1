"""What a graph's rows in the store are, as a whole, and what they should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import uuid4

from neo4j import Record

from app.domain.envelope import Event, parse_object
from app.domain.history import Batch
from app.domain.keyframe import Keyframe
from app.domain.projector import Projector
from app.domain.rows import EdgeRow
from app.store import graphs, records
from app.store.connection import Store, Transaction
from app.store.intervals import BASE, STEP
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


async def generation(store: Store, graph_id: str) -> str:
    """The key of the graph's generation."""
    standing = await graphs.standing(store, graph_id, soon())
    assert standing is not None
    return standing[0]


async def contents(store: Store, graph_id: str) -> Contents:
    """All rows of the graph's generation."""
    g = await generation(store, graph_id)
    found: Contents = {}
    for label in ("Event", *LABELS.values(), *(f"{label}Version" for label in LABELS.values())):
        rows = await raw(store, f"MATCH (x:{label}) WHERE x.g = $g RETURN properties(x) AS row", g=g)
        found[label] = [record["row"] for record in rows]
    for type_ in TYPES.values():
        text = f"MATCH (a:Node)-[e:{type_}]->(b:Node) WHERE a.g = $g RETURN a.key AS a, b.key AS b, properties(e) AS row"
        found[type_] = [{**record["row"], "a": record["a"], "b": record["b"]} for record in await raw(store, text, g=g)]
    return in_order(found)


def expected(graph_id: str, calls: Iterable[Sequence[dict[str, Any]]]) -> Contents:
    """What a graph holds that took in these events in these calls, one after the other, each call later than the one before."""
    projector, all_of_it = Projector(), Batch()
    for call in calls:
        batch = folded(projector, [parse_object(event) for event in call])
        all_of_it.events += batch.events
        all_of_it.ended += batch.ended
    return rows_of(graph_id, projector, all_of_it, range(1, len(all_of_it.events) + 1))


def rows_of(graph_id: str, projector: Projector, batch: Batch, arrivals: Iterable[int], g: str | None = None) -> Contents:
    """What a graph holds of which `batch` is the whole history, and `projector` where it stands. `arrivals`: the events' numbers.

    `g`: key of the generation; its first one without.
    """
    g = generation_key(graph_id, 1) if g is None else g
    found: Contents = {label: [] for label in ("Event", *LABELS.values(), *TYPES.values())}
    found |= {f"{label}Version": [] for label in LABELS.values()}
    found["Event"] = [records.event(g, recorded, arrival) for recorded, arrival in zip(batch.events, arrivals, strict=True)]
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


async def check(store: Store, graph_id: str, came: Sequence[dict[str, Any]], base: Keyframe | None = None, gone: int | None = None) -> None:
    """All rows of the graph are those of one fold from the base at the places that the store gives its events.

    `gone`: how many more came that a restart has dropped.
    """
    found = await contents(store, graph_id)
    order: list[Event] = sorted((parse_object(event) for event in came), key=lambda event: event.order)
    events = sorted(found["Event"], key=lambda row: row["seq"])
    assert [row["id"] for row in events] == [event.id for event in order]
    late = {row["id"] for row in events if row.pop("late", False)}
    if gone is None:
        assert sorted(row["arrival"] for row in events) == list(range(1, len(order) + 1))
        assert late == {row["id"] for place, row in enumerate(events) if any(after["arrival"] < row["arrival"] for after in events[place:])}
    projector, batch = (Projector(), Batch()) if base is None else Projector.from_keyframe(base, BASE)
    for row, event in zip(events, order, strict=True):
        projector.apply(event, row["seq"], batch)
    wanted = rows_of(graph_id, projector, batch, [row["arrival"] for row in events], await generation(store, graph_id))
    for label, rows in wanted.items():
        assert found[label] == rows, label
    row = await graphs.one(store, graph_id, soon())
    assert row is not None
    assert row.standing.settled
    assert (row.standing.held, row.standing.arrival) == (len(order), len(order) + (gone or 0))
    if not order:
        assert (row.standing.head, row.standing.floor, row.first, row.last) == (0 if base is None else BASE, 0, None, None)
        return
    assert row.first is not None
    assert row.last is not None
    first, last = batch.events[0], batch.events[-1]
    assert (row.standing.floor, row.first.id, row.first.nodes) == (first.seq, first.event.id, first.nodes)
    assert (row.standing.head, row.last.id, row.last.nodes) == (last.seq, last.event.id, last.nodes)


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
