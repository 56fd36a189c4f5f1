"""A projection bound to one request: the moment that it reads, and what its arguments came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graphql import GraphQLNonNull, get_nullable_type
from graphql.execution.values import VariableValues, get_argument_values
from strawberry import Schema
from strawberry.types.arguments import convert_arguments

from app.domain.forest import ShownRow
from app.graphql.listing import Kind, MessageList, NodeList, TablePage, levels_of
from app.graphql.projection.compiler import Projection, Selected
from app.graphql.projection.leaves import Deopt, coercion
from app.graphql.reading import Reading, WholeParts
from app.services.graph_at import NodeTable, PartKind
from app.services.lists import cut


class Bound:
    """What compiled code asks of its request. All that it needs must have been read: it never waits."""

    def __init__(self, projection: Projection, reading: Reading, variables: VariableValues, schema: Schema) -> None:
        self.reading = reading
        self._calls = projection.calls
        self._variables = variables
        self._schema = schema
        if projection.needs_forest:
            if reading.snapshot is None:
                raise Deopt
            self.forest = reading.snapshot
            self.by_ref = reading.snapshot.by_ref
            self.children = reading.snapshot.children

    @property
    def key(self) -> str:
        """What the keys of nodes begin with."""
        return f"{self.reading.key}/"

    @property
    def waiters(self) -> Mapping[str, Sequence[ShownRow]]:
        """Who waits on each node."""
        return self.reading.waiters(self.forest)

    def parts(self, kind: PartKind) -> Mapping[str, Sequence[ShownRow]]:
        """Parts that have been read, by the node's ref."""
        return self.reading.parts[kind]

    def levels(self, call: int) -> int:
        """How far a walk upward goes."""
        return levels_of(self._arguments(call).get("max_depth"))

    def listed(self, call: int, kind: Kind) -> NodeList:
        """A list of nodes as it is asked for. One that goes on from a cursor has a moment of its own."""
        found = NodeList.of(kind, self._arguments(call))
        if found.has_cursor:
            raise Deopt
        return found

    def messages(self, call: int) -> MessageList:
        """A list of messages as it is asked for."""
        found = MessageList.of(self._arguments(call))
        if found.has_cursor:
            raise Deopt
        return found

    def graph(self, read: Callable[[Reading], Any], kind: Any) -> Any:
        """A value of the graph itself."""
        value = read(self.reading)
        if value is None and not isinstance(kind, GraphQLNonNull):
            return None
        return coercion(get_nullable_type(kind))(value)

    def _arguments(self, call: int) -> dict[str, Any]:
        selected: Selected = self._calls[call]
        given = get_argument_values(selected.definition, selected.nodes[0], self._variables)
        own = selected.definition.extensions["strawberry-definition"]
        return convert_arguments(given, own.arguments, self._schema.schema_converter.scalar_registry, self._schema.config)


class TableBound(Bound):
    """The same for code that goes over a table."""

    def __init__(self, projection: Projection, reading: Reading, table: NodeTable, variables: VariableValues, schema: Schema) -> None:
        super().__init__(projection, reading, variables, schema)
        self._table = table
        self.below = table.children.get
        self.column = table.column

    @property
    def places(self) -> Mapping[str | None, int]:
        """Where each node is, by its ref."""
        return self._table.places

    def part_values(self, kind: PartKind) -> Callable[..., Sequence[Sequence[Any]]]:
        """Gives the parts of a node that have been read, by its ref, as values of the kind's columns."""
        found = self.reading.parts[kind]
        if isinstance(found, WholeParts):
            return found.stored.get
        read = {ref: [list(row.values()) for row in rows] for ref, rows in found.items()}
        return lambda ref, _: read[ref]  # one whose parts were not read makes the projection give up

    def beginning(self, call: int) -> NodeList:
        """A list of children as it is asked for, if it is simply the beginning of all."""
        found = self.listed(call, "children")
        if not found.is_plain:
            raise Deopt
        return found

    def cursors(self, listed: NodeList, ref: str, places: Sequence[int]) -> list[str]:
        """The cursors of nodes in a list of `ref`, by their places in the table."""
        page = TablePage(self.reading, listed, ref, self._table, cut(places, listed.ask))
        return list(map(page.cursor, places))
