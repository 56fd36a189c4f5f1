"""What a node's waits that count are on (E117)."""

from __future__ import annotations

from bisect import bisect_left

from app.domain.ids import node_id


class Awaited:
    """The targets of one node's waits that count, in the order in which the waits were opened; and the waits without a target.

    Sorted lists side by side: a wait more or less shifts and copies what is behind it, but looks at none of the other waits.
    """

    __slots__ = ("_ids", "_ids_text", "_on", "_positions", "_refs", "starting")

    def __init__(self) -> None:
        self._positions: list[int] = []
        self._refs: list[str] = []
        self._ids: list[bytes] = []
        self._on: tuple[str, ...] | None = ()
        self._ids_text: bytes | None = b""
        self.starting: set[int] = set()
        """Positions of the waits whose target is null."""

    def put(self, position: int, on: str | None) -> None:
        """The wait at that position counts, and is on `on`."""
        if on is None:
            self.drop(position)
            self.starting.add(position)
            return
        self.starting.discard(position)
        at = bisect_left(self._positions, position)
        if at == len(self._positions) or self._positions[at] != position:
            self._positions.insert(at, position)
            self._refs.insert(at, on)
            self._ids.insert(at, _text(on))
        elif self._refs[at] != on:
            self._refs[at], self._ids[at] = on, _text(on)
        else:
            return
        self._on = self._ids_text = None

    def drop(self, position: int) -> None:
        """The wait at that position does not count."""
        self.starting.discard(position)
        at = bisect_left(self._positions, position)
        if at < len(self._positions) and self._positions[at] == position:
            del self._positions[at], self._refs[at], self._ids[at]
            self._on = self._ids_text = None

    @property
    def on(self) -> tuple[str, ...]:
        """The targets' refs; the same object as long as none of them changes."""
        if self._on is None:
            self._on = tuple(self._refs)
        return self._on

    @property
    def ids_text(self) -> bytes:
        """The targets' public ids as the items of a JSON array."""
        if self._ids_text is None:
            self._ids_text = b",".join(self._ids)
        return self._ids_text


def _text(ref: str) -> bytes:
    return b'"%b"' % node_id(ref).encode()
