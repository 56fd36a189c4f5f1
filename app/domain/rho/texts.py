"""Measuring and hashing texts as the contract does: white space, UTF-16 length, digests."""

from __future__ import annotations

import re
from hashlib import sha256

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""Unicode's `White_Space`, which is not what `str.strip` takes away by itself."""

_DIGEST = re.compile("[0-9a-f]{64}")


def trimmed(text: str) -> str:
    """Without white space at its ends."""
    return text.strip(WHITE_SPACE)


def is_blank(text: str) -> bool:
    """Whether nothing is left of it after trimming."""
    return not trimmed(text)


def is_longer(text: str, most: int) -> bool:
    """Whether it has more than `most` UTF-16 code units (G30, G39)."""
    return len(text) > most or (2 * len(text) > most and len(text.encode("utf-16-le")) // 2 > most)


def ascii_lower(text: str) -> str:
    """With ASCII letters in lower case, and nothing else changed (G33)."""
    return text.encode().lower().decode()


def sha256_hex(text: str) -> str:
    """SHA-256 of its UTF-8 bytes in lower-case hex: no salt, no trimming (G34)."""
    return sha256(text.encode()).hexdigest()


def is_digest(text: str) -> bool:
    """Whether it is 64 lower-case hex digits."""
    return _DIGEST.fullmatch(text) is not None
