"""The compiled projections of a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphql import FieldNode

from app.graphql.projection.columns import NAMES as TABLE_NAMES
from app.graphql.projection.columns import TableCompiler
from app.graphql.projection.compiler import Compiler, Projection
from app.graphql.projection.fields import EMITTERS, NAMES
from app.graphql.projection.selections import Selections, Unsupported, boolean_variables


class Projections:
    """The compiled projections of one document, by the field's nodes and the Boolean variables that matter."""

    def __init__(self) -> None:
        self._variables: dict[tuple[int, ...], tuple[str, ...]] = {}
        self._made: dict[Any, Projection | None] = {}

    def of(self, return_type: Any, nodes: list[FieldNode], fragments: Mapping[str, Any], values: Mapping[str, Any]) -> Projection | None:
        """The projection of a field's selection on rows; None if it cannot be compiled."""
        return self._of(Compiler, return_type, nodes, fragments, values)

    def of_table(
        self, return_type: Any, nodes: list[FieldNode], fragments: Mapping[str, Any], values: Mapping[str, Any]
    ) -> Projection | None:
        """The same on a table of nodes."""
        return self._of(TableCompiler, return_type, nodes, fragments, values)

    def _of(
        self, compiler: type[Compiler], return_type: Any, nodes: list[FieldNode], fragments: Mapping[str, Any], values: Mapping[str, Any]
    ) -> Projection | None:
        field = tuple(map(id, nodes))
        names = self._variables.get(field)
        if names is None:
            names = self._variables[field] = boolean_variables(nodes, fragments)
        key = (compiler, field, tuple(values.get(name) for name in names))
        if key not in self._made:
            try:
                booleans = {name: values.get(name) for name in names}
                self._made[key] = compiler(Selections(fragments, booleans), EMITTERS, {**NAMES, **TABLE_NAMES}).compile(return_type, nodes)
            except Unsupported:
                self._made[key] = None
        return self._made[key]
