"""The operator's key: made once, kept in the data directory, or set from outside (O18)."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from app.domain.key_form import is_key, new_secret
from app.services.access import Access
from app.services.keys import hashed
from app.store.deadline import Deadline

FILE = "admin-key"


@dataclass(frozen=True, slots=True)
class OperatorKey:
    """The operator's key as this process knows it.

    `id` is its record id; `secret` None where another process, with another data directory, made it; `made` whether it was made just now.
    """

    id: str
    secret: str | None
    made: bool


async def ensure_operator(access: Access, data_dir: Path, admin_key: str | None, deadline: Deadline) -> OperatorKey:
    """The operator's key of the store, made if it has none; `admin_key` (of R9's form) takes the place of whichever there is.

    The key is in its file before the store knows of it: a process that dies between the two leaves a key that the next start takes up.
    """
    if admin_key is not None:
        if kept_key(data_dir) != admin_key:
            write_private(data_dir / FILE, admin_key + "\n")
        return OperatorKey(await access.claim_operator(admin_key, replace=True, deadline=deadline), admin_key, made=False)
    kept = kept_key(data_dir)
    secret = kept or _offer(data_dir / FILE)
    known = await access.operator_id(deadline)
    key_id = await access.claim_operator(secret, replace=False, deadline=deadline) if known is None else known
    if key_id == hashed(secret):
        return OperatorKey(key_id, secret, made=known is None)
    if kept is None:
        (data_dir / FILE).unlink(missing_ok=True)
    return OperatorKey(key_id, None, made=False)


def kept_key(data_dir: Path) -> str | None:
    """The operator's key in a data directory, if one is there."""
    try:
        text = (data_dir / FILE).read_text(encoding="ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return text if is_key(text) else None


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner can read, whole or not at all, in place of the one before."""
    _private_copy(path, text).replace(path)


def _private_copy(path: Path, text: str) -> Path:
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return fresh


def _offer(path: Path) -> str:
    """A new key in its file, or the one that another process has put there meanwhile."""
    secret = new_secret()
    fresh = _private_copy(path, secret + "\n")
    try:
        os.link(fresh, path)
    except FileExistsError:
        kept = kept_key(path.parent)
        if kept is not None:
            return kept
        fresh.replace(path)  # what is there is no key
    finally:
        fresh.unlink(missing_ok=True)
    return secret
