"""The fields of selections, as they stand there: those of fragments among them, wherever these are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graphql import FieldNode, FragmentDefinitionNode, FragmentSpreadNode, InlineFragmentNode


def fields_under(nodes: Iterable[Any], fragments: Mapping[str, FragmentDefinitionNode]) -> Iterator[FieldNode]:
    """The fields right under these operations, fields or fragments of a valid document. `@skip` and `@include` are not looked at."""
    for node in nodes:
        for selection in node.selection_set.selections if node.selection_set is not None else ():
            if isinstance(selection, FieldNode):
                yield selection
            elif isinstance(selection, InlineFragmentNode):
                yield from fields_under((selection,), fragments)
            elif isinstance(selection, FragmentSpreadNode):
                yield from fields_under((fragments[selection.name.value],), fragments)
