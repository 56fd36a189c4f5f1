"""Accounts, keys, login codes and logins: hashes only, never a key, a code or a cookie itself (R9, O19)."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from app.store.connection import Store, Transaction
from app.store.deadline import Deadline

LOCAL = "local"
"""The account that is there from the first start (O17), the operator's."""

TOOL = "tool"
"""The use of a login that is good for ingest alone (I3, I23)."""


class KeyRow(NamedTuple):
    """A key's record: `id` is the SHA-256 of the key; times in Unix milliseconds; `graph_ids` None for a secret key (R9)."""

    id: str
    account: str
    name: str
    shown: str
    scopes: list[str]
    graph_ids: list[str] | None
    version: str
    created: int
    last_used: int | None
    expires: int | None


class KnownKey(NamedTuple):
    """A key on record, whether it is the operator's, and the id of the login that led to it, if one did, with when that ends (Unix ms)."""

    row: KeyRow
    operator: bool
    login: str | None = None
    login_expires: int | None = None


class Added(Enum):
    """What became of a new key."""

    DONE = 1
    TOO_MANY = 2
    NO_SUCH_GRAPH = 3


async def key(store: Store, key_id: str, deadline: Deadline) -> KeyRow | None:
    """A key by its record id."""
    found = await known_key(store, key_id, deadline)
    return None if found is None else found.row


async def known_key(store: Store, key_id: str, deadline: Deadline) -> KnownKey | None:
    """A key by its record id, with whether it is the operator's."""
    record = await store.one("access/key", deadline, id=key_id)
    return None if record is None else KnownKey(_row(record["key"]), bool(record["operator"]))


async def known_login(store: Store, login_ids: list[str], now: int, deadline: Deadline, use: str | None = None) -> KnownKey | None:
    """The key behind the first of these logins that is on record, of that use (None: a person's) and has not expired."""
    record = await store.one("access/login", deadline, ids=login_ids, now=now, use=use)
    return None if record is None else KnownKey(_row(record["key"]), bool(record["operator"]), record["login"], record["expires"])


async def keys_of(store: Store, account: str, deadline: Deadline) -> list[KeyRow]:
    """All keys of an account, in no order."""
    record = await store.one("access/keys_of", deadline, account=account)
    return [] if record is None else [_row(found) for found in record["keys"]]


async def operator_id(store: Store, deadline: Deadline) -> str | None:
    """The record id of the operator's key, if there is one."""
    record = await store.one("access/operator", deadline, name=LOCAL)
    return None if record is None else record["operator"]


async def claim_operator(store: Store, row: KeyRow, *, replace: bool, now: int, deadline: Deadline) -> str:
    """The record id of the operator's key after this: of `row` if there was none or `replace` is set, in place of the one before (O18).

    One transaction under the account's lock, so that of several processes one alone makes it. A key that is replaced ends with its logins.
    """

    async def work(transaction: Transaction) -> str:
        locked = await transaction.one("access/account_lock", name=LOCAL, now=now)
        before = None if locked is None else locked["operator"]
        if before is not None and (before == row.id or not replace):
            return str(before)
        if before is not None:
            await _end_key(transaction, before)
        await transaction.run("access/key_put", id=row.id, row=row._asdict())
        await transaction.run("access/operator_set", name=LOCAL, id=row.id)
        return row.id

    return await store.write(work, deadline)


async def add_key(store: Store, row: KeyRow, most: int, now: int, deadline: Deadline) -> Added:
    """Keeps a new key, unless its account has `most` already (the operator's not counted) or lacks one of its graphs."""

    async def work(transaction: Transaction) -> Added:
        locked = await transaction.one("access/account_lock", name=row.account, now=now)
        operator = None if locked is None else locked["operator"]
        if row.graph_ids is not None:
            known = await transaction.one("access/graphs_known", ids=row.graph_ids, account=row.account)
            if known is None or known["known"] != len(row.graph_ids):
                return Added.NO_SUCH_GRAPH
        held = await transaction.one("access/keys_of", account=row.account)
        if held is not None and sum(found["id"] != operator for found in held["keys"]) >= most:
            return Added.TOO_MANY
        await transaction.run("access/key_put", id=row.id, row=row._asdict())
        return Added.DONE

    return await store.write(work, deadline)


async def remove_key(store: Store, key_id: str, deadline: Deadline) -> bool:
    """Deletes a key with its codes and logins; False, and nothing done, for the operator's."""
    found = await known_key(store, key_id, deadline)
    if found is not None and found.operator:
        return False

    async def work(transaction: Transaction) -> None:
        await _end_key(transaction, key_id)

    await store.write(work, deadline)
    return True


async def mark_used(store: Store, key_id: str, now: int, deadline: Deadline) -> None:
    """Notes that a key was used."""

    async def work(transaction: Transaction) -> None:
        await transaction.run("access/key_used", id=key_id, now=now)

    await store.write(work, deadline)


async def add_code(
    store: Store, code_id: str, key_id: str, *, now: int, expires: int, deadline: Deadline, challenge: str | None = None
) -> None:
    """Keeps a one-time login code, and clears away what has expired. `challenge`: of the tool that alone may use it."""

    async def work(transaction: Transaction) -> None:
        await transaction.run("access/codes_expired_delete", now=now)
        await transaction.run("access/logins_expired_delete", now=now)
        await transaction.run("access/code_put", id=code_id, key=key_id, expires=expires, challenge=challenge)

    await store.write(work, deadline)


async def redeem_code(
    store: Store, code_id: str, login_id: str, *, now: int, expires: int, deadline: Deadline, challenge: str | None = None
) -> bool:
    """Uses a code up and keeps the login that it gives, a tool's where there is a `challenge`. False if it is unknown, used, expired, or of
    another challenge. Of two that try at once, one succeeds.
    """

    async def work(transaction: Transaction) -> bool:
        await transaction.run("access/code_lock", id=code_id)
        used = await transaction.one("access/code_use", id=code_id, now=now, challenge=challenge)
        if used is None:
            return False
        use = None if challenge is None else TOOL
        await transaction.run("access/login_put", id=login_id, key=used["key"], now=now, expires=expires, use=use)
        return True

    return await store.write(work, deadline)


async def add_login(store: Store, login_id: str, key_id: str, *, now: int, expires: int, deadline: Deadline) -> None:
    """Keeps a login."""

    async def work(transaction: Transaction) -> None:
        await transaction.run("access/login_put", id=login_id, key=key_id, now=now, expires=expires, use=None)

    await store.write(work, deadline)


async def remove_logins(store: Store, login_ids: list[str], deadline: Deadline) -> None:
    """Ends logins."""

    async def work(transaction: Transaction) -> None:
        await transaction.run("access/login_delete", ids=login_ids)

    await store.write(work, deadline)


async def _end_key(transaction: Transaction, key_id: str) -> None:
    await transaction.run("access/key_delete", id=key_id)
    await transaction.run("access/codes_of_key_delete", key=key_id)
    await transaction.run("access/logins_of_key_delete", key=key_id)


def _row(found: dict[str, Any]) -> KeyRow:
    return KeyRow(*(found.get(name) for name in KeyRow._fields))  # type: ignore[arg-type]  # a null is a property left out
