"""How much a unit of work asks of the store: statements sent and rows that came back, for its log line (O28)."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar, Token
from typing import Any

_current: ContextVar[Tally | None] = ContextVar("tally", default=None)


class Tally:
    """`statements` counts what was sent, tries again included; `rows` what came back, each of a record's list of rows."""

    __slots__ = ("_before", "rows", "statements")

    _before: Token[Tally | None]

    def __init__(self) -> None:
        self.statements = 0
        self.rows = 0

    def __enter__(self) -> Tally:
        self._before = _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._before)


def tallied() -> Tally:
    """The tally of all that is asked of the store inside its context, also by tasks that begin there."""
    return Tally()


def sent() -> None:
    """A statement is sent."""
    tally = _current.get()
    if tally is not None:
        tally.statements += 1


def came_back(records: Sequence[Any]) -> None:
    """Its records have come."""
    tally = _current.get()
    if tally is not None:
        tally.rows += sum(map(_rows, records))


def _rows(record: Any) -> int:
    """Most statements gather their rows into one list, the first value of a record: it is cheaper to unpack."""
    first = record[0] if len(record) else None
    if isinstance(first, list) and (not first or isinstance(first[0], list | dict)):
        return len(first)
    return 1
