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

    __slots__ = ("reading", "value")

    def __init__(self, reading: Reading, value: Any) -> None:
        self.reading = reading
        self.value = value

    @property
    def rows(self) -> int:
        """How many rows there are to show; none for a graph, whose fields are few and each read in its own way."""
        value = self.value
        if value is self.reading:
            return 0
        return 1 if isinstance(value, dict) else len(getattr(value, "rows", value)) or 1


def ready(reading: Reading, value: Any) -> T:  # type: ignore[type-var]  # the field's own type, which the executor makes of it
    """Rows for a field whose type says what they are. None stays None."""
    result: Any = None if value is None else Ready(reading, value)
    return result  # type: ignore[no-any-return]
