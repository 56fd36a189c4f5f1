"""The compatible calls, each answer with the code that the public tool reads (I4-I8, I18-I21, I28-I32)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.domain.problems import StoreUnavailable
from app.services import shares
from app.services.viewer import ALL_SCOPES, Viewer
from app.store import chunks, deleting
from app.store.connection import Store
from tests.grown import event, soon
from tests.ingest.wire import Wire, wire
from tests.oracle import keyframe_state, log_of
from tests.oracle.keyframes import pack
from tests.served import Served, account
from tests.services.test_appending import Dying
from tests.store.contents import raw

LOG = [event(number, "activity", "lead", number, tool="Bash") for number in range(1, 40)]
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def lines(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


@pytest_asyncio.fixture
async def on(store: Store) -> AsyncIterator[Wire]:
    async with wire(store, 0) as made:
        yield made


class Made:
    """A share, and calls to it."""

    def __init__(self, server: Served, owner: str, login: str, said: dict[str, Any]) -> None:
        self.server, self.owner, self.login = server, owner, login
        self.log_id: str = said["id"]
        self.token: str = said["writeToken"]
        self.graph_id = f"gph_{self.log_id}"

    async def call(self, name: str, body: bytes = b"", token: str | None = None, **headers: str) -> httpx.Response:
        given = {"Authorization": f"Bearer {token or self.token}", **headers}
        return await self.server.client.post(f"/api/logs/{self.log_id}/{name}", content=body, headers=given)

    async def events(self) -> list[str]:
        viewer = Viewer(self.owner, ALL_SCOPES, key_id="key")
        at = await self.server.services.graphs.at(viewer, self.graph_id, None, soon())
        found = await raw(self.server.services.store, "MATCH (e:Event {g: $g}) RETURN e.id AS id ORDER BY id", g=at.moment.g)
        assert at.info.event_count == len(found)
        return [record["id"] for record in found]


async def share(server: Served, first: bytes = b"", source: str = "watch") -> Made:
    owner = account()
    login = await server.key(owner, ("write",))
    headers = {"Authorization": f"Bearer {login}", "X-Agent-Graph-Source": source}
    answer = await server.client.post("/api/logs", content=first, headers=headers)
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return Made(server, owner, login, answer.json())


@pytest.mark.parametrize("source", ["watch", "upload", "paste", "other"])
async def test_a_share_is_made_with_its_first_chunk(on: Wire, source: str) -> None:
    """I4, I29, R39: the graph is the account's from then on, by the same id."""
    made = await share(on.server, lines(*LOG[:2]), source)
    assert len(made.log_id) == 12
    assert set(made.log_id) <= set(BASE62)
    row = await on.server.services.graphs.row(Viewer(made.owner, ALL_SCOPES), made.log_id, soon())
    assert (row.source, row.account) == ("paste" if source == "other" else source, made.owner)
    assert await made.events() == [each["id"] for each in LOG[:2]]
    assert (await made.call(f"append?offset={len(lines(*LOG[:2]))}", lines(LOG[2]))).status_code == 204


async def test_who_may_make_shares(on: Wire) -> None:
    """I4, I20, O17: whoever has a key that may write, to all graphs of the account. The tool takes 401 for a log-in that is needed."""
    server, owner = on.server, account()
    made = await share(server)
    restricted = await server.key(made.owner, ("write",), [made.graph_id])
    reading = await server.key(owner, ("read",))
    for token in (None, "Bearer", "Bearer x", f"Bearer {reading}", f"Bearer {restricted}", f"Bearer {made.token}"):
        headers = {} if token is None else {"Authorization": token}
        for path in ("/api/logs", f"/api/logs/{made.log_id}/watch"):
            answer = await server.client.post(path, headers={**headers, "X-Agent-Graph-Source": "watch"})
            assert answer.status_code == 401, (token, path)
            assert "write token" not in answer.text


