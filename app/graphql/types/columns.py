"""Fields that show one member of a row: said once, read by the resolver and by the compiled projection alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import strawberry

from app.domain.ids import node_id

Form: TypeAlias = Literal["plain", "node_id"]

METADATA = "column"
GRAPH = "graph"


class Column(NamedTuple):
    """The row's member behind a field, and in which form it is shown."""

    name: str
    form: Form


def column(name: str, description: str, form: Form = "plain") -> Any:
    """A field that shows the member `name` of its object's row."""
    return strawberry.field(resolver=_reader(name, form), description=description, metadata={METADATA: Column(name, form)})


def of_graph(description: str, read: Callable[[Any], Any]) -> Any:
    """A field of Graph that shows what its reading knows without asking the store."""

    def resolve(root: Any):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the field's own annotation is its type
        return read(root.reading)

    return strawberry.field(resolver=resolve, description=description, metadata={GRAPH: read})


def _reader(name: str, form: Form) -> Callable[[Any], Any]:
    def read(root: Any):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the field's own annotation is its type
        value = root.row[name]  # what was not read is a fault, not a null
        return node_id(value) if form == "node_id" and value is not None else value

    return read
