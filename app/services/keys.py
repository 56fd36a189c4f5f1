"""Keys: their form, what of them is kept, and making, listing and revoking them (R9, R12, O17, Q21)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from app.domain.ids import graph_id
from app.domain.key_form import new_secret, shown
from app.domain.problems import BadUserInput, Forbidden, NotFound
from app.services.clock import Clock
from app.services.known import KnownKeys
from app.services.viewer import ALL_SCOPES, CONTRACT_VERSION, Scope, Viewer
from app.store import access as stored
from app.store.access import KeyRow
from app.store.connection import Store
from app.store.deadline import Deadline

MOST_KEYS = 20
MOST_GRAPHS = 50
NAME_LENGTH = 100

_ACCOUNT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}", re.ASCII)


def hashed(secret: str) -> str:
    """Lower-case hex SHA-256: all that is kept of a key, a code or a login; it doubles as the record's id (R9)."""
    return hashlib.sha256(secret.encode()).hexdigest()


def key_row(secret: str, *, account: str, name: str, scopes: frozenset[Scope], now_ms: int) -> KeyRow:
    """The record of a secret key for all of an account's graphs."""
    return KeyRow(
        id=hashed(secret), account=account, name=name, shown=shown(secret), scopes=sorted(scopes), graph_ids=None,
        version=CONTRACT_VERSION, created=now_ms, last_used=None, expires=None,
    )  # fmt: skip


class Keys:
    """Making, listing and revoking an account's keys. All three need the scope `admin` (Q21)."""

    def __init__(self, store: Store, clock: Clock, known: KnownKeys | None = None) -> None:
        self._store = store
        self._clock = clock
        self._known = known or KnownKeys()

    async def create(
        self,
        viewer: Viewer,
        name: str,
        scopes: Sequence[Scope],
        deadline: Deadline,
        *,
        graph_ids: Sequence[str] | None = None,
        expires: int | None = None,
        account: str | None = None,
    ) -> tuple[KeyRow, str]:
        """A new key and its secret, which is shown this once. `expires` in Unix milliseconds; a new account's name makes the account (O10).

        Raises: Forbidden, BadUserInput (argument: the member's name), NotFound for a graph that is not the account's.
        """
        viewer.require("admin")
        owner = viewer.account if account is None else account
        if owner != viewer.account and not viewer.operator:
            raise Forbidden("Only the operator's key may make keys of another account.")
        if not _ACCOUNT.fullmatch(owner):
            raise BadUserInput("account", "An account's name has 1 to 100 letters, digits or ._@- and begins with a letter or digit.")
        row, secret = self._checked(owner, name, scopes, graph_ids, expires)
        made = await stored.add_key(self._store, row, MOST_KEYS, self._clock(), deadline)
        if made is stored.Added.TOO_MANY:
            raise BadUserInput("account", f"The account has {MOST_KEYS} keys: revoke one first.")
        if made is stored.Added.NO_SUCH_GRAPH:
            raise NotFound("No such graph in this account.")
        return row, secret

    def _checked(
        self, owner: str, name: str, scopes: Sequence[Scope], graph_ids: Sequence[str] | None, expires: int | None
    ) -> tuple[KeyRow, str]:
        name = name.strip()
        if not 1 <= len(name) <= NAME_LENGTH:
            raise BadUserInput("name", f"A key's name has 1 to {NAME_LENGTH} characters.")
        if not scopes or not set(scopes) <= ALL_SCOPES:
            raise BadUserInput("scopes", "A key has at least one of the scopes read, write and admin.")
        now = self._clock()
        if expires is not None and expires <= now:
            raise BadUserInput("expires", "The time at which a key expires must lie ahead.")
        graphs = None if graph_ids is None else _graphs(graph_ids)
        if graphs is not None and "admin" in scopes:
            raise BadUserInput("scopes", "A key that is restricted to graphs cannot have the scope admin.")
        secret = new_secret(restricted=graphs is not None)
        row = key_row(secret, account=owner, name=name, scopes=frozenset(scopes), now_ms=now)
        return row._replace(graph_ids=graphs, expires=expires), secret

    async def of_account(self, viewer: Viewer, deadline: Deadline, account: str | None = None) -> list[KeyRow]:
        """An account's keys, newest first. Raises: Forbidden."""
        viewer.require("admin")
        if account is not None and account != viewer.account and not viewer.operator:
            raise Forbidden("Only the operator's key may list keys of another account.")
        rows = await stored.keys_of(self._store, account or viewer.account, deadline)
        return sorted(rows, key=lambda row: (-row.created, row.id))

    async def find(self, viewer: Viewer, deadline: Deadline) -> KeyRow | None:
        """The key that asks; None for a page's login."""
        return None if viewer.key_id is None else await stored.key(self._store, viewer.key_id, deadline)

    async def revoke(self, viewer: Viewer, key_id: str, deadline: Deadline) -> None:
        """Deletes a key and the logins that came from it, at once for every process (R9, O19).

        Raises: Forbidden, NotFound, BadUserInput for the operator's.
        """
        viewer.require("admin")
        row = await stored.key(self._store, key_id, deadline)
        if row is None or (row.account != viewer.account and not viewer.operator):
            raise NotFound("No such key.")
        try:
            removed = await stored.remove_key(self._store, key_id, deadline)
        finally:  # the outcome may be unknown
            self._known.forget()
        if not removed:
            raise BadUserInput("id", "The operator's key cannot be revoked: set AGW_ADMIN_KEY to put another in its place.")


def _graphs(graph_ids: Sequence[str]) -> list[str]:
    found = list(dict.fromkeys(graph_id(text) for text in graph_ids))
    if not 1 <= len(found) <= MOST_GRAPHS or None in found:
        raise BadUserInput("graphIds", f"A restricted key names 1 to {MOST_GRAPHS} graphs by their ids.")
    return [known for known in found if known is not None]
