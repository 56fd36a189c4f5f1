"""From rows to the schema's objects, for resolvers: by the name of the type that the field has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.graphql.reading import Reading
from app.graphql.types.graph import Graph
from app.graphql.types.node import Blocked, Node
from app.graphql.types.pages import Connection
from app.graphql.types.parts import Message, Spawn, Task, Wait

_MAKERS: dict[str, Callable[[Reading, Any], Any]] = {
    "Graph": lambda reading, value: Graph(reading=value),
    "Node": lambda reading, value: Node(reading=reading, row=value),
    "NodeConnection": lambda reading, value: Connection(found=value),
    "MessageConnection": lambda reading, value: Connection(found=value),
    "Blocked": lambda reading, value: Blocked(reading=reading, row=value),
    "Task": lambda reading, value: Task(row=value),
    "Spawn": lambda reading, value: Spawn(reading=reading, row=value),
    "Wait": lambda reading, value: Wait(reading=reading, row=value),
    "Message": lambda reading, value: Message(reading=reading, row=value),
}


def dress(type_name: str, reading: Reading, value: Any) -> Any:
    """The schema's object for a row or a page; a list of them for a list of rows."""
    make = _MAKERS[type_name]
    return [make(reading, each) for each in value] if isinstance(value, list | tuple) else make(reading, value)
