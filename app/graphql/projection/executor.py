"""The executor: rows that a resolver has ready are shown by a compiled projection; whatever that cannot do is graphql-core's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from typing import Any

from graphql import FieldNode, get_named_type
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from app.graphql.dress import dress
from app.graphql.listing import TablePage
from app.graphql.projection.bound import Bound, TableBound
from app.graphql.ready import Ready
from app.store.pace import Pace

SHOWN: Counter[str] = Counter()
"""How many rows were shown `compiled`, and how many not: of `unsupported` selections, of ones that were `given_up`."""


class ProjectingExecutor(StrawberryGraphQLCoreExecutionContext):
    """graphql-core's executor, with a short cut for values that are `Ready`."""

    def complete_value(self, return_type: Any, field_details_list: Any, info: Any, path: Any, result: Any, position_context: Any) -> Any:
        if result.__class__ is not Ready:
            return super().complete_value(return_type, field_details_list, info, path, result, position_context)
        if result.value.__class__ is TablePage:
            return self._from_table(return_type, field_details_list, info, path, result, position_context)
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

    async def _from_table(
        self, return_type: Any, field_details_list: Any, info: Any, path: Any, result: Ready, position_context: Any
    ) -> Any:
        page: TablePage = result.value
        if position_context is None:
            try:
                shown = await _in_slices(self._table_bound(return_type, [details.node for details in field_details_list], result)(page))
                SHOWN["compiled"] += result.rows
                return shown
            except Exception:  # noqa: BLE001, S110 - the rows one by one may do
                pass
        rows = Ready(result.reading, await page.in_rows())
        completed = self.complete_value(return_type, field_details_list, info, path, rows, position_context)
        return await completed if self.is_awaitable(completed) else completed

    def _table_bound(self, return_type: Any, nodes: list[FieldNode], result: Ready) -> Any:
        projection = self.context_value.document.projections.of_table(
            return_type, nodes, self.fragment_definitions, self.variable_values.coerced
        )
        reading, table = result.reading, result.value.table
        made = reading.made.get(id(projection))
        if made is None or made[1] is not table:
            bound = TableBound(projection, reading, table, self.variable_values, self.context_value.schema)
            made = reading.made[id(projection)] = (projection.bind(bound), table)
        return made[0]

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


async def _in_slices(steps: Generator[None, None, Any]) -> Any:
    """What a generator returns, which others are let in between."""
    pace = Pace()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
        if pace.due:
            await pace.rest()