async def test_the_checks_of_an_append_in_their_order(on: Wire) -> None:
    """I5: what is asked first is answered first."""
    made = await share(on.server, lines(LOG[0]))
    end, large = len(lines(LOG[0])), b"x" * (512 * 1024 + 1)
    far = 64 * 1024 * 1024 + 1
    client = on.server.client
    wrong = {"Authorization": "Bearer wt_wrong"}
    assert (await client.post("/api/logs/gph_abcdefghijkl/append?offset=x", content=large, headers=wrong)).status_code == 404
    assert (await client.post("/api/logs/abc/append?offset=x", content=large, headers=wrong)).status_code == 404
    answer = await client.post("/api/logs/abcdefghijkl/append?offset=x", content=large, headers=wrong)
    assert (answer.status_code, "write token" in answer.text) == (401, True)
    for offset in ("", "-1", "x", "1" * 16, "٣"):
        assert (await made.call(f"append?offset={offset}", large)).status_code == 400
    assert (await made.call("append", large)).status_code == 400
    assert (await made.call(f"append?offset={far}", large)).status_code == 413
    assert (await made.call(f"append?offset={end}", large)).status_code == 413
    assert (await made.call(f"append?offset={end + 5}", b"")).status_code == 204
    assert (await made.call(f"append?offset={end + 5}", b"\n")).status_code == 409
    assert (await made.call("append?offset=3", b"\n")).status_code == 409
    assert (await made.call("append?offset=0", lines(LOG[1]))).status_code == 409
    assert (await made.call("append?offset=0", lines(LOG[0]))).status_code == 204
    assert (await made.call(f"append?offset={end}", b"\n" * 512 * 1024)).status_code == 204
    assert await made.events() == [LOG[0]["id"]]
    assert await deleting.delete(on.store, made.graph_id, 1, soon())
    assert (await made.call(f"append?offset={end}", b"")).status_code == 204
    assert (await made.call(f"append?offset={end}", b"\n")).status_code == 410
    assert (await made.call("trim?before=0")).status_code == 410
    assert (await made.call("alive", b'{"sessions": 1}')).status_code == 410
    assert (await made.call("watch", token=made.login, **{"X-Agent-Graph-Write-Token": made.token})).status_code == 404


async def test_odd_lines_are_counted_and_no_fault(on: Wire) -> None:
    """I30, I39: never 4xx for content; what can be read is taken in."""
    odd = [b"{", b"[]", b'{"v":1}', b"\x00\xff", b'"' + b"x" * 100_000, b"[" * 10_000, b'{"v":1e999}', b'{"id":"\\ud800"}', b"\r"]
    lying = {**event(0, "keyframe", "x", 0), "node": "agent-graph:keyframe", "id": "x~000000"}
    keyframes = [
        {**lying, "data": data} for data in (None, {}, {"part": 0, "parts": 1, "text": "?", "restart": True}, {"part": -1, "parts": 2**70})
    ]
    body = lines(LOG[0]) + b"\n".join(odd) + b"\n" + lines(*keyframes, LOG[1])
    made = await share(on.server, body)
    assert await made.events() == [LOG[0]["id"], LOG[1]["id"]]
    [counted] = await raw(on.store, "MATCH (g:Graph {id: $id}) RETURN g.log_skipped AS skipped", id=made.graph_id)
    assert counted["skipped"] == len(odd) - 1


async def test_a_lying_restart_leaves_what_is_there(on: Wire) -> None:
    """I31: what cannot be decoded changes nothing, the graph is marked, and the share lives on; a good one takes the mark away."""
    made = await share(on.server, lines(*LOG[:3]))
    offset = len(lines(*LOG[:3]))
    bomb = pack({"nodes": {}}, LOG[2]["ts"], LOG[2]["id"], restart=True)[0]
    bomb["data"]["text"] = bomb_text()
    for spoilt in ({**bomb, "data": {**bomb["data"], "text": "!"}}, bomb, {**bomb, "data": {**bomb["data"], "parts": 2}}):
        assert (await made.call(f"append?offset={offset}", lines(spoilt))).status_code == 204
        offset += len(lines(spoilt))
    assert (await made.call(f"append?offset={offset}", lines(LOG[3]))).status_code == 204
    assert await made.events() == [each["id"] for each in LOG[:4]]
    marked = "MATCH (g:Graph {id: $id}) RETURN coalesce(g.incomplete, false) AS incomplete"
    assert (await raw(on.store, marked, id=made.graph_id))[0]["incomplete"]
    log = log_of(LOG[:4])
    good = lines(*pack(keyframe_state(log, 4), LOG[3]["ts"], LOG[3]["id"], restart=True))
    offset += len(lines(LOG[3]))
    assert (await made.call(f"append?offset={offset}", good + lines(LOG[4]))).status_code == 204
    assert await made.events() == [LOG[4]["id"]]
    assert not (await raw(on.store, marked, id=made.graph_id))[0]["incomplete"]


