"""Graphs that start from a keyframe (E126-E135, I31): the state is there before any event, and all events apply on top of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from app.domain.envelope import parse_object
from app.domain.history import Batch
from app.domain.keyframe import Keyframe, lines
from app.domain.moments import AsOf
from app.domain.problems import OutsideRetentionWindow, StoreUnavailable
from app.domain.projector import Projector
from app.services import appending as service
from app.store.connection import Store
from tests.grown import reader, soon
from tests.services.test_appending import FIRST, SECOND, THIRD, VIEWER, Dying, process
from tests.store.contents import check, contents, new_graph
from tests.strategies.logs import random_log


def base_of(events: list[dict[str, Any]]) -> tuple[Keyframe, list[dict[str, Any]]]:
    """The keyframe of the state after these events, and its lines."""
    order = sorted((parse_object(event) for event in events), key=lambda event: event.order)
    projector = Projector()
    for number, event in enumerate(order, 1):
        projector.apply(event, number, Batch())
    last = order[-1]
    return Keyframe(projector.state(), last.ts, last.time_ns), list(lines(projector.state(), last.id, last.ts))


async def test_events_in_any_order_on_a_base(store: Store, long: bool, share: Callable[[range], range]) -> None:
    """E133, I33: late ones too, also those from before the keyframe; in this process and in others."""
    for seed in share(range(60 if long else 6)):
        rng = random.Random(seed)
        log = random_log(seed, 60)
        cut = rng.randrange(5, 40)
        base, said = base_of(log[:cut])
        rest = log[cut:] + [{**event, "id": f"{number:026}"} for number, event in enumerate(rng.sample(log[:cut], 3))]
        rng.shuffle(rest)
        graph_id = await new_graph(store)
        with_base = rng.choice((0, 3))
        done = await process(store, graph_id).append([*said, *rest[:with_base]])
        assert (done.accepted, done.duplicates, done.invalid) == (with_base, 0, [])
        sent = rest[:with_base]
        await check(store, graph_id, sent, base)
        two = process(store, graph_id), process(store, graph_id)
        for start in range(with_base, len(rest), 7):
            done = await two[rng.randrange(2)].append([*rest[start : start + 7], *said])
            assert done.accepted == len(rest[start : start + 7])
            sent += rest[start : start + 7]
            await check(store, graph_id, sent, base)


async def test_a_base_without_events_is_shown(store: Store) -> None:
    """R67, Q4: its nodes are there now, and no event is a point."""
    graph_id = await new_graph(store)
    base, said = base_of([*FIRST, *SECOND])
    done = await process(store, graph_id).append(said)
    assert (done.accepted, done.duplicates, done.moment.event) == (0, 0, None)
    await check(store, graph_id, [], base)
    at = await reader(store).at(VIEWER, graph_id, None, soon())
    assert {row["ref"] for row in (await at.snapshot()).rows} == {"acme:lead", "acme:lead/one", "acme:other"}
    assert (at.info.event_count, at.info.first_event_id, await at.node_count()) == (0, None, 3)
    with pytest.raises(OutsideRetentionWindow):
        await reader(store).at(VIEWER, graph_id, AsOf(event=FIRST[0]["id"]), soon())
    assert (await process(store, graph_id).append([*said, *THIRD])).accepted == 1
    await check(store, graph_id, THIRD, base)


@pytest.mark.parametrize("commits", [False, True], ids=["before a commit", "after a commit"])
async def test_a_base_is_there_wholly_or_not_at_all(store: Store, commits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever dies while it is laid: the next writer finishes it, and it is laid once."""
    monkeypatch.setattr(service, "PATIENCE", 0.05)
    base, said = base_of([*FIRST, *SECOND])
    for lives in range(1, 12):
        graph_id = await new_graph(store)
        died = False
        try:
            await process(Dying(store, lives, commits=commits), graph_id).append([*said, *THIRD])
        except StoreUnavailable:
            died = True
        assert (await process(store, graph_id).append([*said, *THIRD])).invalid == []
        await check(store, graph_id, THIRD, base)
        if not died:
            return
    raise AssertionError("it died every time")


@pytest.mark.parametrize(
    "spoilt",
    ["a part is missing", "no base64", "a lie", "more than there can be", "less than nothing", "an event comes first", "events are there"],
)
async def test_what_is_no_base_counts_as_nothing(store: Store, spoilt: str) -> None:
    """E129-E131, E135: events apply from nothing then, and the call is as good as without those lines."""
    _, said = base_of(FIRST)
    events = [*SECOND, *THIRD]
    lie = next(lines(Projector().state().replace(b'"processes":{}', b'"processes":{"p":"acme:x"}'), "x", FIRST[0]["ts"]))
    count = b'"open_tasks"'
    much, less = (
        next(lines(base_of(FIRST)[0].state.replace(count, b'"background_agents":%d,%b' % (number, count), 1), "x", FIRST[0]["ts"]))
        for number in (2**31, -1)
    )
    calls: dict[str, list[list[dict[str, Any]]]] = {
        "a part is missing": [[{**said[0], "data": {**said[0]["data"], "parts": 2}}, *events]],
        "no base64": [[{**said[0], "data": {**said[0]["data"], "text": "?"}}, *events]],
        "a lie": [[lie, *events]],
        "more than there can be": [[much, *events]],
        "less than nothing": [[less, *events]],
        "an event comes first": [[events[0], *said, *events[1:]]],
        "events are there": [events, said],
    }
    graph_id = await new_graph(store)
    one = process(store, graph_id)
    for call in calls[spoilt]:
        assert (await one.append(call)).invalid == []
    await check(store, graph_id, events)
    assert len((await contents(store, graph_id))["Event"]) == len(events)
