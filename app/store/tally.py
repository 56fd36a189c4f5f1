"""How much a unit of work asks of the store: statements sent and rows that came back, for its log line (O28)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

_current: ContextVar[Tally | None] = ContextVar("tally", default=None)


@dataclass(slots=True)
class Tally:
    """`statements` counts what was sent, tries again included; `rows` what came back, each of a record's list of rows."""

    statements: int = 0
    rows: int = 0


@contextmanager
def tallied() -> Iterator[Tally]:
    """The tally of all that is asked of the store inside, also by tasks that begin there."""
    tally = Tally()
    before = _current.set(tally)
    try:
        yield tally
    finally:
        _current.reset(before)


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
