"""Keyframes: a whole stored state in lines of the log (E126-E136), as text and back."""

from __future__ import annotations

import binascii
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from app.domain.envelope import Event
from app.domain.times import event_ns

TYPE = "keyframe"
NODE = "agent-graph:keyframe"
MAX_PARTS = 2_048
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
PART_CHARACTERS = 196_608


class Part(msgspec.Struct, frozen=True):
    """The data of one line of a keyframe (E127, E8)."""

    part: int
    parts: int
    text: str
    restart: bool = False


class Keyframe(NamedTuple):
    """A keyframe put together: its state as JSON text (E134), the `ts` of its first line, and when that is in Unix ns."""

    state: bytes
    ts: str
    time_ns: int


class KeyframeRefused(ValueError):  # noqa: N818 - the rule's word (E130, E135)
    """The parts do not make a keyframe, or its state does not add up; the text says why."""


def read_part(event: Event) -> Part | None:
    """The part that a line of type `keyframe` holds; None if it is unreadable (E6)."""
    try:
        part = msgspec.convert(event.data, Part)
    except msgspec.ValidationError:
        return None
    return part if part.part >= 0 and part.parts >= 0 else None


def is_restart(event: Event) -> bool:
    """Whether a keyframe's line is the one that asks for everything before it to be forgotten (E132)."""
    part = read_part(event)
    return part is not None and part.part == 0 and part.restart


def merge(parts: Sequence[Event]) -> Keyframe:
    """Puts a keyframe together (E130). Raises KeyframeRefused; what the state says is checked by the one who takes it up (E135)."""
    return unpacked(texts_of(parts), parts[0].ts)


def event_of(part: Event) -> str:
    """The id of the event that a keyframe's line stands after (E127)."""
    return part.id.rpartition("~")[0] or part.id


def leading(parts: Sequence[Event]) -> Sequence[Event]:
    """Of all keyframe lines before a log's first event, each once, those that are its keyframe (E129)."""
    first = read_part(parts[0])
    return parts[: 1 if first is None else max(first.parts, 1)]


def texts_of(parts: Sequence[Event]) -> list[str]:
    """The texts of a keyframe's lines, in order (E130). Raises KeyframeRefused where they are not exactly one keyframe."""
    read = [read_part(event) for event in parts]
    texts = {part.part: part.text for part in read if part is not None}
    if any(part is None or part.parts != len(parts) for part in read) or sorted(texts) != list(range(len(parts))):
        raise KeyframeRefused("parts are missing, unreadable or do not belong together")
    return [texts[number] for number in range(len(parts))]


def unpacked(texts: Sequence[str], ts: str) -> Keyframe:
    """A keyframe from the texts of its parts, in order, and the `ts` of its lines (E128). Raises KeyframeRefused."""
    if len(texts) > MAX_PARTS:
        raise KeyframeRefused(f"more than {MAX_PARTS} parts")
    return Keyframe(unpacked_text(texts), ts, event_ns(ts))


def unpacked_text(texts: Sequence[str]) -> bytes:
    """What `packed` was given. Raises KeyframeRefused."""
    return _unpack("".join(texts))


def packed(state: bytes) -> list[str]:
    """A state as the texts of a keyframe's parts (E128)."""
    packing = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    text = b64encode(packing.compress(state) + packing.flush()).decode("ascii")
    return [text[at : at + PART_CHARACTERS] for at in range(0, len(text), PART_CHARACTERS)]


def _unpack(text: str) -> bytes:
    try:
        packed = b64decode(text.encode("ascii"), validate=True)
        unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        state = unpacking.decompress(packed, MAX_UNPACKED_BYTES + 1)
    except (binascii.Error, UnicodeEncodeError, zlib.error):
        raise KeyframeRefused("the text is not base64 of a DEFLATE stream") from None
    if len(state) > MAX_UNPACKED_BYTES:
        raise KeyframeRefused(f"it unpacks to more than {MAX_UNPACKED_BYTES} bytes")
    if not unpacking.eof or unpacking.unused_data:
        raise KeyframeRefused("the text is not exactly one DEFLATE stream")
    return state


def lines(state: bytes, event_id: str, ts: str, *, restart: bool = False) -> Iterator[dict[str, Any]]:
    """The envelopes of the keyframe of a state just after an event (E127, E128)."""
    return part_lines(packed(state), event_id, ts, restart=restart)


def part_lines(cuts: Sequence[str], event_id: str, ts: str, *, restart: bool = False) -> Iterator[dict[str, Any]]:
    """The same for a state that is packed already."""
    for number, cut in enumerate(cuts):
        data: dict[str, Any] = {"part": number, "parts": len(cuts), "text": cut}
        if restart:
            data["restart"] = True
        yield {"v": 1, "id": f"{event_id}~{number:06d}", "ts": ts, "type": TYPE, "node": NODE, "data": data}
