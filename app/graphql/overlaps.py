"""Fields that share a response name, counted before validation, which compares each of them with each other (Q37)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
)

from app.domain.problems import TooComplex

MOST_COMPARISONS = 20_000
"""What comparing fields may come to in a document: one for a pair of bare fields, `HEAVY` for others, and one for each field.

That is some 190 times one bare field in one selection, or some 60 times one with a selection of its own.
"""

HEAVY = 10
"""A pair of fields with arguments or selections takes so many times as long."""


@dataclass(slots=True)
class _Place:
    """Where an answer has one name: how many fields stand for it, and what comes together under it."""

    fields: int = 0
    under: dict[str, _Place] = field(default_factory=dict)
    spread: set[str] = field(default_factory=set)
    """Fragments that have been used here: once more changes nothing."""


def check_overlaps(document: DocumentNode, fragments: Mapping[str, FragmentDefinitionNode]) -> None:
    """Refuses a document whose fields would be compared with each other too often, whichever fragments bring them together.

    Fragments must not contain themselves. Linear: the count ends where it is refused. Raises: TooComplex.
    """
    count = _Count(fragments)
    for definition in document.definitions:
        if isinstance(definition, OperationDefinitionNode):
            count.add(definition.selection_set, _Place())
    for name, fragment in fragments.items():
        if name not in count.used:
            count.add(fragment.selection_set, _Place())


class _Count:
    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode]) -> None:
        self.used: set[str] = set()
        self._fragments = fragments
        self._comparisons = 0

    def add(self, selections: SelectionSetNode, place: _Place) -> None:
        """Counts what a selection adds to a place. Raises: TooComplex."""
        for each in selections.selections:
            if isinstance(each, FieldNode):
                self._add_field(each, place)
            elif isinstance(each, InlineFragmentNode):
                self.add(each.selection_set, place)
            elif isinstance(each, FragmentSpreadNode) and (name := each.name.value) in self._fragments and name not in place.spread:
                place.spread.add(name)
                self.used.add(name)
                self.add(self._fragments[name].selection_set, place)

    def _add_field(self, each: FieldNode, place: _Place) -> None:
        name = (each.alias or each.name).value
        there = place.under.get(name)
        if there is None:
            there = place.under[name] = _Place()
        bare = each.selection_set is None and not each.arguments
        self._comparisons += 1 + there.fields * (1 if bare else HEAVY)
        if self._comparisons > MOST_COMPARISONS:
            raise TooComplex(
                f"Too many fields of the document share a response name, such as {name[:100]}: ask for each once.",
                self._comparisons,
                MOST_COMPARISONS,
            )
        there.fields += 1
        if each.selection_set is not None:
            self.add(each.selection_set, there)
