"""The compiled projections of a document."""

from __future__ import annotations

from typing import Any

from graphql import FieldNode

from app.graphql.projection.compiler import Projection, compile_projection
from app.graphql.projection.fields import EMITTERS, NAMES
from app.graphql.projection.selections import Unsupported, boolean_variables


class Projections:
    """The compiled projections of one document, by the field's nodes and the Boolean variables that matter."""

    def __init__(self) -> None:
        self._variables: dict[tuple[int, ...], tuple[str, ...]] = {}
        self._made: dict[Any, Projection | None] = {}

    def of(self, return_type: Any, nodes: list[FieldNode], fragments: dict[str, Any], values: dict[str, Any]) -> Projection | None:
        """The projection of a field's selection; None if it cannot be compiled."""
        field = tuple(map(id, nodes))
        names = self._variables.get(field)
        if names is None:
            names = self._variables[field] = boolean_variables(nodes, fragments)
        key = (field, tuple(values.get(name) for name in names)) if names else field
        if key not in self._made:
            try:
                booleans = {name: values.get(name) for name in names}
                self._made[key] = compile_projection(return_type, nodes, fragments, booleans, EMITTERS, NAMES)
            except Unsupported:
                self._made[key] = None
        return self._made[key]
