"""Reading a large JSON text in slices: one call of a parser would hold the event loop for as long as the text is."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

from app.store.pace import Pace

_AT_ONCE = 65_536
"""Bytes that are parsed in one go."""

_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])


async def load_json(text: bytes) -> Any:
    """What `orjson.loads` gives. Raises orjson.JSONDecodeError.

    A large object or array is cut into its members first, which takes a fraction of the time of parsing them.
    """
    return await _load(text, Pace())


async def _load(text: bytes | memoryview, pace: Pace) -> Any:
    if pace.due:
        await pace.rest()
    if len(text) <= _AT_ONCE:
        return orjson.loads(text)
    first = bytes(text[:64]).lstrip()[:1]
    try:
        if first == b"{":
            members = _MEMBERS.decode(text)
            return {name: await _load(memoryview(raw), pace) for name, raw in members.items()}
        if first == b"[":
            return await _items(_ITEMS.decode(text), pace)
    except (msgspec.DecodeError, RecursionError):
        pass  # what is wrong with it is told in the words of the other parser
    return orjson.loads(text)


async def _items(raws: list[msgspec.Raw], pace: Pace) -> list[Any]:
    """Small items are parsed together, as many as fit in one go."""
    items: list[Any] = []
    waiting: list[msgspec.Raw] = []
    size = 0
    for raw in raws:
        length = len(memoryview(raw))
        if waiting and size + length > _AT_ONCE:
            items += await _load(b"[" + b",".join(waiting) + b"]", pace)
            waiting, size = [], 0
        if length > _AT_ONCE:
            items.append(await _load(memoryview(raw), pace))
        else:
            waiting.append(raw)
            size += length + 2
    items += orjson.loads(b"[" + b",".join(waiting) + b"]")
    return items
