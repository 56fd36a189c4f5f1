"""Held history rewritten: what late events change, in one transaction between an odd and an even revision.

While the revision is odd nobody reads, since a commit is not one moment for a reader. The transaction is whole or not at all (its rows are
written beside the first turn of the revision, and committed after it), and each of the three looks whether the graph still stands where
this writer left it: so whoever finds an odd revision that lasts may make it even (`turn`), whatever became of the writer.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from typing import Any

from app.domain.history import Recorded
from app.domain.rewriting import Difference, Edge
from app.store import checkpoints, records
from app.store.appending import Following, Ground, guarded, guarded_ahead, guarded_with
from app.store.connection import Store, Transaction
from app.store.deadline import Deadline
from app.store.graphs import Standing
from app.store.intervals import OPEN
from app.store.keys import cell_key, event_key, since_key
from app.store.pieces import EDGES, LABELS, Pieces, Rows

_NOW = tuple(LABELS.values())
_PAST = tuple(f"{name}_past" for name in _NOW)
_BOTH_EDGES = tuple(made for made, _ in EDGES.values())
_EVENTS = ("events", "events_set")


async def turn(store: Store, ground: Ground, deadline: Deadline) -> Ground:
    """Moves the revision on by one: to even after history was rewritten, or after a writer that died. Raises: Stale."""
    turned = _turned(ground)
    record = await guarded(store, "rewrite/turn", ground, {"to_at": list(turned.standing)}, deadline)
    return replace(turned, keep=record["keep"])


def _turned(ground: Ground) -> Ground:
    return ground.at(revision=ground.standing.revision + 1)


async def rewrite(
    store: Store, ground: Ground, changed: Difference, to: Standing, ends: tuple[Recorded | None, Recorded], late: Container[str],
    heard: int, deadline: Deadline,
) -> Ground:  # fmt: skip
    """Moves the revision on to odd, and writes all of `changed`, and where the graph then stands but for the revision.

    `ends`: its first event (None: still the same) and its last.

    New events are numbered after the last that came; `late`: ids of those that come before one that was there; `heard`: Unix ms at which
    the producer was. Raises: Stale, with nothing written.
    """
    g = ground.g
    first, last = ends
    odd = _turned(ground)
    to = to._replace(revision=odd.standing.revision)
    stage = {
        "to_at": list(to), "heard": heard, "first_end": [] if first is None else records.end(first), "last_end": records.end(last)
    }  # fmt: skip
    place = min(each.seq for each in (*changed.events_on, *changed.events_set))

    async def rows(tx: Transaction) -> dict[str, Any]:
        await checkpoints.drop(tx, g, place, OPEN)  # those from there on are no longer so
        await _run(tx, "append/unmake_edges", _edge_rows(g, changed.edges_off), _BOTH_EDGES)
        await _run(tx, "rewrite/off", _off(g, changed), (*_NOW, *_PAST))
        await _run(tx, "rewrite/on", _on(g, changed), (*_NOW, *_PAST))
        await _run(tx, "rewrite/edges", _edge_rows(g, changed.edges_on), _BOTH_EDGES)
        await _run(tx, "rewrite/events", _events(g, changed, ground.standing.arrival, late), _EVENTS)
        return stage

    turning = {"to_at": list(odd.standing)}
    if not await guarded_ahead(store, "rewrite/turn", ground, turning, Following("rewrite/stand", odd, rows), deadline):
        await guarded_with(store, "rewrite/stand", odd, stage, deadline, lambda tx, _: rows(tx))
    return replace(odd, standing=to)


async def _run(tx: Transaction, name: str, rows: Rows, lists: tuple[str, ...]) -> None:
    """A statement for each piece of the rows. Every row must be found or made: nothing is to be dropped without a word."""
    async with Pieces(rows, lists) as pieces:
        async for piece, _ in pieces:
            if not any(piece.values()):
                continue
            counts = await tx.one(name, rows=piece)
            assert counts is not None
            wrong = {of: counts[of] for of in lists if counts[of] != len(piece[of])}
            if wrong:
                raise RuntimeError(f"{name}: {wrong} of { ({of: len(piece[of]) for of in wrong}) } rows")


def _off(g: str, changed: Difference) -> Rows:
    for cell in changed.now_off:
        yield LABELS[cell.kind], {"key": cell_key(g, cell)}
    for cell, since in changed.past_off:
        yield f"{LABELS[cell.kind]}_past", {"key": since_key(cell_key(g, cell), since)}


def _on(g: str, changed: Difference) -> Rows:
    for cell, state in changed.now_on:
        yield LABELS[cell.kind], records.current(g, cell, state)
    for over in changed.past_on:
        yield f"{LABELS[over.cell.kind]}_past", records.ended(g, over)


def _edge_rows(g: str, edges: Iterable[Edge]) -> Rows:
    for edge in edges:
        until = OPEN if edge.until is None else edge.until
        yield EDGES[edge.cell.kind][0], records.edge(g, edge.cell, edge.since, edge.row, until)


def _events(g: str, changed: Difference, arrival: int, late: Container[str]) -> Iterator[tuple[str, records.Properties]]:
    for number, recorded in enumerate(changed.events_on, arrival + 1):
        yield "events", records.event(g, recorded, number, late=recorded.event.id in late)
    for recorded in changed.events_set:
        yield "events_set", {"key": event_key(g, recorded.event.id), "set": records.placed_event(g, recorded)}
