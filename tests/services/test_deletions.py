"""Deleting graphs (Q20, O40): gone at once for everybody, cleaned away in bounded pieces, whatever dies in between."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from app.domain.card import Card
from app.domain.problems import BadUserInput, Forbidden, NotFound
from app.services.deletions import Deletions
from app.services.event_pages import EventPage
from app.services.moving import Moving
from app.store import deleting, graphs, trims
from app.store.connection import Store
from app.store.keys import generation_key
from app.store.reading import Overtaken
from tests.grown import CLOCK_MS, Grown, grow, reader, soon
from tests.services.test_appending import process
from tests.services.test_bases import base_of
from tests.store.contents import contents, new_graph, raw
from tests.store.test_warming import left_half_done
from tests.strategies.logs import random_log

_KINDS = ("Node", "Task", "Wait", "Spawn", "Message")
LABELS = ("Event", "Checkpoint", "Trimmed", *_KINDS, *(f"{kind}Version" for kind in _KINDS))
MOST = 6 * 500
"""Rows of one piece: so many of each kind."""


def deletions(store: Store) -> Deletions:
    return Deletions(store, lambda: CLOCK_MS, reader(store))


async def rows_of(store: Store, graph_id: str) -> int:
    g = generation_key(graph_id, 1)
    counts = [await raw(store, f"MATCH (x:{label}) WHERE x.g = $g RETURN count(*) AS number", g=g) for label in LABELS]
    return sum(found[0]["number"] for found in counts)


async def left(store: Store, graph_id: str) -> list[deleting.Gone]:
    return [gone for gone in await deleting.left(store, soon()) if gone.id == graph_id]


async def full(store: Store, seed: int = 5) -> Grown:
    """A graph with a base, late events and every kind of row."""
    log = random_log(seed, 300)
    _, said = base_of(log[:30])
    return await grow(store, [*said, *log[60:], *log[30:60]], pieces=2)


async def test_a_deleted_graph_is_gone_at_once_and_then_all_that_it_held(store: Store) -> None:
    """Q20: for reads that are under way too; other graphs keep everything."""
    grown, other = await full(store), await full(store)
    kept = await contents(store, other.graph_id)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    service = deletions(store)
    assert await service.delete(grown.viewer, grown.graph_id.removeprefix("gph_"), soon()) == grown.graph_id
    with pytest.raises(NotFound):
        await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    with pytest.raises(NotFound):
        await at.nodes(["acme:nobody"])
    with pytest.raises(NotFound):
        await grown.append(random_log(6, 3))
    with pytest.raises(NotFound):
        await service.delete(grown.viewer, grown.graph_id, soon())
    assert await grown.graphs.list(grown.viewer, soon()) == []
    await service.cleaned()
    assert await rows_of(store, grown.graph_id) == 0
    assert await left(store, grown.graph_id) == []
    assert await contents(store, other.graph_id) == kept


async def test_a_graph_that_was_trimmed_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """I36, Q20: neither what it remembered nor what had not been cleared away."""
    monkeypatch.setattr(trims, "PIECE", 20)
    log = random_log(5, 300)
    one = process(store, await new_graph(store))
    await graphs.update(store, one.graph_id, {"retention_events": 40}, soon())
    for start in range(0, 300, 50):
        await one.append(log[start : start + 50])
    await one.retention.close()
    assert await deleting.delete(store, one.graph_id, 1, soon())
    service = deletions(store)
    service.clean_up()
    await service.cleaned()
    assert await rows_of(store, one.graph_id) == 0


async def test_an_id_is_used_again_only_when_nothing_is_left(store: Store) -> None:
    """O37: a deleted graph can be restored, and deleted again; never on top of what is still being cleared away."""
    grown = await full(store)
    kept = Card(id=grown.graph_id, account=grown.viewer.account, title="T", source="watch", created=1, retention_events=None)
    moving = Moving(store, grown.graphs, grown.appends)
    for _ in range(2):
        assert await deleting.delete(store, grown.graph_id, 1, soon())
        with pytest.raises(BadUserInput, match="still being cleared away"):
            await moving.restore(grown.viewer, kept, soon())
        service = deletions(store)
        service.clean_up()
        await service.cleaned()
        await moving.restore(grown.viewer, kept, soon())
        await grown.append(random_log(6, 20))
        assert len(await grown.graphs.list(grown.viewer, soon())) == 1


async def test_what_a_cleaner_left_is_taken_up(store: Store) -> None:
    """Q20: wherever it stopped, by the next start of any process; each piece is small."""
    stops = 0
    while True:
        grown = await full(store, seed=9)
        assert await deleting.delete(store, grown.graph_id, 1, soon())
        (gone,) = await left(store, grown.graph_id)
        pieces = 0
        async for number in deleting.clean(store, gone):
            assert number <= MOST
            pieces += 1
            if pieces > stops:
                break
        stopped = bool(await left(store, grown.graph_id))
        service = deletions(store)
        service.clean_up()
        await service.cleaned()
        assert await rows_of(store, grown.graph_id) == 0
        assert await left(store, grown.graph_id) == []
        if not stopped:
            break
        stops += 1
    assert stops > 4


async def test_a_cleaner_that_is_stopped_leaves_the_rest_to_the_next_deletion(store: Store) -> None:
    """Q20: the end of a process loses nothing."""
    first, second = await full(store), await full(store)
    dying = deletions(store)
    await dying.delete(first.viewer, first.graph_id, soon())
    await dying.close()
    assert await left(store, first.graph_id)
    service = deletions(store)
    await service.delete(second.viewer, second.graph_id, soon())
    await service.cleaned()
    assert await rows_of(store, first.graph_id) == await rows_of(store, second.graph_id) == 0


async def test_what_a_dead_append_left_is_cleaned_away_too(store: Store) -> None:
    """O40: rows of a first stage that was never completed lie above what was written."""
    log: list[dict[str, Any]] = random_log(3, 80)
    grown = await grow(store, log)
    await left_half_done(store, grown.graph_id, log)
    row = await graphs.one(store, grown.graph_id, soon())
    assert row is not None
    above = row.standing.written + 5 * 65_536
    g = generation_key(grown.graph_id, 1)
    await raw(store, "MATCH (x:Graph {id: $id}) SET x.adding = $above", id=grown.graph_id, above=above)
    await raw(
        store, "CREATE (:Event {key: $key, g: $g, seq: $seq, bucket: $bucket, arrival: 99999, by_ref: $key})",
        key=uuid4().hex, g=g, seq=above, bucket=above >> 16,
    )  # fmt: skip
    service = deletions(store)
    await service.delete(grown.viewer, grown.graph_id, soon())
    await service.cleaned()
    assert await rows_of(store, grown.graph_id) == 0


async def test_who_may_delete(store: Store) -> None:
    """Q20, Q41: the scope ADMIN, in the own account."""
    grown = await grow(store, random_log(1, 3))
    service = deletions(store)
    with pytest.raises(Forbidden):
        await service.delete(replace(grown.viewer, scopes=frozenset(("read", "write"))), grown.graph_id, soon())
    with pytest.raises(NotFound):
        await service.delete(replace(grown.viewer, account="another"), grown.graph_id, soon())
    assert await grown.graphs.own(grown.viewer, grown.graph_id, soon())


async def test_who_is_reading_or_writing_meanwhile_is_told_that_it_is_gone(store: Store) -> None:
    """Q20, Q41: at whatever moment of an append or a read the graph goes, nothing else goes wrong, and nothing stays behind."""
    log = random_log(12, 120)
    for round_ in range(6):
        grown = await grow(store, log[:60])
        service = deletions(store)

        async def reads(grown: Grown = grown) -> None:
            while True:
                with suppress(Overtaken):  # some of the events are late: doors begin again then
                    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
                    await at.later(soon()).nodes([row["ref"] for row in (await at.snapshot()).rows])
                    await at.events(EventPage(10))

        async def writes(grown: Grown = grown) -> None:
            for number in range(1_000):
                await grown.append([{**event, "id": f"{number:03d}{event['id'][3:]}"} for event in log[60:70]])

        async def goes(service: Deletions = service, grown: Grown = grown, after: float = 0.02 * round_) -> None:
            await asyncio.sleep(after)
            await service.delete(grown.viewer, grown.graph_id, soon())

        *ends, gone = await asyncio.gather(reads(), reads(), writes(), goes(), return_exceptions=True)
        assert gone is None
        assert [type(end) for end in ends] == [NotFound, NotFound, NotFound], ends
        await service.cleaned()
        assert await rows_of(store, grown.graph_id) == 0
