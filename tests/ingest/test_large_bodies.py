"""Bodies that are too large, over real connections: whoever sends one hears so, however it is sent (I5, I8, I21, I35, Q33)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial

import httpx
import pytest

from app.store.connection import Store
from tests.listening import listening
from tests.served import account, served

PIECE = b"x" * 65_536


async def pieces(number: int) -> AsyncIterator[bytes]:
    for _ in range(number):
        yield PIECE


@pytest.mark.parametrize("megabytes", [1, 5, 24])
async def test_who_sends_too_much_hears_so(store: Store, megabytes: int) -> None:
    """413, announced or not, where nothing is read before all is sent; a connection that broke would have a producer send it for ever."""
    number = megabytes * 16
    async with served(store) as door, listening(door.application) as at, httpx.AsyncClient(base_url=f"http://{at}", timeout=60) as http:
        key = {"Authorization": f"Bearer {await door.key(account())}"}
        share = (await http.post("/api/logs", headers=key)).json()
        write = {"Authorization": f"Bearer {share['writeToken']}"}
        append = f"/api/logs/{share['id']}/append?offset=0"
        json = {**key, "Content-Type": "application/json"}
        calls = [
            (append, write, 413),
            (append, key, 401),
            (f"/api/logs/{share['id']}/alive", write, 413),
            ("/api/logs", key, 413),
            (f"/api/ingest/gph_{share['id']}", key, 413),
            ("/api/cli/token", {}, 413),
            *([("/graphql", json, 413)] if megabytes > 8 else []),
        ]
        for path, headers, status in calls:
            for content in (partial(bytes, number * len(PIECE)), partial(pieces, number)):
                answer = await http.post(path, headers=headers, content=content())
                assert answer.status_code == status, (path, answer.text)
        assert (await http.post(append, headers=write, content=b"\n")).status_code == 204, "the share lives on"
