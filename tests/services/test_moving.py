"""Exports (O7, O37): taken in elsewhere, they give the same graph; whoever reads one sees one history, whole."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from uuid import uuid4

import orjson
import pytest

from app.domain.card import Card
from app.domain.envelope import parse_line
from app.domain.keyframe import merge
from app.domain.moments import AsOf
from app.domain.problems import BadUserInput, Forbidden, NotFound
from app.services import moving as service
from app.services.appending import Appends
from app.services.moving import Moving
from app.services.projectors import Projectors
from app.services.viewer import ALL_SCOPES, Viewer
from app.store import graphs
from app.store.connection import Store
from app.store.reading import Overtaken
from tests.grown import CLOCK_MS, Grown, event, grow, reader, soon
from tests.oracle import log_of, state_after
from tests.services.test_bases import base_of
from tests.services.test_graph_at import whole
from tests.store.contents import check
from tests.strategies.logs import random_log

OPERATOR = Viewer("local", ALL_SCOPES, key_id="operator", operator=True)


def moving(store: Store) -> Moving:
    """The service, with nothing in its memory."""
    return Moving(store, reader(store), Appends(store, Projectors(store), lambda: CLOCK_MS))


async def exported(store: Store, viewer: Viewer, graph_id: str) -> list[bytes]:
    """All lines of an export."""
    export = await moving(store).export(viewer, graph_id, soon())
    lines = [line for page in [page async for page in export.pages] for line in page]
    assert len(lines) == export.lines
    return lines


async def elsewhere(store: Store, lines: list[bytes], size: int = 50) -> str:
    """A graph of another account that has taken these lines in, the keyframe's first and as a whole."""
    card = Card(
        id=f"gph_{uuid4().hex[:12]}", account=f"acc_{uuid4().hex}", title="Ünü 🎉", source="upload", created=17, retention_events=0
    )  # fmt: skip
    into = moving(store)
    await into.restore(OPERATOR, card, soon())
    parts = sum(parse_line(line).type == "keyframe" for line in lines)
    for batch in [lines[:parts], *(lines[at : at + size] for at in range(parts, len(lines), size))]:
        assert (await into.take_in(OPERATOR, card.id, batch, soon())).invalid == []
    return card.id


UNUSUAL = [
    event(1, "session.started", "lead", 0, title='line\u2028sep \u0085 \x00 "quoted" \\ 🎉 \ud7ff'),
    event(2, "note", "lead", 10, tïtle="x" * 5_000, deep={"a": [1.5, None, True, {"b": "\r\n"}]}),
    {**event(3, "status", "lead", 20, state="idle"), "trace": {"hidden": "stays"}, "unknown": 1},
]


@pytest.mark.shared
@pytest.mark.parametrize("seed", range(4))
async def test_an_export_taken_in_elsewhere_is_the_same_graph(store: Store, seed: int) -> None:
    """O7: with late events, with and without a base: all its rows are those of one fold over everything that ever came."""
    rng = random.Random(seed)
    log = random_log(seed, 120)
    cut = rng.choice((0, 30)) if seed > 1 else 30 * seed
    base, said = base_of(log[:cut]) if cut else (None, [])
    rest = log[cut:]
    rng.shuffle(rest)
    grown = await grow(store, said)
    for at in range(0, len(rest), 40):
        await grown.appends.append(grown.viewer, grown.graph_id, rest[at : at + 40], soon())
    lines = await exported(store, grown.viewer, grown.graph_id)
    other = await elsewhere(store, lines, rng.choice((7, 50)))
    await check(store, other, rest, base)
    if base is not None:
        parts = [parse_line(line) for line in lines[: len(said)]]
        assert merge(parts) == base
    assert await exported(store, OPERATOR, other) == lines


@pytest.mark.parametrize("cut", [0, 25])
async def test_moments_there_are_the_folds_of_the_whole_log(store: Store, cut: int) -> None:
    """O7: as of sampled events the reading service gives what a naive fold of everything gives, late events and a base included."""
    log = random_log(11, 80)
    said = base_of(log[:cut])[1] if cut else []
    grown = await grow(store, [*said, *log[cut + 30 :]])
    await grown.append(log[cut : cut + 30])
    lines = await exported(store, grown.viewer, grown.graph_id)
    other = await elsewhere(store, lines)
    owner = replace(grown.viewer, account=(await _row(store, other)).account)
    everything = log_of([*said, *log[cut:]])
    for n in range(1, len(everything.events) + 1, 6):
        at = await reader(store).at(owner, other, AsOf(event=everything.events[n - 1]["id"]), soon())
        assert await whole(at) == state_after(everything, n)


