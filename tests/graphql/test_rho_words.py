"""The words of Rho graphs are the same in the contract, in the store and in GraphQL (M13)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import get_args

import pytest

from app.domain.rho.profiles import Profile
from app.domain.rho.subject import SubjectKind
from app.domain.rho.vocabulary import EDGE_KINDS, EVENT_TYPES, NODE_KINDS
from app.graphql.types.rho_enums import RhoEdgeKind, RhoEventType, RhoNodeKind, RhoProfile, RhoSubjectKind
from app.store.statements import statement


@pytest.mark.parametrize(
    ("enum", "words"),
    [
        (RhoNodeKind, NODE_KINDS),
        (RhoEdgeKind, EDGE_KINDS),
        (RhoEventType, EVENT_TYPES),
        (RhoProfile, list(Profile)),
        (RhoSubjectKind, get_args(SubjectKind)),
    ],
)
def test_enums_have_the_words_of_the_contract(enum: type[Enum], words: Iterable[str]) -> None:
    """M13: in upper case, none missing and none more."""
    assert {each.name: each.value for each in enum} == {word.upper(): word for word in words}


@pytest.mark.parametrize("name", ["facts_put", "edges", "out_of", "into"])
def test_statements_know_every_kind_of_edge(name: str) -> None:
    """M2: a type for each kind, which cannot be a parameter."""
    text = statement(f"rho/{name}")
    assert all(f"RHO_{kind.upper()}" in text for kind in EDGE_KINDS)
