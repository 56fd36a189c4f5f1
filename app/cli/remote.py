"""A running gateway, by HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import msgspec
import orjson

from app.cli.gateway import Appended, Away, CutOff, Exporting, Gone, asked, refusal, told
from app.cli.stop import Stop
from app.domain.card import Card
from app.domain.rho.problems import Refused

_SECONDS = 40.0
_PAUSES = (0.5, 1.0, 2.0, 4.0)

_LIMITS = "{ server { limits { bodyBytes } } }"

_ROOM = 2_000
"""Bytes of an append's body beside its events: the operation, and what stands between them."""

_LARGE = 1_000_000
_BROKEN_OFF = (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError)
"""Who refuses a large body does not read it to its end, and its answer may be lost with the connection."""

_JSON = {"Content-Type": "application/json", "Accept": "application/json"}
_LINES = {"Content-Type": "application/x-ndjson", "Accept": "application/json"}
_PLAIN = {"Accept": "application/x-ndjson", "Accept-Encoding": "identity"}

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
            raise refusal(answer)
        taken = answer["data"]["appendEvents"]
        return Appended(taken["accepted"], taken["duplicates"], len(taken["invalid"]))

    async def login_link(self) -> str:
        """A link from the gateway, with the rights of our key."""
        answer = await self._sent("POST", "/login/code", b"")
        return str(_json(answer, self.where)["url"])

    async def cards(self) -> list[Card]:
        """By `GET /api/export`."""
        answer = self._fine(await self._sent("GET", "/api/export"))
        return msgspec.convert(_json(answer, self.where).get("graphs", []), list[Card])

    @asynccontextmanager
    async def exporting(self, graph_id: str) -> AsyncIterator[Exporting]:
        """By `GET /api/export/{graph}`, as it comes."""
        answer = await self._sent("GET", f"/api/export/{quote(graph_id, safe='')}", headers=_PLAIN, stream=True)
        try:
            if answer.status_code != 200:
                await answer.aread()
            lines = self._fine(answer).headers.get("Export-Lines", "")
            if not lines.isdecimal():
                raise _unexpected(self.where, answer)
            yield Exporting(int(lines), _pieces(answer, int(lines)))
        finally:
            await answer.aclose()

    async def restore(self, card: Card) -> None:
        """By `PUT /api/import/{graph}`."""
        self._fine(await self._sent("PUT", f"/api/import/{card.id}", msgspec.json.encode(card)))

    async def take_in(self, graph_id: str, lines: Sequence[bytes]) -> Appended:
        """By `POST /api/import/{graph}`."""
        answer = self._fine(await self._sent("POST", f"/api/import/{graph_id}", b"\n".join(lines), _LINES))
        return msgspec.convert(_json(answer, self.where), Appended)

    async def rho_import(self, envelope: bytes, project: str | None) -> dict[str, Any]:
        """By `POST /api/rho/import`."""
        query = "" if project is None else f"?project={quote(project, safe='')}"
        answer = await self._sent("POST", f"/api/rho/import{query}", envelope)
        if answer.status_code == 400:
            said = _json(answer, self.where)
            raise Refused(str(said.get("code")), said.get("details", {}).get("path"))
        return _json(self._fine(answer), self.where)

    async def rho_session(self, name: str | None, repository: str | None, *, upload: bool) -> bytes:
        """By `GET /api/rho/session`."""
        asked_for = {"id": name or "", "repository": repository or "", "upload": "1" if upload else ""}
        return self._fine(await self._sent("GET", f"/api/rho/session?{urlencode(asked_for)}")).content

    def _fine(self, answer: httpx.Response) -> httpx.Response:
        """An answer that is no error. Raises: Gone, Stop with what the gateway said."""
        if answer.status_code == 200:
            return answer
        said = _json(answer, self.where).get("error")
        if not isinstance(said, str):
            raise _unexpected(self.where, answer)
        raise Gone(told(said, {"code": "NOT_FOUND"})) if answer.status_code == 404 else Stop(said)

    async def _graphql(self, body: bytes) -> dict[str, Any]:
        answer = await self._sent("POST", "/graphql", body)
        found = _json(answer, self.where)
        if "data" not in found and "errors" not in found:
            raise _unexpected(self.where, answer)
        return found

    async def _sent(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] = _JSON, *, stream: bool = False
    ) -> httpx.Response:
        for pause in (*_PAUSES, None):
            try:
                request = self._client.build_request(method, path, content=body, headers=headers)
                answer = await self._client.send(request, stream=stream)
            except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
                raise Stop(f"{self.where} is no address of a gateway: set AGW_URL to one like http://127.0.0.1:8080.") from error
            except httpx.ConnectError as error:
                raise Away(f"No gateway answers at {self.where}: start one with agw serve, or set AGW_URL.") from error
            except httpx.HTTPError as error:
                if body is not None and len(body) > _LARGE and isinstance(error, _BROKEN_OFF):
                    raise Stop(f"The gateway at {self.where} broke off when it was sent {len(body):,} bytes: {_TOO_LARGE}.") from error
                raise Away(f"The gateway at {self.where} did not answer ({type(error).__name__}): try again.") from error
            if answer.status_code not in (429, 503) or pause is None:
                break
            await answer.aclose()
            await asyncio.sleep(pause)
        if answer.status_code == 413 and body is not None:
            raise Stop(f"The gateway at {self.where} refuses {len(body):,} bytes at once: {_TOO_LARGE}.")
        if answer.status_code == 401:
            raise Stop(f"The gateway at {self.where} does not know this key: set AGW_KEY to one of its keys.")
        return answer


async def _pieces(answer: httpx.Response, lines: int) -> AsyncIterator[bytes]:
    """The body; as many lines as were announced, or it was cut off."""
    came = 0
    try:
        async for piece in answer.aiter_bytes():
            came += piece.count(b"\n")
            yield piece
    except httpx.HTTPError as error:
        raise CutOff from error
    if came != lines:
        raise CutOff


def _json(answer: httpx.Response, where: str) -> dict[str, Any]:
    try:
        found = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise _unexpected(where, answer)
    return found


def _unexpected(where: str, answer: httpx.Response) -> Stop:
    kind = Away if answer.status_code in (502, 503, 504) else Stop  # a proxy that does not find the gateway
    return kind(f"{where} does not answer as a gateway does (HTTP {answer.status_code}): check AGW_URL.")