async def test_events_come_as_they_were_sent(store: Store) -> None:
    """O7: to the byte, with members that no door shows; one event a line, though it came on several."""
    grown = await grow(store, [])
    lines = [json.dumps(each, ensure_ascii=number % 2 == 0).encode() for number, each in enumerate(UNUSUAL)]
    wide = json.dumps(event(4, "note", "lead", 30, text="a\nb"), indent=2).encode()
    await grown.appends.append(grown.viewer, grown.graph_id, [*lines, wide], soon())
    found = await exported(store, grown.viewer, grown.graph_id)
    assert found == [*lines, wide.replace(b"\n", b" ")]
    assert await exported(store, OPERATOR, await elsewhere(store, found)) == found


async def test_an_empty_graph_is_an_empty_export(store: Store) -> None:
    """O7, O37: no lines; its card is what there is of it."""
    grown = await grow(store, [])
    assert await exported(store, grown.viewer, grown.graph_id) == []
    other = await elsewhere(store, [])
    row = await _row(store, other)
    assert (row.title, row.source, row.created, row.retention_events, row.standing.held) == ("Ünü 🎉", "upload", 17, 0, 0)


async def test_long_exports_come_in_pages(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """O40: no page grows with the graph, and no event is missing between two."""
    monkeypatch.setattr(service, "_BUCKETS", 2)
    log = [event(number, "note", "lead", number) for number in range(1, 501)]
    grown = await grow(store, log)
    export = await moving(store).export(grown.viewer, grown.graph_id, soon())
    pages = [page async for page in export.pages]
    assert max(map(len, pages)) <= 128
    assert [parse_line(line).id for page in pages for line in page] == [each["id"] for each in log]


async def test_an_export_whose_history_changes_is_none(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """O7: a late event breaks it off before anything wrong is given; events after its end do not touch it."""
    monkeypatch.setattr(service, "_BUCKETS", 1)
    log = [event(number, "note", "lead", number) for number in range(1, 301)]
    grown = await grow(store, log[10:])
    export = await moving(store).export(grown.viewer, grown.graph_id, soon())
    first = await anext(export.pages)
    assert parse_line(first[0]).id == log[10]["id"]
    await grown.append([event(400, "note", "lead", 400)])
    assert await anext(export.pages)
    await grown.append(log[:1])
    with pytest.raises(Overtaken):
        await anext(export.pages)


async def test_who_may_take_graphs_away(store: Store) -> None:
    """O14, O17, R10: admin alone; another account's graph is not there, but for the operator."""
    grown = await grow(store, UNUSUAL)
    stranger = replace(grown.viewer, account="another")
    into = moving(store)
    with pytest.raises(NotFound):
        await into.export(stranger, grown.graph_id, soon())
    with pytest.raises(NotFound):
        await into.take_in(stranger, grown.graph_id, [], soon())
    for refused in (replace(grown.viewer, scopes=frozenset(("read", "write"))), replace(OPERATOR, scopes=frozenset(("read",)))):
        with pytest.raises(Forbidden):
            await into.export(refused, grown.graph_id, soon())
        with pytest.raises(Forbidden):
            await into.cards(refused, soon())
    assert [card.id for card in await into.cards(grown.viewer, soon())] == [grown.graph_id]
    card = (await into.cards(grown.viewer, soon()))[0]
    everything = await into.cards(OPERATOR, soon())
    assert card in everything
    assert [each.id for each in everything] == sorted({each.id for each in everything})
    with pytest.raises(BadUserInput, match="another account"):
        await into.restore(stranger, card, soon())
    await into.restore(grown.viewer, card, soon())
    assert len(await exported(store, OPERATOR, grown.graph_id)) == len(UNUSUAL)


async def test_pages_of_graphs_hold_all_of_them(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """O37: none is missing between two pages."""
    made = {(await grow(store, [])).graph_id for _ in range(5)}
    whole = [card.id for card in await moving(store).cards(OPERATOR, soon())]
    monkeypatch.setattr(service, "_GRAPHS", 2)
    assert [card.id for card in await moving(store).cards(OPERATOR, soon())] == whole
    assert made <= set(whole)


async def test_an_import_that_was_cut_off_goes_on(store: Store) -> None:
    """O5, I31: the same lines again from the beginning: what is held counts as repeated, and the graph is as if nothing had happened."""
    log = random_log(5, 90)
    base, said = base_of(log[:30])
    lines = [orjson.dumps(each) for each in (*said, *log[30:])]
    for stop in (len(said), len(said) + 1, 50):
        graph: Grown = await grow(store, [])
        await graph.appends.append(graph.viewer, graph.graph_id, lines[:stop], soon())
        again = Appends(store, Projectors(store), lambda: CLOCK_MS)
        done = await again.append(graph.viewer, graph.graph_id, lines, soon())
        assert (done.accepted, done.duplicates) == (len(lines) - stop, stop - len(said))
        await check(store, graph.graph_id, log[30:], base)


async def _row(store: Store, graph_id: str) -> graphs.GraphRow:
    row = await graphs.one(store, graph_id, soon())
    assert row is not None
    return row
