"""A page of any list, as connections show it (Q14-Q17)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from app.services.lists import Page, Slice

R = TypeVar("R")


class Paged(ABC, Generic[R]):
    """A page, and the cursors of its rows."""

    __slots__ = ()

    page: Slice[R]

    @abstractmethod
    def cursor(self, row: R) -> str:
        """Names a row's place in the list."""

    async def total(self) -> int:
        """How long the whole filtered list is (Q16)."""
        assert isinstance(self.page, Page)
        return self.page.total

    @property
    def rows(self) -> Sequence[R]:
        """Its rows, in the list's order."""
        return self.page.rows

    @property
    def start_cursor(self) -> str | None:
        """The cursor of its first row; None on an empty page."""
        return self.cursor(self.rows[0]) if self.rows else None

    @property
    def end_cursor(self) -> str | None:
        """The cursor of its last row; None on an empty page."""
        return self.cursor(self.rows[-1]) if self.rows else None
