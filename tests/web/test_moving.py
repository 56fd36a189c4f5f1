"""HTTP for whoever moves graphs (O14): a key with the scope `admin`, one graph's lines, and graphs restored from them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import orjson
import pytest
import pytest_asyncio

from app.domain.card import Card
from app.services.viewer import ALL_SCOPES, Scope, Viewer
from app.settings import StoreAddress
from app.store.deadline import Deadline
from tests.application import Opened, opened
from tests.grown import event

LOG = [event(number, "note", "lead", number, hidden={"pid": 7}) for number in range(1, 8)]
CARD = Card(id="gph_MovedHere001", account="acc_moved", title="Moved\u2028 🎉", source="paste", created=5, retention_events=None)


@pytest_asyncio.fixture
async def door(store_address: StoreAddress, data_dir: Path) -> AsyncIterator[Opened]:
    """The application, with small bodies."""
    async with opened(store_address, data_dir, write_body_bytes=20_000) as found:
        yield found


async def key(door: Opened, scopes: tuple[Scope, ...], account: str = "local") -> dict[str, str]:
    """The header of a new key."""
    operator = Viewer("local", ALL_SCOPES, key_id="operator", operator=True)
    _, secret = await door.services.keys.create(operator, "test", scopes, Deadline.after(30), account=account)
    return {"Authorization": f"Bearer {secret}"}


async def test_a_graph_goes_out_and_in_again(door: Opened) -> None:
    """O7, O37: its card and its lines, counted; sent twice they count once; the operator reaches every account's graphs."""
    lines = b"".join(orjson.dumps(each) + b"\n" for each in LOG)
    address = f"/api/import/{CARD.id}"
    for accepted in (7, 0):
        assert (await door.client.put(address, content=msgspec.json.encode(CARD))).json() == msgspec.to_builtins(CARD)
        taken = await door.client.post(address, content=lines)
        assert taken.json() == {"accepted": accepted, "duplicates": 7 - accepted, "invalid": 0}
    assert msgspec.to_builtins(CARD) in (await door.client.get("/api/export")).json()["graphs"]
    found = await door.client.get(f"/api/export/{CARD.id}")
    assert (found.status_code, found.content) == (200, lines)
    assert (found.headers["export-lines"], found.headers["content-type"], found.headers["cache-control"]) == (
        "7", "application/x-ndjson", "no-store",
    )  # fmt: skip
    own = await key(door, ("admin",), CARD.account)
    assert (await door.nobody.get(f"/api/export/{CARD.id.removeprefix('gph_')}", headers=own)).content == lines
    assert [each["id"] for each in (await door.nobody.get("/api/export", headers=own)).json()["graphs"]] == [CARD.id]


@pytest.mark.parametrize("method", ["GET", "PUT", "POST"])
async def test_a_key_with_the_scope_admin_is_needed(door: Opened, method: str) -> None:
    """O14, O17, R10: none, a lesser one, another account's; a login's cookie counts for nothing."""
    address = f"/api/{'export' if method == 'GET' else 'import'}/{CARD.id}"
    await door.client.put(f"/api/import/{CARD.id}", content=msgspec.json.encode(CARD))
    body = {"PUT": msgspec.json.encode(CARD), "POST": b"", "GET": None}[method]
    for headers, status in (
        ({}, 401),
        ({"Cookie": "agw_session=anything"}, 401),
        (await key(door, ("read", "write")), 403),
        (await key(door, ("admin", "write"), "acc_stranger"), 400 if method == "PUT" else 404),
    ):
        answer = await door.nobody.request(method, address, content=body, headers=headers)
        assert answer.status_code == status, answer.text
        assert "error" in answer.json()


@pytest.mark.parametrize(
    ("method", "address", "body", "status"),
    [
        ("GET", "/api/export/gph_AAAAAAAAAAAA", None, 404),
        ("GET", "/api/export/nonsense", None, 404),
        ("POST", "/api/import/gph_AAAAAAAAAAAA", b"", 404),
        ("PUT", "/api/import/gph_AAAAAAAAAAAA", b"{", 400),
        ("PUT", "/api/import/gph_AAAAAAAAAAAA", b'{"id": "gph_AAAAAAAAAAAA"}', 400),
        ("PUT", "/api/import/gph_AAAAAAAAAAAA", msgspec.json.encode(CARD), 400),
        ("PUT", "/api/import/nonsense", msgspec.json.encode(msgspec.structs.replace(CARD, id="nonsense")), 400),
        ("PUT", f"/api/import/{CARD.id}", msgspec.json.encode(CARD) + b" " * 20_000, 413),
    ],
)
async def test_what_is_refused_is_told(door: Opened, method: str, address: str, body: bytes | None, status: int) -> None:
    """O14: no such graph, no card, another graph's card, too large a body; nothing is made."""
    answer = await door.client.request(method, address, content=body)
    assert answer.status_code == status, answer.text
    assert all(isinstance(said, str) for said in answer.json().values())
    assert (await door.client.get("/api/export/gph_AAAAAAAAAAAA")).status_code == 404
