"""Compiling a selection on a table of nodes: from the places of some nodes to their answers, a column at a time.

A column's values are checked by the types that they have as a whole, and rows are put together in one go. What cannot be shown in this way
is `Unsupported`, and what is not as the schema has it makes the projection give up: the rows are then shown one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import add, itemgetter
from types import NoneType
from typing import Any, TypeAlias

from graphql import GraphQLEnumType, GraphQLNonNull, GraphQLObjectType, GraphQLScalarType, get_named_type

from app.domain.ids import node_id
from app.graphql.projection.column_fields import MADE, ONCE, WHOLE, Texts
from app.graphql.projection.compiler import Compiler, Projection, Selected
from app.graphql.projection.leaves import SHOWN_AS_IT_IS, Deopt, enum_names
from app.graphql.projection.selections import Unsupported
from app.graphql.types.columns import METADATA, Column

AT_ONCE = 2_000
"""So many nodes of a page are shown in one piece."""

DISPLAYED = 15
"""Up to so many members Python makes a dict in one go; a larger one is made faster from a copy of another."""

Pick: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]


def picker(places: Sequence[int]) -> Pick:
    """What takes the values at these places out of a column."""
    if places.__class__ is range:
        return itemgetter(slice(places.start, places.stop))
    if len(places) > 1:
        return itemgetter(*places)
    return lambda column: [column[place] for place in places]


def checked(values: Sequence[Any], types: frozenset[type], least: int | None, most: int) -> Sequence[Any]:
    """The values, if they are all of these types and, where there are limits, within them. Raises: Deopt."""
    found = set(map(type, values))
    if not found <= types:
        raise Deopt
    if least is not None and found:
        numbers = [value for value in values if value is not None] if NoneType in found else values
        if numbers and (min(numbers) < least or max(numbers) > most):
            raise Deopt
    return values


NAMES: dict[str, Any] = {
    "add": add,
    "chain": chain.from_iterable,
    "checked": checked,
    "islice": islice,
    "node_id": node_id,
    "picker": picker,
}
"""What the compiled code calls."""


@dataclass(slots=True)
class TableCompiler(Compiler):
    """Compiles one projection of a page of nodes. It gives a generator function, which pauses between pieces and returns the answer."""

    _values: dict[str, str] = field(default_factory=dict)
    _column_of: Callable[[str], str] = str

    def compile(self, return_type: Any, nodes: Sequence[Any]) -> Projection:
        """The projection of a field's page. Raises: Unsupported."""
        kind = get_named_type(return_type)
        if not isinstance(kind, GraphQLObjectType) or kind.name != "NodeConnection":
            raise Unsupported(f"the type {kind}")
        lists: list[str] = []

        def shown(node: GraphQLObjectType, found: Selected) -> str:
            show, name = self.places(node, found.nodes), self.fresh("n")
            lists.append(f"for i in range(0, len(P), {AT_ONCE}): {name} += {show}(P[i:i + {AT_ONCE}]); yield")
            lists.insert(0, f"{name} = []")
            return name

        display = self.page(kind, nodes, shown, WHOLE)
        self.functions += ["def show(p):", "    P = p.page.rows", *(f"    {line}" for line in lists), "    yield", f"    return {display}"]
        return self._projection("show")

    def forest(self, expression: str) -> str:
        """There are no rows to go to."""
        raise Unsupported("a walk from node to node")

    def places(self, kind: GraphQLObjectType, nodes: Sequence[Any]) -> str:
        """The name of a function from places to a list of what is shown of each."""
        return self._objects(kind, nodes, "pick = picker(P)", lambda column: f"pick({self.shared(f'c.column({column!r})')})")

    def rows(self, kind: GraphQLObjectType, nodes: Sequence[Any], columns: Sequence[str]) -> str:
        """The same from rows of values of these columns."""
        return self._objects(kind, nodes, "", lambda column: f"[x[{columns.index(column)}] for x in P]")

    def _objects(self, kind: GraphQLObjectType, nodes: Sequence[Any], first: str, column_of: Callable[[str], str]) -> str:
        key = ("places", kind.name, tuple(map(id, nodes)))
        name = self._known.get(key)
        if name is None:
            name = self._known[key] = self.fresh("f")
            outer, self._body = self._body, []
            values, self._values, source, self._column_of = self._values, {}, self._column_of, column_of
            columns: list[str] = []
            shown: dict[str, str] = {}
            for response_key, selected in self.fields(kind, nodes).items():
                text, is_column = self._shown(kind, selected)
                if is_column:
                    columns.append(text)
                    text = f"v{len(columns)}"
                shown[response_key] = text
            body, self._body, self._values, self._column_of = self._body, outer, values, source
            made = self._made(shown, columns)
            self.functions += [f"def {name}(P):", *(f"    {line}" for line in (first, *body, *made) if line)]
        return name

    @staticmethod
    def _made(shown: Mapping[str, str], columns: Sequence[str]) -> list[str]:
        """Lines that give a list of objects. `shown`: for each key an expression for all objects, or the variable of the next column."""
        values = "".join(f"v{number + 1}, " for number in range(len(columns)))
        each = f"{values}in zip({', '.join(columns)})" if columns else "_ in P"
        if len(shown) <= DISPLAYED:
            return [f"return [{{{', '.join(f'{key!r}: {text}' for key, text in shown.items())}}} for {each}]"]
        own = [f"d[{key!r}] = {text}" for key, text in shown.items() if text[0] == "v"]
        same = ", ".join(f"{key!r}: {'None' if text[0] == 'v' else text}" for key, text in shown.items())
        return [
            f"like = {{{same}}}.copy",
            "made = []",
            f"for {each}:",
            *(f"    {line}" for line in ("d = like()", *own, "made.append(d)")),
            "return made",
        ]

    # ---- what is shown of each node ----

    def _shown(self, kind: GraphQLObjectType, selected: Selected) -> tuple[str, bool]:
        """An expression that is the same for all nodes, or the name of a column with a value for each."""
        if selected.name == "__typename":
            return repr(kind.name), False
        place = (kind.name, selected.name)
        if place in ONCE:
            return self.emitters[place](self, selected, ""), False
        make = MADE.get(place)
        if make is not None:
            return make(self, selected), True
        own = selected.definition.extensions.get("strawberry-definition")
        column: Column | None = None if own is None or place in self.emitters else own.metadata.get(METADATA)
        if column is None:
            raise Unsupported(f"the field {kind.name}.{selected.name}")
        if column.form == "plain":
            return self.leaves(selected.definition.type, self.picked(column.name)), True
        if isinstance(selected.definition.type, GraphQLNonNull):
            return self.value(f"list(map(node_id, {self.picked(column.name)}))"), True
        return self.value(f"[None if x is None else node_id(x) for x in {self.picked(column.name)}]"), True

    def picked(self, column: str) -> str:
        """The values of a column for the nodes that are shown."""
        return self.value(self._column_of(column))

    def value(self, expression: str) -> str:
        """A variable with a list that is made once for the nodes that are shown."""
        name = self._values.get(expression)
        if name is None:
            name = self._values[expression] = self.fresh("a")
            self.line(f"{name} = {expression}")
        return name

    def leaves(self, kind: Any, values: str) -> str:
        """A list of values as the leaf type `kind` shows them."""
        nullable = not isinstance(kind, GraphQLNonNull)
        kind = kind if nullable else kind.of_type
        if isinstance(kind, GraphQLEnumType):
            names = {**enum_names(kind), None: None} if nullable else enum_names(kind)
            return self.value(f"list(map({self.constant('m', names.__getitem__)}, {values}))")
        if not isinstance(kind, GraphQLScalarType) or kind.name not in SHOWN_AS_IT_IS:
            raise Unsupported(f"the type {kind}")
        own, least, most = SHOWN_AS_IT_IS[kind.name]
        types = self.constant("t", frozenset((own, NoneType) if nullable else (own,)))
        return self.value(f"checked({values}, {types}, {least}, {most})")

    def page(self, kind: GraphQLObjectType, nodes: Sequence[Any], show: Callable[[GraphQLObjectType, Selected], str], texts: Texts) -> str:
        """A display of a page. `show` makes what gives the nodes of a page; `texts`: expressions for the rest of it."""
        shown = []
        for key, found in self.fields(kind, nodes).items():
            match found.name:
                case "__typename":
                    text = repr(kind.name)
                case "nodes":
                    text = texts.nodes.format(show(found.kind, found))
                case "edges":
                    text = self._edges(found.kind, found, show, texts)
                case "totalCount":
                    text = texts.total
                case "pageInfo":
                    text = self._page_info(found.kind, found, texts)
                case _:
                    raise Unsupported(f"the field {kind.name}.{found.name}")
            shown.append(f"{key!r}: {text}")
        return "{" + ", ".join(shown) + "}"

    def _edges(self, kind: GraphQLObjectType, selected: Selected, show: Callable[[GraphQLObjectType, Selected], str], texts: Texts) -> str:
        shown, names, lists = [], ["_"], [texts.rows]
        for key, found in self.fields(kind, selected.nodes).items():
            if found.name == "__typename":
                shown.append(f"{key!r}: {kind.name!r}")
                continue
            names.append(f"e{len(names)}")
            lists.append(texts.cursors if found.name == "cursor" else texts.nodes.format(show(found.kind, found)))
            shown.append(f"{key!r}: {names[-1]}")
        return f"[{{{', '.join(shown)}}} for {', '.join(names)}, in zip({', '.join(lists)})]"

    def _page_info(self, kind: GraphQLObjectType, selected: Selected, texts: Texts) -> str:
        shown = []
        for key, found in self.fields(kind, selected.nodes).items():
            shown.append(f"{key!r}: {repr(kind.name) if found.name == '__typename' else texts.info[found.name]}")
        return "{" + ", ".join(shown) + "}"
