"""A client of whoever speaks Rho's addresses: this gateway or the hosted service (G47, G81, G93), blocking or not.

    with RhoClient("http://127.0.0.1:8080", key) as rho:
        graph = rho.graph("claude-code.5f1c")
        rho.sync(graph, "my-project")

What comes is checked before it is handed over, and what is sent before it leaves: both raise `app.domain.rho.problems.Refused`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

import httpx

from app.domain.rho.envelope import Document
from app.domain.rho.json_text import read_json, write_json
from app.domain.rho.normalize import prepare
from app.domain.rho.problems import Refused
from app.domain.rho.profiles import Profile
from app.domain.rho.validate import validate
from app.domain.rho.vocabulary import MOST_BYTES

SECONDS: Final = 30.0


class RhoFailure(Exception):  # noqa: N818 - an answer, not a fault of ours
    """The service refused, or did not answer as one. `code` is its own (G53, G87), if it gave one."""

    def __init__(self, status: int, code: str | None, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload that was accepted, now or (`duplicate`) before: the id that it was sent under, its facts, and its digest (G52)."""

    sync_id: str
    duplicate: bool
    facts: int
    graph_digest: str


@dataclass(frozen=True, slots=True)
class _Prepared:
    """An upload on its way."""

    sync_id: str
    facts: int
    body: bytes

    @classmethod
    def of(cls, envelope: Any, project_id: str, session_id: str | None) -> _Prepared:
        """Raises: Refused: not fit for the cloud profile, or over one mebibyte (G44)."""
        prepared = prepare(envelope)
        names = {"syncId": prepared.sync_id, "projectId": project_id, **({"sessionId": session_id} if session_id else {})}
        body = f'{write_json(names)[:-1]},"graph":{prepared.json}}}'.encode()
        if len(body) > MOST_BYTES:
            raise Refused("body_too_large", "")
        return cls(prepared.sync_id, prepared.facts, body)

    def accepted(self, answer: httpx.Response) -> Upload:
        """What came of it: any 2xx is fine (G50). Raises: RhoFailure."""
        found = _object(answer)
        return Upload(self.sync_id, bool(found.get("duplicate")), self.facts, str(found.get("graphDigest", "")))


def _read(answer: httpx.Response) -> Document:
    """The envelope in an answer (G93, G94). Raises: RhoFailure, Refused."""
    _object(answer)
    document = read_json(answer.content)
    validate(document, Profile.PORTABLE)
    checked: Document = document
    return checked


def _object(answer: httpx.Response) -> dict[str, Any]:
    try:
        found = answer.json()
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RhoFailure(answer.status_code, None, f"HTTP {answer.status_code} without a JSON object: this is no service of Rho's.")
    if not answer.is_success:
        raise RhoFailure(answer.status_code, found.get("code"), str(found.get("error", f"HTTP {answer.status_code}")))
    return found


def _graph_path(session_id: str) -> str:
    return f"/v1/sessions/{quote(session_id, safe='')}/graph"


_SYNC: Final = "/v1/graph/sync"
_JSON: Final = {"Content-Type": "application/json"}


def _settings(url: str, key: str, more: dict[str, Any]) -> dict[str, Any]:
    return {"base_url": url.rstrip("/"), "headers": {"Authorization": f"Bearer {key}"}, "timeout": SECONDS, **more}


class RhoClient:
    """Blocks while it waits. `more`: what `httpx.Client` takes, such as `timeout` or `transport`."""

    def __init__(self, url: str, key: str, **more: Any) -> None:
        self._client = httpx.Client(**_settings(url, key, more))

    def graph(self, session_id: str, repository: str | None = None) -> Document:
        """A session's graph, valid by the portable profile. Raises: RhoFailure, Refused, httpx.HTTPError."""
        return _read(self._client.get(_graph_path(session_id), params=_scope(repository)))

    def sync(self, envelope: Any, project_id: str, session_id: str | None = None) -> Upload:
        """Uploads a graph, prepared first (G45). Raises: Refused, RhoFailure, httpx.HTTPError."""
        prepared = _Prepared.of(envelope, project_id, session_id)
        return prepared.accepted(self._client.post(_SYNC, content=prepared.body, headers=_JSON))

    def close(self) -> None:
        """Closes its connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncRhoClient:
    """The same for programs that do not block. `more`: what `httpx.AsyncClient` takes."""

    def __init__(self, url: str, key: str, **more: Any) -> None:
        self._client = httpx.AsyncClient(**_settings(url, key, more))

    async def graph(self, session_id: str, repository: str | None = None) -> Document:
        """A session's graph, valid by the portable profile. Raises: RhoFailure, Refused, httpx.HTTPError."""
        answer = await self._client.get(_graph_path(session_id), params=_scope(repository))
        return await asyncio.to_thread(_read, answer)

    async def sync(self, envelope: Any, project_id: str, session_id: str | None = None) -> Upload:
        """Uploads a graph, prepared first (G45). Raises: Refused, RhoFailure, httpx.HTTPError."""
        prepared = await asyncio.to_thread(_Prepared.of, envelope, project_id, session_id)
        return prepared.accepted(await self._client.post(_SYNC, content=prepared.body, headers=_JSON))

    async def close(self) -> None:
        """Closes its connections."""
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()


def _scope(repository: str | None) -> dict[str, str]:
    return {} if repository is None else {"repository": repository}
