"""Logs that are wrong or strange: as the rules say, whole or not at all, and nothing is lost (E11, E128-E135, I31, I33)."""

from __future__ import annotations

import random
import zlib
from base64 import b64encode
from typing import Any

import orjson
import pytest

from app.domain import keyframe
from app.store.connection import Store
from tests.services.test_appending import FIRST, SECOND, THIRD, process
from tests.services.test_bases import base_of
from tests.services.test_restarts import incomplete, restart_of, send
from tests.store.contents import check, new_graph

LOG = [*FIRST, *SECOND]


def state(**changes: Any) -> bytes:
    """The state after the log, some of it changed."""
    made = orjson.loads(base_of(LOG)[0].state)
    for ref, fields in changes.pop("nodes", {}).items():
        made["nodes"][ref] = {**made["nodes"].get(ref, made["nodes"]["acme:other"]), **fields}
    return orjson.dumps({**made, **changes})


def text_of(packed: bytes) -> str:
    return b64encode(packed).decode()


def deflated(text: bytes) -> bytes:
    packing = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return packing.compress(text) + packing.flush()


LOOP = {
    "acme:other": {"parent": "acme:x", "children": ["acme:x"]},
    "acme:x": {"id": "acme:x", "parent": "acme:other", "children": ["acme:other"]},
}
OWN = {"acme:other": {"parent": "acme:other", "children": ["acme:other"]}}
NOBODY = {"acme:other": {"children": ["acme:nobody"]}}

LIES = {
    "no base64": "not base64",
    "no deflate": text_of(b"\xff" * 50),
    "cut off": text_of(deflated(b"{" * 5_000)[:-3]),
    "with a header": text_of(zlib.compress(state())),
    "more behind it": text_of(deflated(state()) + b"x"),
    "a bomb": text_of(deflated(b'{"nodes":"' + b" " * (65 * 1024 * 1024))),
    "no JSON": text_of(deflated(b"{nodes}")),
    "no UTF-8": text_of(deflated(b'{"nodes":{"\xff":1}}')),
    "deep": text_of(deflated(b'{"nodes":' * 20_000)),
    "a list": text_of(deflated(b"[]")),
    "nothing in it": text_of(deflated(b"{}")),
    "a loop": text_of(deflated(state(nodes=LOOP))),
    "its own parent": text_of(deflated(state(nodes=OWN))),
    "a child that is not there": text_of(deflated(state(nodes=NOBODY))),
    "another's name": text_of(deflated(state(nodes={"acme:other": {"id": "acme:lead"}}))),
    "a process of nobody": text_of(deflated(state(processes={"1": "acme:nobody"}))),
    "a time before all": text_of(deflated(state(started={"acme:other": {"secs_since_epoch": -1, "nanos_since_epoch": 0}}))),
}


def test_every_lie_is_short() -> None:
    """They are what a producer may send: within the limits of a line (E128)."""
    assert all(len(text) <= keyframe.PART_CHARACTERS for text in LIES.values())


async def test_keyframes_that_lie_change_nothing(store: Store) -> None:
    """E130, E135, I31: neither on a graph that has had nothing, nor as a restart; the next ones are looked at all the same."""
    empty, full = process(store, await new_graph(store)), process(store, await new_graph(store))
    await send(full, LOG)
    for lie, text in LIES.items():
        part = next(keyframe.part_lines([text], LOG[-1]["id"], LOG[-1]["ts"], restart=True))
        for one in (empty, full):
            done = await send(one, [part])
            assert (done.accepted, done.invalid, done.restarted) == (0, [], False), lie
        assert await incomplete(store, full.graph_id), lie
    await check(store, empty.graph_id, [])
    await check(store, full.graph_id, LOG)
    base, said = restart_of(LOG)
    for one, gone in ((empty, None), (full, len(LOG))):
        await send(one, said)
        await check(store, one.graph_id, [], base, gone)


@pytest.mark.parametrize(
    "part",
    [{"part": 0, "parts": 0}, {"part": 0, "parts": 2**63}, {"part": 5, "parts": 2}, {"part": -1, "parts": 1}, {"part": "0", "parts": 1}],
)
async def test_parts_that_cannot_be(store: Store, part: dict[str, Any]) -> None:
    """E129, E6: they are no keyframe, or are waited for in vain, and events go on."""
    _, said = restart_of(LOG)
    one = process(store, await new_graph(store))
    await send(one, FIRST)
    spoilt = {**said[0], "data": {**said[0]["data"], **part}}
    assert not (await send(one, [spoilt])).restarted
    assert (await send(one, SECOND)).accepted == len(SECOND)
    await check(store, one.graph_id, LOG)


async def test_unknown_members_are_ignored(store: Store) -> None:
    """E134: of the state, of a node and of a line."""
    base, _ = restart_of(LOG)
    text = keyframe.packed(state(nodes={"acme:other": {"mood": [1]}}, later={"x": 1}))
    part = next(keyframe.part_lines(text, LOG[-1]["id"], LOG[-1]["ts"], restart=True))
    one = process(store, await new_graph(store))
    await send(one, LOG)
    done = await send(one, [{**part, "more": 1, "data": {**part["data"], "more": 2}}, *THIRD])
    assert (done.accepted, done.restarted) == (1, True)
    await check(store, one.graph_id, THIRD, base, len(LOG))


async def test_times_from_the_far_past_and_future(store: Store) -> None:
    """E11: they have their places like all others, what cannot be read the first; on whatever the graph starts from (E133)."""
    times = [
        "1970-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999999Z",
        "2262-04-11T23:47:16.854775808Z",
        "yesterday",
        "",
        "0001-01-01T00:00:00Z",
    ]
    events = [{**FIRST[number % 3], "id": f"{number:026}", "ts": ts} for number, ts in enumerate(times * 2)]
    base, said = restart_of(LOG)
    for start in ([], said):
        for seed in range(2):
            rest = [*events, *THIRD]
            random.Random(seed).shuffle(rest)
            one = process(store, await new_graph(store))
            sent: list[dict[str, Any]] = []
            await send(one, start)
            while rest:
                batch = [rest.pop() for _ in range(min(len(rest), 3))]
                assert (await send(one, batch)).accepted == len(batch)
                sent += batch
            await check(store, one.graph_id, sent, base if start else None)


async def test_many_events_with_one_time(store: Store, long: bool) -> None:
    """E10: their ids order them, in whatever order they come."""
    number = 10_000 if long else 600
    kinds = [event for event in LOG if event["type"] != "session.ended"]
    events = [{**kinds[n % len(kinds)], "id": f"{n * 7919 % number:026}", "ts": LOG[0]["ts"]} for n in range(number)]
    one = process(store, await new_graph(store))
    for start in range(0, number, number // 4):
        assert (await send(one, events[start : start + number // 4])).accepted == number // 4
    await check(store, one.graph_id, events)


async def test_a_file_in_reverse_order(store: Store, long: bool) -> None:
    """E12: every call comes before all that is there."""
    number = 5_000 if long else 300
    times = [f"2027-03-05T{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}Z" for n in range(number)]
    events = [{**LOG[n % len(LOG)], "id": f"{n:026}", "ts": ts} for n, ts in enumerate(times)]
    events.reverse()
    one = process(store, await new_graph(store))
    for start in range(0, number, 50):
        assert (await send(one, events[start : start + 50])).accepted == 50
    await check(store, one.graph_id, events)
