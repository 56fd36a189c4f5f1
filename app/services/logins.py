"""People's logins: one-time codes, cookies, signing out (O19)."""

from __future__ import annotations

import hashlib
import secrets
from base64 import urlsafe_b64encode
from typing import Final

from app.domain.key_form import is_key
from app.domain.problems import Forbidden, Unauthenticated
from app.services.clock import Clock
from app.services.keys import hashed
from app.services.known import KnownKeys
from app.services.viewer import Viewer
from app.store import access as stored
from app.store.connection import Store
from app.store.deadline import Deadline

CODE_MS: Final = 10 * 60 * 1000
LOGIN_MS: Final = 30 * 24 * 60 * 60 * 1000

TOOL_MS: Final = 10 * 365 * 24 * 60 * 60 * 1000
"""A tool's login ends with the key behind it, or when it is signed out: in the background nobody could log in again."""

COOKIE = "agw_login"
"""Cookies are this, or this, `_` and a port: browsers share cookies among the ports of a host."""

_MOST_COOKIES = 8
_LONGEST_TOKEN = 100


class Logins:
    """One-time codes and the logins they give, kept as hashes in the store, so that any process knows them."""

    def __init__(self, store: Store, clock: Clock, known: KnownKeys | None = None) -> None:
        self._store = store
        self._clock = clock
        self._known = known or KnownKeys()

    async def code(self, viewer: Viewer, deadline: Deadline) -> str:
        """A new code, good once and for ten minutes, for a login with the rights of the key that asks.

        Raises: Unauthenticated if a login asks.
        """
        if viewer.key_id is None:
            raise Unauthenticated("A login link is made with a key.")
        return await self.code_for(viewer.key_id, deadline)

    async def code_for(self, key_id: str, deadline: Deadline) -> str:
        """A new code for a login with the rights of the key with this record id."""
        code = secrets.token_urlsafe(24)
        now = self._clock()
        await stored.add_code(self._store, hashed(code), key_id, now=now, expires=now + CODE_MS, deadline=deadline)
        return code

    async def redeem(self, code: str, deadline: Deadline) -> str:
        """The cookie's value for a code, which is used up. Raises: Unauthenticated."""
        token = secrets.token_urlsafe(32)
        now = self._clock()
        known = 0 < len(code) <= _LONGEST_TOKEN and await stored.redeem_code(
            self._store, hashed(code), hashed(token), now=now, expires=now + LOGIN_MS, deadline=deadline
        )
        if not known:
            raise Unauthenticated("This link has been used or is older than ten minutes.")
        return token

    async def with_key(self, secret: str, deadline: Deadline) -> str:
        """The cookie's value for a key. Raises: Unauthenticated."""
        now = self._clock()
        row = await stored.key(self._store, hashed(secret), deadline) if is_key(secret) else None
        if row is None or (row.expires is not None and row.expires <= now):
            raise Unauthenticated("This is no valid key.")
        token = secrets.token_urlsafe(32)
        await stored.add_login(self._store, hashed(token), row.id, now=now, expires=now + LOGIN_MS, deadline=deadline)
        return token

    async def code_for_tool(self, viewer: Viewer, challenge: str, deadline: Deadline) -> str:
        """A new code for a tool to which a signed-in person hands a login over; `challenge` is the tool's own (I23).

        Raises: Forbidden where that could make no share.
        """
        viewer.require("write")
        if viewer.graph_ids is not None:
            raise Forbidden("This login is for certain graphs: it cannot make shares.")
        key_id = viewer.key_id
        if viewer.login_id is not None:
            known = await stored.known_login(self._store, [viewer.login_id], self._clock(), deadline)
            key_id = None if known is None else known.row.id
        if key_id is None:
            raise Forbidden("This login has just ended.")
        code, now = secrets.token_urlsafe(24), self._clock()
        await stored.add_code(
            self._store, hashed(code), key_id, now=now, expires=now + CODE_MS, deadline=deadline, challenge=challenge
        )  # fmt: skip
        return code

    async def redeem_for_tool(self, code: str, verifier: str, deadline: Deadline) -> str:
        """The login token for a code, for whoever has the verifier behind its challenge (I23). Raises: Unauthenticated."""
        challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode("utf-8", "replace")).digest()).rstrip(b"=").decode()
        token, now = secrets.token_urlsafe(32), self._clock()
        known = 0 < len(code) <= _LONGEST_TOKEN and await stored.redeem_code(
            self._store, hashed(code), hashed(token), now=now, expires=now + TOOL_MS, deadline=deadline, challenge=challenge
        )
        if not known:
            raise Unauthenticated("This code has been used, is older than ten minutes, or was another tool's.")
        return token

    async def end_tool(self, viewer: Viewer, deadline: Deadline) -> None:
        """Ends the login that a tool asks with; a key is not touched."""
        if viewer.login_id is not None:
            try:
                await stored.remove_logins(self._store, [viewer.login_id], deadline)
            finally:
                self._known.forget()

    async def sign_out(self, cookie: str | None, deadline: Deadline) -> None:
        """Ends the logins of a `Cookie` header."""
        ids = login_ids(cookie)
        if ids:
            try:
                await stored.remove_logins(self._store, ids, deadline)
            finally:
                self._known.forget()


def login_ids(cookie: str | None) -> list[str]:
    """Record ids of the logins that a `Cookie` header names, at most 8."""
    if not cookie or COOKIE not in cookie:
        return []
    pairs = (part.strip().partition("=") for part in cookie.split(";"))
    tokens = [value for name, _, value in pairs if name == COOKIE or name.startswith(f"{COOKIE}_")]
    return [hashed(token) for token in tokens[:_MOST_COOKIES] if 0 < len(token) <= _LONGEST_TOKEN]


def cookie_names(cookie: str | None) -> list[str]:
    """Names of the login cookies in a `Cookie` header."""
    names = (part.strip().partition("=")[0] for part in (cookie or "").split(";"))
    return [name for name in names if name == COOKIE or name.startswith(f"{COOKIE}_")]
