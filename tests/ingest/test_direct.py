"""`POST /api/ingest/{graph}` (I35): lines by key, each event once, bodies of bounded size."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.ingest.bodies import _Gunzip
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from tests.application import Opened, opened
from tests.grown import event, soon
from tests.ingest.producer import log_order
from tests.oracle import keyframe_state, log_of, state_after
from tests.oracle.keyframes import pack
from tests.served import account
from tests.services.test_graph_at import whole
from tests.strategies.logs import random_log
from tests.turns import turns_beside

LOG = [event(number, "activity", "lead", number, tool="Bash") for number in range(1, 8)]


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


@pytest_asyncio.fixture(scope="module")
async def door(store_address: StoreAddress, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Opened]:
    async with opened(store_address, tmp_path_factory.mktemp("direct")) as found:
        yield found


async def key(door: Opened, owner: str, *scopes: Any, graph_ids: list[str] | None = None) -> str:
    viewer = Viewer(owner, ALL_SCOPES, key_id="operator", operator=True)
    _, secret = await door.services.keys.create(viewer, "test", scopes or ("write",), soon(), graph_ids=graph_ids, account=owner)
    return secret


async def graph(door: Opened, owner: str) -> str:
    return (await door.services.graphs.create(Viewer(owner, ALL_SCOPES), None, "watch", 0, soon())).id


async def post(door: Opened, graph_id: str, body: Any, secret: str | None, query: str = "", **headers: str) -> httpx.Response:
    given = {"Content-Type": "application/x-ndjson", **headers}
    if secret is not None:
        given["Authorization"] = f"Bearer {secret}"
    return await door.nobody.post(f"/api/ingest/{graph_id}{query}", content=body, headers=given)


async def test_events_are_taken_in_once_each(door: Opened) -> None:
    """I35: a batch can be sent again; the first of an id stands; what is no event is named by its line, and the rest goes in."""
    owner = account()
    graph_id, secret = await graph(door, owner), await key(door, owner)
    body = lines(LOG[0]) + b"\n{\n" + lines(LOG[1], {**LOG[0], "type": "other"}) + b'{"v":1}'
    answer = await post(door, graph_id, body, secret)
    assert answer.status_code == 200
    assert answer.json() == {
        "accepted": 2, "duplicates": 1, "invalid": [{"line": 3, "reason": "not JSON"}, {"line": 6, "reason": "id must be a string"}]
    }  # fmt: skip
    assert answer.headers["cache-control"] == "no-store"
    for name in (graph_id, graph_id.removeprefix("gph_")):
        assert (await post(door, name, lines(*LOG[:3]), secret)).json()["accepted"] == (1 if name == graph_id else 0)
    assert (await post(door, graph_id, b"", secret)).json() == {"accepted": 0, "duplicates": 0, "invalid": []}
    only = await key(door, owner, graph_ids=[graph_id])
    assert (await post(door, graph_id, lines(*LOG), only)).json() == {"accepted": 4, "duplicates": 3, "invalid": []}


async def test_whole_requests_fail_only_for_who_asks_where_and_how_much(door: Opened) -> None:
    """I35, R10, O17."""
    owner = account()
    graph_id, secret = await graph(door, owner), await key(door, owner)
    other = await key(door, account())
    restricted = await key(door, owner, graph_ids=[await graph(door, owner)])
    reading = await key(door, owner, "read")
    body = lines(LOG[0])
    for who, where, status in (
        (None, graph_id, 401), ("ag_sk_live_" + "x" * 32, graph_id, 401), (reading, graph_id, 403), (other, graph_id, 404),
        (restricted, graph_id, 403), (secret, "gph_000000000000", 404), (secret, "nothing", 404),
    ):  # fmt: skip
        answer = await post(door, where, body, who)
        assert (answer.status_code, set(answer.json())) == (status, {"error"}), (who, where)
    assert (await post(door, graph_id, body, secret, "?restart=yes")).status_code == 400
    assert (await post(door, graph_id, body, secret, "?restart=allow")).status_code == 403
    assert (await post(door, graph_id, body, secret, **{"Content-Encoding": "br"})).status_code == 415
    assert (await post(door, graph_id, body, secret)).json()["accepted"] == 1


async def test_bodies_are_bounded_as_sent_and_as_unpacked(door: Opened) -> None:
    """I35, I8: half a MiB, unpacked; bombs and endless bodies are given up; what is cut off is refused as a whole."""
    owner = account()
    graph_id, secret = await graph(door, owner), await key(door, owner)
    packed = {"Content-Encoding": "gzip"}
    most = 512 * 1024

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 65_536

    bomb = gzip.compress(b"\n" * 300_000_000)
    for body, headers, status in (
        (b"\n" * most, {}, 200), (b"\n" * (most + 1), {}, 413), (endless(), {}, 413), (bomb, packed, 413),
        (gzip.compress(b"\n" * most), packed, 200), (gzip.compress(b"\n" * (most + 1)), packed, 413),
        (gzip.compress(lines(LOG[0])) + gzip.compress(lines(LOG[1])), packed, 200), (b"", packed, 200),
        (gzip.compress(lines(*LOG))[:-9], packed, 400), (b"no gzip", packed, 400), (zlib.compress(lines(*LOG)), packed, 400),
    ):  # fmt: skip
        answer = await post(door, graph_id, body, secret, **headers)
        assert answer.status_code == status, (len(body) if isinstance(body, bytes) else "endless", headers)
        assert set(answer.json()) == ({"error"} if status != 200 else {"accepted", "duplicates", "invalid"})
    assert (await post(door, graph_id, lines(*LOG[:3]), secret)).json() == {"accepted": 1, "duplicates": 2, "invalid": []}


async def test_others_are_answered_while_much_is_unpacked() -> None:
    """I8: many members that hold nothing are much work for their bytes; others have their turns meanwhile."""
    unpack = _Gunzip()
    unpacked, turns = await turns_beside(unpack.feed(gzip.compress(b"", mtime=0) * 40_000 + gzip.compress(b"end"), 100))
    assert unpacked == b"end"
    assert turns > 2  # of many: how many says how slow the machine is
    assert unpack.whole


async def test_what_is_no_event_is_counted_where_it_is_much(door: Opened) -> None:
    """Nothing is cut in silence, and an answer is not larger than the question."""
    owner = account()
    answer = await post(door, await graph(door, owner), b"x\n" * 5_000, await key(door, owner))
    assert (len(answer.json()["invalid"]), answer.json()["more_invalid"], answer.json()["accepted"]) == (1_000, 4_000, 0)


async def test_restarts_need_to_be_allowed(door: Opened) -> None:
    """I35, I31: without ?restart=allow the line is invalid, with it the graph begins anew; parts may come in many requests."""
    owner = account()
    graph_id, secret, admin = await graph(door, owner), await key(door, owner), await key(door, owner, "write", "admin")
    events = random_log(4, 30, odd_times=False)
    log = log_of(events)
    parts = pack(keyframe_state(log, 20), log.events[19]["ts"], log.events[19]["id"], part_length=300, restart=True)
    assert len(parts) > 2
    assert (await post(door, graph_id, lines(*events[:5]), admin)).json()["accepted"] == 5
    refused = await post(door, graph_id, lines(parts[0], events[5]), secret)
    assert (refused.json()["accepted"], [each["line"] for each in refused.json()["invalid"]]) == (1, [1])
    for each in parts:
        answer = await post(door, graph_id, lines(each), admin, "?restart=allow")
        assert answer.json() == {"accepted": 0, "duplicates": 0, "invalid": []}
    assert (await post(door, graph_id, lines(*events[20:]), secret)).json()["accepted"] == 10
    at = await door.services.graphs.at(Viewer(owner, ALL_SCOPES), graph_id, None, soon())
    assert await whole(at) == state_after(log, 30, at.moment.time_ns)
    assert at.info.event_count == 10
    assert events == sorted(events, key=log_order)
