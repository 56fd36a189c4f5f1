"""Compiling a selection: Python source for one function from rows to the answer, with aliases, fragments and nested lists.

A projection is made once for a field's merged selection set and the values of the Boolean variables, and *bound* once for a request, where
arguments get their values. `fields` holds what each field of each type comes to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from graphql import (
    FieldNode,
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    get_named_type,
)

from app.graphql.projection.leaves import CHECKS, coercion, enum_names
from app.graphql.projection.selections import Selections, Unsupported
from app.graphql.types.columns import METADATA, Column

Emit: TypeAlias = "Callable[[Compiler, Selected, str], str]"


@dataclass(frozen=True, slots=True)
class Selected:
    """A field as it is selected: its definition and the merged nodes."""

    name: str
    definition: GraphQLField
    nodes: list[FieldNode]

    @property
    def kind(self) -> GraphQLObjectType:
        """The type of the object, or of each object of the list, that the field gives."""
        kind = get_named_type(self.definition.type)
        assert isinstance(kind, GraphQLObjectType)
        return kind


@dataclass(slots=True)
class Projection:
    """A compiled selection. `bind` takes a `Bound` and gives the function from the field's value to the answer.

    `needs_forest`: it goes from node to node, so the whole graph must have been read. `calls`: the fields with arguments, by number.
    """

    bind: Callable[[Any], Callable[[Any], Any]]
    needs_forest: bool
    calls: list[Selected]
    source: str


@dataclass(slots=True)
class Compiler:
    """Compiles one projection."""

    selections: Selections
    emitters: Mapping[tuple[str, str], Emit]
    names: dict[str, Any] = field(default_factory=dict)
    prologue: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    calls: list[Selected] = field(default_factory=list)
    needs_forest: bool = False
    _known: dict[Any, str] = field(default_factory=dict)
    _body: list[str] = field(default_factory=list)
    _count: int = 0

    def compile(self, return_type: Any, nodes: Sequence[FieldNode]) -> Projection:
        """The projection of a field's value. Raises: Unsupported."""
        return self._projection(self._value(return_type, list(nodes)))

    def _projection(self, root: str) -> Projection:
        """The projection that the function of this name is."""
        source = "\n    ".join(["def bind(c):", *self.prologue, *self.functions, f"return {root}"])
        exec(compile(source, "<projection>", "exec"), self.names)  # noqa: S102 - our own templates, and names as literals
        return Projection(self.names["bind"], self.needs_forest, self.calls, source)

    # ---- what emitters use ----

    def fresh(self, prefix: str) -> str:
        """A new name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def constant(self, prefix: str, value: Any) -> str:
        """A name for a value that is the same for every request."""
        name = self.fresh(prefix)
        self.names[name] = value
        return name

    def shared(self, expression: str) -> str:
        """A name for a value that is worked out once for a request."""
        name = self._known.get(expression)
        if name is None:
            name = self._known[expression] = self.fresh("c")
            self.prologue.append(f"{name} = {expression}")
        return name

    def forest(self, expression: str) -> str:
        """The same for a value that needs the whole graph."""
        self.needs_forest = True
        return self.shared(expression)

    def call(self, selected: Selected) -> int:
        """A number by which the bound request finds the arguments of a field."""
        self.calls.append(selected)
        return len(self.calls) - 1

    def line(self, text: str) -> None:
        """A statement before the object's own display."""
        self._body.append(text)

    def fields(self, owner: GraphQLObjectType, nodes: Sequence[FieldNode]) -> dict[str, Selected]:
        """The selected fields of an object by response key."""
        found = {}
        for key, field_nodes in self.selections.fields(owner, nodes).items():
            name = field_nodes[0].name.value
            if name == "__typename":
                found[key] = Selected(name, _TYPENAME, field_nodes)
                continue
            definition = owner.fields.get(name)
            if definition is None:
                raise Unsupported(f"the field {owner.name}.{name}")
            found[key] = Selected(name, definition, field_nodes)
        return found

    def object(self, kind: GraphQLObjectType, nodes: Sequence[FieldNode], *parameters: str) -> str:
        """The name of a function that shows an object of this type; its first parameter is what the object is made of."""
        key = (kind.name, parameters, tuple(map(id, nodes)))
        name = self._known.get(key)
        if name is None:
            name = self._known[key] = self.fresh("f")
            outer, self._body = self._body, []
            display = self.display(kind, nodes, parameters[0])
            body, self._body = self._body, outer
            self.functions += [f"def {name}({', '.join(parameters)}):", *(f"    {line}" for line in body), f"    return {display}"]
        return name

    def display(self, kind: GraphQLObjectType, nodes: Sequence[FieldNode], of: str) -> str:
        """A dict display that shows an object of this type, made of the variable `of`."""
        shown = []
        for key, selected in self.fields(kind, nodes).items():
            if selected.name == "__typename":
                shown.append(f"{key!r}: {kind.name!r}")
                continue
            emit = self.emitters.get((kind.name, selected.name))
            shown.append(f"{key!r}: {emit(self, selected, of) if emit is not None else self._column(kind, selected, of)}")
        return "{" + ", ".join(shown) + "}"

    def leaf(self, kind: Any, expression: str) -> str:
        """A variable with the value of `expression` as the leaf type `kind` shows it."""
        nullable = not isinstance(kind, GraphQLNonNull)
        kind = kind if nullable else kind.of_type
        name = self.fresh("a")
        self.line(f"{name} = {expression}")
        guard = f"{name} is not None and " if nullable else ""
        if isinstance(kind, GraphQLEnumType):
            names = self.constant("m", enum_names(kind))
            self.line(f"{name} = {names}[{name}]" if not nullable else f"if {name} is not None: {name} = {names}[{name}]")
        elif isinstance(kind, GraphQLScalarType):
            check = CHECKS.get(kind.name)
            if check is None:
                raise Unsupported(f"the scalar {kind.name}")
            self.line(f"if {guard}{check.format(v=name)}: {name} = {self.constant('s', coercion(kind))}({name})")
        else:
            raise Unsupported(f"the type {kind}")
        return name

    # ---- values ----

    def _value(self, kind: Any, nodes: list[FieldNode]) -> str:
        kind = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
        if isinstance(kind, GraphQLObjectType):
            return self.object(kind, nodes, "r")
        inner = kind.of_type.of_type if isinstance(kind, GraphQLList) and isinstance(kind.of_type, GraphQLNonNull) else None
        if not isinstance(inner, GraphQLObjectType):
            raise Unsupported(f"the type {kind}")
        show, name = self.object(inner, nodes, "r"), self.fresh("f")
        self.functions += [f"def {name}(rows):", f"    return [{show}(r) for r in rows]"]
        return name

    def _column(self, owner: GraphQLObjectType, selected: Selected, of: str) -> str:
        own = selected.definition.extensions.get("strawberry-definition")
        column: Column | None = None if own is None else own.metadata.get(METADATA)
        if column is None:
            raise Unsupported(f"the field {owner.name}.{selected.name}")
        nullable = not isinstance(selected.definition.type, GraphQLNonNull)
        read = f"{of}[{column.name!r}]"  # what was not read is no null: it makes the projection give up
        if column.form == "plain":
            return self.leaf(selected.definition.type, read)
        if not nullable:
            return f"node_id({read})"
        name = self.fresh("a")
        self.line(f"{name} = {read}")
        return f"node_id({name}) if {name} is not None else None"


_TYPENAME = GraphQLField(GraphQLScalarType("TypeName"))
