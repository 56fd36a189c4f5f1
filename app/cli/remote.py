"""A running gateway, by HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import orjson

from app.cli.gateway import Appended, asked, first_error
from app.cli.stop import Stop

_SECONDS = 40.0
_PAUSES = (0.5, 1.0, 2.0, 4.0)

_LIMITS = "{ server { limits { bodyBytes } } }"

_ROOM = 2_000
"""Bytes of an append's body beside its events: the operation, and what stands between them."""

_LARGE = 1_000_000
_BROKEN_OFF = (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError)
"""Who refuses a large body does not read it to its end, and its answer may be lost with the connection."""

_TOO_LARGE = "it, or a proxy before it, may take less in one request (AGW_WRITE_BODY_BYTES)"

_APPEND = """mutation Append($graphId: ID!, $events: [JSON!]!) {
  appendEvents(graphId: $graphId, events: $events) { accepted duplicates invalid { index } }
}"""


class RemoteGateway:
    """Speaks GraphQL to the gateway at an address. Busy answers are asked again for a few seconds: appends may be repeated."""

    def __init__(self, client: httpx.AsyncClient, url: str) -> None:
        self._client = client
        self.where = url

    @classmethod
    @asynccontextmanager
    async def at(cls, url: str, key: str) -> AsyncIterator[RemoteGateway]:
        """A client of the gateway at `url`."""
        base = url.rstrip("/")
        try:
            client = httpx.AsyncClient(base_url=base, headers={"Authorization": f"Bearer {key}"}, timeout=_SECONDS, trust_env=False)
        except httpx.InvalidURL as error:
            raise Stop(f"AGW_URL {url} is no address: {error}.") from error
        async with client:
            yield cls(client, base)

    async def answer(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        """One GraphQL operation."""
        return await self._graphql(orjson.dumps({"query": query, "variables": variables}))

    async def most_bytes(self) -> int | None:
        """What the gateway takes in one body (Q33), less what is no event."""
        limits = (await asked(self, _LIMITS, {}))["server"]["limits"]
        return max(int(limits["bodyBytes"]) - _ROOM, 1)

    async def append(self, graph_id: str, lines: Sequence[bytes]) -> Appended:
        """The events as they are, by `appendEvents`."""
        events = [orjson.Fragment(line) for line in lines]
        body = orjson.dumps({"query": _APPEND, "variables": {"graphId": graph_id, "events": events}})
        answer = await self._graphql(body)
        if answer.get("errors"):
            raise Stop(first_error(answer))
        taken = answer["data"]["appendEvents"]
        return Appended(taken["accepted"], taken["duplicates"], len(taken["invalid"]))

    async def login_link(self) -> str:
        """A link from the gateway, with the rights of our key."""
        answer = await self._post("/login/code", b"")
        return str(_json(answer, self.where)["url"])

    async def _graphql(self, body: bytes) -> dict[str, Any]:
        answer = await self._post("/graphql", body)
        found = _json(answer, self.where)
        if "data" not in found and "errors" not in found:
            raise _unexpected(self.where, answer)
        return found

    async def _post(self, path: str, body: bytes) -> httpx.Response:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        for pause in (*_PAUSES, None):
            try:
                answer = await self._client.post(path, content=body, headers=headers)
            except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
                raise Stop(f"{self.where} is no address of a gateway: set AGW_URL to one like http://127.0.0.1:8080.") from error
            except httpx.ConnectError as error:
                raise Stop(f"No gateway answers at {self.where}: start one with agw serve, or set AGW_URL.") from error
            except httpx.HTTPError as error:
                if len(body) > _LARGE and isinstance(error, _BROKEN_OFF):
                    raise Stop(f"The gateway at {self.where} broke off when it was sent {len(body):,} bytes: {_TOO_LARGE}.") from error
                raise Stop(f"The gateway at {self.where} did not answer ({type(error).__name__}): try again.") from error
            if answer.status_code not in (429, 503) or pause is None:
                break
            await asyncio.sleep(pause)
        if answer.status_code == 413:
            raise Stop(f"The gateway at {self.where} refuses {len(body):,} bytes at once: {_TOO_LARGE}.")
        if answer.status_code == 401:
            raise Stop(f"The gateway at {self.where} does not know this key: set AGW_KEY to one of its keys.")
        return answer


def _json(answer: httpx.Response, where: str) -> dict[str, Any]:
    try:
        found = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise _unexpected(where, answer)
    return found


def _unexpected(where: str, answer: httpx.Response) -> Stop:
    return Stop(f"{where} does not answer as a gateway does (HTTP {answer.status_code}): check AGW_URL.")