def bomb_text() -> str:
    """200 MB of zeros, packed (I11: at most 64 MiB)."""
    import zlib
    from base64 import b64encode

    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = b"".join(packing.compress(b"0" * 2**20) for _ in range(200)) + packing.flush()
    return b64encode(packed).decode()


async def test_trims_are_leave_to_forget(on: Wire) -> None:
    """I19, I32: what is before is forgotten, but for the last chunk; events stay, retries of what is kept are known, and 64 MiB count from
    the first that is."""
    made = await share(on.server)
    cuts = [0]
    for each in LOG[:5]:
        assert (await made.call(f"append?offset={cuts[-1]}", lines(each))).status_code == 204
        cuts.append(cuts[-1] + len(lines(each)))
    for before in ("", "x", "1" * 16):
        assert (await made.call(f"trim?before={before}")).status_code == 400
    assert (await made.call("trim?before=1", token="wt_x")).status_code == 401
    for before, kept in ((0, cuts[:5]), (cuts[1] + 1, cuts[2:5]), (cuts[1], cuts[2:5]), (10**15 - 1, cuts[4:5])):
        assert (await made.call(f"trim?before={before}")).status_code == 204
        assert await chunks.offsets(on.store, made.graph_id, soon()) == kept
    assert (await made.call(f"append?offset={cuts[4]}", lines(LOG[4]))).status_code == 204
    assert (await made.call(f"append?offset={cuts[4]}", lines(LOG[3]))).status_code == 409
    assert (await made.call("append?offset=0", lines(LOG[0]))).status_code == 409
    assert await made.events() == [each["id"] for each in LOG[:5]]


