"""A large JSON object in pieces: parsed at once it would be one long step, for which every thread of the process waits."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

import msgspec

PIECE: Final = 65_536
"""Bytes of a piece, and one member more."""

_WHOLE = 4 * PIECE
"""Bytes of a text that is not cut: it is parsed in a millisecond."""

_DEPTH = 8
"""How deep a member of a mapping may be nested. A state's own are nested three deep."""

_SPACE = rb"[ \t\n\r]*+"
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'


def _nested(depth: int) -> bytes:
    deeper = b"|" + _nested(depth - 1) if depth else b""
    return rb'[{\[](?:[^"{}\[\]]++|' + _STRING + deeper + rb")*+[}\]]"


_VALUE = rb"(?:" + _nested(_DEPTH) + b"|" + _STRING + rb'|[^"{}\[\],\s]++)'
_name = re.compile(_SPACE + b"(" + _STRING + b")" + _SPACE + b":" + _SPACE, re.DOTALL)
_value = re.compile(_VALUE + _SPACE, re.DOTALL)
_member = re.compile(_SPACE + _STRING + _SPACE + b":" + _SPACE + _VALUE + _SPACE, re.DOTALL)
_opened = re.compile(_SPACE + rb"\{" + _SPACE)
_closed = re.compile(rb"\}" + _SPACE)
_small = msgspec.json.Decoder(dict[str, msgspec.Raw])
_whole = msgspec.json.Decoder(msgspec.Raw)


def members(text: bytes, mappings: Collection[str]) -> dict[str, list[bytes]]:
    """The outermost members of a JSON object by name, each as JSON texts: the objects that one of the `mappings` is made of, or its value.

    The pieces of a mapping are not looked into: the object is right if they all are. Of equal names the last stands.
    Raises: msgspec.DecodeError where it is no object, or nested deeper than any state is.
    """
    if len(text) <= _WHOLE:
        return {name: [bytes(value)] for name, value in _small.decode(text).items()}
    found: dict[str, list[bytes]] = {}
    at = _past(_opened, text, 0)
    more = text[at : at + 1] != b"}"
    while more:
        name = _name.match(text, at)
        if name is None:
            raise _malformed(at)
        key, at = msgspec.json.decode(name[1], type=str), name.end()
        for replaced in found.get(key, ()):
            _whole.decode(replaced)
        if key in mappings and text[at : at + 1] == b"{":
            found[key], at = _mapping(text, at)
        else:
            end = _past(_value, text, at)
            found[key], at = [bytes(_whole.decode(text[at:end]))], end
        more = text[at : at + 1] == b","
        at += more
    if _past(_closed, text, at) != len(text):
        raise _malformed(at)
    return found


def _mapping(text: bytes, at: int) -> tuple[list[bytes], int]:
    """The objects that one object is made of, in order, and where it has ended."""
    at = begin = _past(_opened, text, at)
    pieces: list[bytes] = []
    more = text[at : at + 1] != b"}"
    while more:
        at = _past(_member, text, at)
        more = text[at : at + 1] == b","
        if not more or at - begin > PIECE:
            pieces.append(b"{" + text[begin:at] + b"}")
            begin = at + 1
        at += more
    return pieces, _past(_closed, text, at)


def _past(form: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = form.match(text, at)
    if found is None:
        raise _malformed(at)
    return found.end()


def _malformed(at: int) -> msgspec.DecodeError:
    return msgspec.DecodeError(f"JSON is malformed, or nested too deep: byte {at}")
