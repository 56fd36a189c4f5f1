"""Pages of Rho lists: forward only, by id or key (M13, M16)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from app.domain.problems import BadUserInput
from app.graphql.paged import Paged
from app.graphql.rho.limits import MOST, PAGE
from app.graphql.types.inputs import given
from app.services.cursors import list_name, read_cursor, write_cursor
from app.services.lists import Ask, Page, cut, places

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class RhoPage(Paged[T]):
    """A page of a list whose rows are told apart by `key`."""

    name: str
    page: Page[T]
    key: Callable[[T], str]

    def holding(self, rows: Sequence[U], key: Callable[[U], str]) -> RhoPage[U]:
        """The same page with other things for the rows, which `key` tells apart in the same way."""
        return RhoPage(self.name, Page(rows, self.page.has_next, self.page.has_previous, self.page.total), key)

    def cursor(self, row: T) -> str:
        """The cursor of one of its rows."""
        return write_cursor(self.name, [self.key(row)])


def page_of(rows: Sequence[T], key: Callable[[T], str], first: Any, after: Any, *names: Any) -> RhoPage[T]:
    """The page of `rows`, which are in the order of `key`. `names` tell the list from every other. Raises: BadUserInput, CursorInvalid."""
    size, cursor = given(first), given(after)
    if size is not None and not 0 <= size <= MOST:
        raise BadUserInput("first", f"first is from 0 to {MOST}.")
    name = list_name("rho", *names)
    start = None if cursor is None else read_cursor(cursor, name, str).key[0]
    begin, _ = places([key(row) for row in rows], start, None)
    return RhoPage(name, cut(rows, Ask(PAGE if size is None else size), begin), key)