async def test_a_log_spans_so_much_from_its_first_kept_chunk(on: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """I5, I8: further on is 413, until a trim."""
    monkeypatch.setattr(shares, "MOST_SPAN", 300)
    made = await share(on.server)
    cuts = [0]
    while cuts[-1] <= 300:
        assert (await made.call(f"append?offset={cuts[-1]}", lines(LOG[len(cuts)]))).status_code == 204
        cuts.append(cuts[-1] + len(lines(LOG[len(cuts)])))
    assert (await made.call(f"append?offset={cuts[-1]}", b"\n")).status_code == 413
    assert (await made.call(f"trim?before={cuts[1]}")).status_code == 204
    assert (await made.call(f"append?offset={cuts[-1]}", b"\n")).status_code == 204


async def test_check_ins_keep_a_share_live(on: Wire) -> None:
    """I18, I37: live for three minutes after a check-in or a chunk."""
    made = await share(on.server)
    query = "query($id: ID!) { graph(id: $id) { live } }"
    reading = await on.server.key(made.owner, ("read",))

    async def live() -> bool:
        return bool((await on.server.ask(reading, query, {"id": made.graph_id}))["data"]["graph"]["live"])

    assert not await live()
    for body in (b"", b"[]", b"{}", b'{"sessions": -1}', b'{"sessions": true}', b'{"sessions": 100001}', b'{"sessions": 1.5}'):
        assert (await made.call("alive", body)).status_code == 400
    assert (await made.call("alive", b'{"sessions": 1, "x": "' + b"y" * 256 * 1024)).status_code == 413
    assert not await live()
    said = {"sessions": 7, "host": "h" * 200, "summary": {"a": {"secret": 1}}}
    assert (await made.call("alive", json.dumps(said).encode())).status_code == 204
    assert await live()
    [row] = await raw(on.store, "MATCH (g:Graph {id: $id}) RETURN properties(g) AS row", id=made.graph_id)
    assert (row["row"]["producer_sessions"], row["row"]["producer_host"]) == (7, "h" * 100)
    assert "secret" not in str(row["row"])
    on.server.clock.ms += 3 * 60 * 1000 + 1
    assert not await live()
    assert (await made.call("append?offset=0", b"\n")).status_code == 204
    assert await live()


async def test_claims(on: Wire) -> None:
    """I20: the account's own share, with its write token; the text of 401 says which of the two was wrong."""
    made = await share(on.server)
    other = await share(on.server)
    good = {"X-Agent-Graph-Write-Token": made.token}
    answer = await made.call("watch", token=made.login, **good)
    assert answer.status_code == 200
    assert answer.json() == {"url": "https://graphs.example/watch", "accountStatus": "active", "freeUntil": None}
    for headers in ({}, {"X-Agent-Graph-Write-Token": other.token}):
        answer = await made.call("watch", token=made.login, **headers)
        assert (answer.status_code, "write token" in answer.text) == (401, True)
    answer = await made.call("watch", token="wrong", **good)
    assert (answer.status_code, "write token" in answer.text) == (401, False)
    assert (await made.call("watch", token=other.login, **good)).status_code == 404


async def test_the_account_and_the_echo(on: Wire) -> None:
    """I23, I28."""
    made = await share(on.server)
    client = on.server.client
    answer = await client.get("/api/cli/account", headers={"Authorization": f"Bearer {made.login}"})
    assert (answer.status_code, answer.json()) == (200, {"email": made.owner, "canShare": True})
    assert (await client.get("/api/cli/account")).status_code == 401
    assert (await client.get("/api/cli/account", headers={"Authorization": f"Bearer {made.token}"})).status_code == 401
    assert (await client.get("/api/ping?n=17")).text == "17"
    assert (await client.get("/api/ping?n=x")).status_code == 400
    assert (await client.get("/api/logs")).status_code == 405


@pytest.mark.parametrize("commits", [False, True], ids=["before a commit", "after a commit"])
async def test_a_chunk_is_acknowledged_only_once_all_of_it_is_there(on: Wire, commits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """I30: killed at any of its transactions there is no answer but a 5xx, and the same bytes again make it whole, once."""
    from app.services import appending

    monkeypatch.setattr(appending, "PATIENCE", 0.05)
    for lives in range(1, 20):
        await on.start()
        made = await share(on.server, lines(LOG[0]))
        offset, chunk = len(lines(LOG[0])), lines(*LOG[1:9])
        await on.start(Dying(on.store, lives, commits=commits))
        made.server = on.server
        status = (await made.call(f"append?offset={offset}", chunk)).status_code
        assert status in (204, 503)
        await on.start()
        made.server = on.server
        for _ in range(2):
            assert (await made.call(f"append?offset={offset}", chunk)).status_code == 204
        assert await made.events() == [each["id"] for each in LOG[:9]]
        assert await chunks.offsets(on.store, made.graph_id, soon()) == [0, offset]
        if status == 204 and not commits:
            return
        if commits and lives > 8:
            return
    raise AssertionError("it died every time")


async def test_a_share_that_could_not_be_filled_is_not_left_behind(on: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """I4: a producer that is told 503 makes another; nobody knows of this one."""
    owner = account()
    login = await on.server.key(owner, ("write",))

    async def fails(*_: Any, **__: Any) -> None:
        raise StoreUnavailable

    monkeypatch.setattr(on.server.services.appends, "append", fails)
    answer = await on.server.client.post("/api/logs", content=lines(LOG[0]), headers={"Authorization": f"Bearer {login}"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert await on.server.services.graphs.list(Viewer(owner, ALL_SCOPES), soon()) == []
