"""What resolvers return when all that lies under their field has been read: rows, to be shown by the compiled projection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from app.graphql.reading import Reading


T = TypeVar("T")


class Ready:
    """A row, a list of rows or a page of them, of one moment.

    The executor shows it by a compiled projection or, where that cannot, makes the schema's object of it and asks its resolvers.
    """

    __slots__ = ("apart", "reading", "value")

    def __init__(self, reading: Reading, value: Any, apart: bool = False) -> None:
        self.reading = reading
        self.value = value
        self.apart = apart

    @property
    def rows(self) -> int:
        """How many rows there are to show; none for a graph, or a node whose fields are shown `apart`, each in its own way."""
        value = self.value
        if self.apart or value is self.reading:
            return 0
        return 1 if isinstance(value, dict) else len(getattr(value, "rows", value)) or 1


def ready(reading: Reading, value: Any, *, apart: bool = False) -> T:  # type: ignore[type-var]  # the field's own type, which the executor makes of it
    """Rows for a field whose type says what they are. None stays None."""
    result: Any = None if value is None else Ready(reading, value, apart)
    return result  # type: ignore[no-any-return]
