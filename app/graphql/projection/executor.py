"""The executor: rows that a resolver has ready are shown by a compiled projection; whatever that cannot do is graphql-core's."""

from __future__ import annotations

from collections import Counter
from typing import Any

from graphql import FieldNode, get_named_type
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from app.graphql.dress import dress
from app.graphql.projection.bound import Bound
from app.graphql.ready import Ready

SHOWN: Counter[str] = Counter()
"""How many rows were shown `compiled`, and how many not: of `unsupported` selections, of ones that were `given_up`."""


class ProjectingExecutor(StrawberryGraphQLCoreExecutionContext):
    """graphql-core's executor, with a short cut for values that are `Ready`."""

    def complete_value(self, return_type: Any, field_details_list: Any, info: Any, path: Any, result: Any, position_context: Any) -> Any:
        if result.__class__ is not Ready:
            return super().complete_value(return_type, field_details_list, info, path, result, position_context)
        rows = result.rows
        if position_context is None and rows and self.context_value.compiled:
            try:
                show = self._bound(return_type, [details.node for details in field_details_list], result)
                if show is not None:
                    shown = show(result.value)
                    SHOWN["compiled"] += rows
                    return shown
                SHOWN["unsupported"] += rows
            except Exception:  # noqa: BLE001 - whatever it is, graphql-core says it better: with a path, a code, and the rest of the answer
                SHOWN["given_up"] += rows
        objects = dress(get_named_type(return_type).name, result.reading, result.value)
        return super().complete_value(return_type, field_details_list, info, path, objects, position_context)

    def _bound(self, return_type: Any, nodes: list[FieldNode], result: Ready) -> Any:
        document = self.context_value.document
        projection = document.projections.of(return_type, nodes, self.fragment_definitions, self.variable_values.coerced)
        if projection is None:
            return None
        reading = result.reading
        made = reading.made.get(id(projection))
        if made is None:
            bound = Bound(projection, reading, self.variable_values, self.context_value.schema)
            made = reading.made[id(projection)] = (projection.bind(bound), reading.snapshot)
        show, snapshot = made
        if snapshot is not reading.snapshot:  # it has been read again since, with more members
            del reading.made[id(projection)]
            return self._bound(return_type, nodes, result)
        return show
