"""The form of keys (R9)."""

from __future__ import annotations

import re
import secrets
import string

SECRET_PREFIX = "ag_sk_live_"  # noqa: S105 - what every key begins with is no secret
RESTRICTED_PREFIX = "ag_rk_live_"

_BASE62 = string.digits + string.ascii_letters
_LENGTH = 32
_REST = re.compile(rf"[0-9A-Za-z]{{{_LENGTH}}}", re.ASCII)
_KEY = re.compile(rf"(?:{SECRET_PREFIX}|{RESTRICTED_PREFIX}){_REST.pattern}", re.ASCII)


def new_secret(*, restricted: bool = False) -> str:
    """A new random key."""
    return (RESTRICTED_PREFIX if restricted else SECRET_PREFIX) + "".join(secrets.choice(_BASE62) for _ in range(_LENGTH))


def is_key(text: str) -> bool:
    """Whether `text` has the form of a key."""
    return is_secret_key(text) or _has_form(text, RESTRICTED_PREFIX)


def is_secret_key(text: str) -> bool:
    """Whether it has that of a key for all graphs of an account."""
    return _has_form(text, SECRET_PREFIX)


def shown(key: str) -> str:
    """The form in which a key may be shown: its first 11 and last 4 characters."""
    return f"{key[:11]}****{key[-4:]}"


def without_keys(text: str) -> str:
    """The text with every key in it as it may be shown: callers put keys where none belongs, and are told of it in their own words."""
    return _KEY.sub(lambda found: shown(found[0]), text)


def _has_form(text: str, prefix: str) -> bool:
    return text.startswith(prefix) and _REST.fullmatch(text, len(prefix)) is not None
