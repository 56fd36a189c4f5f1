"""Who asks: the viewer behind an `Authorization` header or a cookie (R8-R10, O17, O19), and the operator's key (O18)."""

from __future__ import annotations

import asyncio
import hmac
from base64 import b64decode
from functools import partial
from typing import Final, cast

import structlog

from app.domain.key_form import is_key
from app.services.clock import Clock
from app.services.keys import hashed, key_row
from app.services.known import KnownKeys
from app.services.logins import login_ids
from app.services.viewer import ALL_SCOPES, Scope, Viewer
from app.store import access as stored
from app.store.access import KnownKey
from app.store.connection import Store
from app.store.deadline import Deadline

DAY_MS: Final = 24 * 60 * 60 * 1000

_SECONDS = 10.0
_log = structlog.get_logger("access")


class Access:
    """Finds who asks. A key that was revoked is refused from the next request on, in any process (R9): each looks in the store, but where
    `known` can say that nobody else changes it."""

    def __init__(self, store: Store, clock: Clock, known: KnownKeys | None = None) -> None:
        self._store = store
        self._clock = clock
        self._known = known or KnownKeys()
        self._noting: dict[str, asyncio.Task[None]] = {}

    async def viewer(self, authorization: str | None, cookie: str | None = None, deadline: Deadline | None = None) -> Viewer | None:
        """The viewer of a request; None without a valid key or login.

        `authorization` and `cookie` are the headers as sent. REST never passes the cookie (R8), other doors only from their own pages
        (`same_origin`). A key counts before the cookie, a wrong one too; `Basic` that holds no key may be meant for a proxy and is no key.
        """
        deadline = deadline or Deadline.after(_SECONDS)
        secret = credential(authorization) if authorization else None
        if secret is not None and is_key(secret):
            return await self._by_key(secret, deadline)
        if secret is not None and not is_basic(authorization):
            return None
        ids = login_ids(cookie)
        if not ids:
            return None
        found = await self._known.find("; ".join(ids), lambda until: stored.known_login(self._store, ids, self._clock(), until), deadline)
        return self._viewer(found)

    async def tool(self, authorization: str | None, deadline: Deadline) -> Viewer | None:
        """The viewer of a producer's login token: a key, or a login that was handed over to it (I3, I23), which is good nowhere else."""
        secret = credential(authorization) if authorization else None
        if secret is None:
            return None
        if is_key(secret):
            return await self._by_key(secret, deadline)
        login = hashed(secret)
        found = await self._known.find(
            f"{stored.TOOL} {login}",
            lambda until: stored.known_login(self._store, [login], self._clock(), until, stored.TOOL),
            deadline,
        )
        return self._viewer(found)

    async def operator_id(self, deadline: Deadline) -> str | None:
        """The record id of the operator's key, if there is one."""
        return await stored.operator_id(self._store, deadline)

    async def claim_operator(self, secret: str, *, replace: bool, deadline: Deadline) -> str:
        """The record id of the operator's key: `secret`'s, if there was none or it is to `replace` it (O18)."""
        row = key_row(secret, account=stored.LOCAL, name="operator", scopes=ALL_SCOPES, now_ms=self._clock())
        try:
            return await stored.claim_operator(self._store, row, replace=replace, now=self._clock(), deadline=deadline)
        finally:
            self._known.forget()

    async def close(self) -> None:
        """Waits for notes of use that are being written."""
        await asyncio.gather(*self._noting.values(), return_exceptions=True)

    async def _by_key(self, secret: str, deadline: Deadline) -> Viewer | None:
        key_id = hashed(secret)
        found = await self._known.find(key_id, partial(stored.known_key, self._store, key_id), deadline)
        if found is None or not hmac.compare_digest(found.row.id, key_id):
            return None
        return self._viewer(found)

    def _viewer(self, found: KnownKey | None) -> Viewer | None:
        now = self._clock()
        if found is None or any(end is not None and end <= now for end in (found.row.expires, found.login_expires)):
            return None
        row = found.row
        if row.last_used is None or now - row.last_used >= DAY_MS:
            self._note_use(row.id, now)
        return Viewer(
            account=row.account,
            scopes=frozenset(cast("list[Scope]", row.scopes)),
            graph_ids=None if row.graph_ids is None else frozenset(row.graph_ids),
            key_id=None if found.login else row.id,
            login_id=found.login,
            operator=found.operator,
            version=row.version,
        )

    def _note_use(self, key_id: str, now: int) -> None:
        # beside the request: an answer neither waits for this nor fails with it
        if key_id not in self._noting:
            self._noting[key_id] = asyncio.create_task(self._write_use(key_id, now))

    async def _write_use(self, key_id: str, now: int) -> None:
        try:
            await stored.mark_used(self._store, key_id, now, Deadline.after(_SECONDS))
            self._known.forget()
        except Exception as error:  # noqa: BLE001 - tried again with the key's next request
            _log.warning("use of a key not noted", key=key_id, error=type(error).__name__)
        finally:
            del self._noting[key_id]


def is_basic(authorization: str | None) -> bool:
    """Whether an `Authorization` header is of the scheme `Basic`."""
    return (authorization or "").lstrip().lower().startswith("basic ")


def credential(authorization: str) -> str | None:
    """The key in an `Authorization` header, by `Bearer` or as the user name of `Basic` (R8); None if there is none."""
    words = authorization.split()
    if len(words) < 2:
        return None
    scheme = words[0].lower()
    if scheme == "bearer":
        return words[1]
    if scheme == "basic":
        try:
            return b64decode(words[1], validate=True).decode("utf-8").partition(":")[0] or None
        except ValueError:  # no base64, not ASCII, or no UTF-8 within
            return None
    return None
