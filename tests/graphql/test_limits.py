"""Limits before execution (Q35, Q36): what is refused, with which code, and that refusing is quick."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from graphql import FragmentDefinitionNode, OperationDefinitionNode, get_introspection_query, parse

from app.graphql.budget import Budget
from app.graphql.documents import Documents, Refused
from app.graphql.limits import Limits
from app.graphql.schema import schema
from tests.timing import TRIES

SECONDS = 0.25
"""Far above the 25 ms of Q37, so that a busy machine does not fail the test; what is not refused early takes far longer."""


def refused(text: str, **limits: int) -> str:
    """The code with which a document is refused."""
    took: list[float] = []
    while len(took) < TRIES and min(took, default=SECONDS) >= SECONDS:
        documents = Documents(schema()._schema, Limits(**limits))
        started = process_time()
        with pytest.raises(Refused) as found:
            documents.get(text)
        took.append(process_time() - started)
    assert min(took) < SECONDS
    code: str = found.value.errors[0]["extensions"]["code"]
    return code


def nested(levels: int) -> str:
    return '{ graph(id: "x") { node(ref: "x") ' + "{ parent " * levels + "{ id }" + " }" * levels + " } }"


DOUBLED = " ".join(f"fragment f{n} on Query {{ ...f{n + 1} ...f{n + 1} }}" for n in range(24))
DOUBLING = f"{{ ...f0 }} {DOUBLED} fragment f24 on Query {{ __typename }}"

FIELDS = "fields { name type { name fields { name type { name } } } }"
UNDER_ALIASES = "type { " + " ".join(f"a{n}: fields {{ name type {{ name kind }} }}" for n in range(95)) + " }"

ATTACKS = {
    "fragments that double": (DOUBLING, "TOO_MANY_TOKENS"),
    "many fields": ("{ " + "__typename " * 20_000 + "}", "TOO_MANY_TOKENS"),
    "many aliases": ("{ " + " ".join(f"a{n}: __typename" for n in range(101)) + " }", "TOO_MANY_ALIASES"),
    "many root fields": ("{ " + "__typename " * 21 + "}", "TOO_MANY_ALIASES"),
    "root fields in fragments": ("{ ...f ...f } fragment f on Query { " + "__typename " * 11 + "}", "TOO_MANY_ALIASES"),
    "deep nesting": (nested(40), "QUERY_TOO_DEEP"),
    "very deep nesting": (nested(1_500), "QUERY_TOO_DEEP"),
    "deep values": ("{ graphs(filter: " + "[" * 1_900 + "]" * 1_900 + ") { totalCount } }", "QUERY_TOO_DEEP"),
    "deep types": ("query($a: " + "[" * 1_000 + "Int" + "]" * 1_000 + ") { __typename }", "QUERY_TOO_DEEP"),
    "the schema many times": ("{ " + " ".join(f"a{n}: __schema {{ types {{ {FIELDS} }} }}" for n in range(20)) + " }", "QUERY_TOO_COMPLEX"),
    "types of fields under many names": (f"{{ __schema {{ types {{ fields {{ {UNDER_ALIASES} }} }} }} }}", "QUERY_TOO_COMPLEX"),
    "a type many times": (f"query($t: String!) {{ __type(name: $t) {{ fields {{ {UNDER_ALIASES} }} }} }}", "QUERY_TOO_COMPLEX"),
    "many directives": ("{ __typename " + "@skip(if: false) " * 51 + "}", "QUERY_TOO_COMPLEX"),
    "a fragment in itself": ("{ ...f } fragment f on Query { ...f }", "GRAPHQL_VALIDATION_FAILED"),
    "fragments in a circle": ("{ ...f } fragment f on Query { ...g } fragment g on Query { ...f }", "GRAPHQL_VALIDATION_FAILED"),
    "no document": ("{ graph(", "GRAPHQL_PARSE_FAILED"),
    "an unknown field": ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
    "a huge string": ('{ graph(id: "' + "x" * 900_000 + '") { nothing } }', "TOO_MANY_TOKENS"),
    "a long string": ('{ graph(id: "' + "x" * 90_000 + '") { nothing } }', "GRAPHQL_VALIDATION_FAILED"),
    "an unclosed string": ('{ graph(id: """' + "x" * 90_000, "GRAPHQL_PARSE_FAILED"),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_are_refused(name: str) -> None:
    """Q35, Q37: refused before execution, with the right code, quickly."""
    text, code = ATTACKS[name]
    assert refused(text) == code


COSTLY = "events(first: 1) { pageInfo { hasNextPage } } "

REPEATED = {
    "one after the other": "{ graphs { nodes { " + COSTLY * 250 + "} } }",
    "fields that are not there": "{ graphs { nodes { " + "a(b: 1) { c } " * 400 + "} } }",
    "bare fields": "{ graphs { nodes { " + "title " * 1_500 + "} } }",
    "under an alias": "{ graphs { nodes { " + "id: title " * 99 + "id " * 600 + "} } }",
    "in inline fragments": "{ graphs { nodes { " + ("... { " + COSTLY + "} ") * 250 + "} } }",
    "under fields that are repeated": "{ graphs { " + ("nodes { " + COSTLY * 12 + "} ") * 25 + "} }",
    "over fragments": "{ graphs { nodes { "
    + " ".join(f"...f{n}" for n in range(150))
    + " } } } "
    + " ".join(f"fragment f{n} on Graph {{ {COSTLY} }}" for n in range(150)),
    "in a fragment that nothing uses": "{ __typename } fragment f on Graph { " + COSTLY * 300 + "}",
    "in one fragment of many operations": " ".join(f"query q{n} {{ ...f }}" for n in range(40))
    + " fragment f on Query { graphs { "
    + " ".join(f"a{n}" for n in range(800))
    + " } }",
}  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_fields_with_one_name_are_counted_before_they_are_compared(name: str) -> None:
    """Q37: validation compares each with each other, a second and more for a document that the limit of tokens lets pass."""
    took = []
    for _ in range(3):
        documents = Documents(schema()._schema, Limits(aliases=10_000))
        started = process_time()
        with pytest.raises(Refused) as found:
            documents.get(REPEATED[name])
        took.append(process_time() - started)
    (error,) = found.value.errors
    assert error["extensions"]["code"] == "QUERY_TOO_COMPLEX"
    assert error["extensions"]["cost"] > error["extensions"]["limit"]
    assert len(error["message"]) < 300
    assert min(took) < 0.1


def test_fields_that_are_asked_for_in_many_places_are_no_repeats() -> None:
    """Q35: what clients put together from parts repeats names, and one fragment may be used in many places."""
    documents = Documents(schema()._schema, Limits())
    documents.get("{ graphs { nodes { " + "title " * 150 + "} } }")
    parts = [f"fragment f{n} on Graph {{ id key title source events(first: 1) {{ totalCount }} }}" for n in range(25)]
    documents.get("{ graphs { nodes { " + " ".join(f"...f{n} ...f{n}" for n in range(25)) + " } } } " + " ".join(parts))
    apart = " ".join(f'a{n}: graph(id: "x") {{ ...f }}' for n in range(20))
    documents.get("{ " + apart + " } fragment f on Graph { " + "title " * 30 + "}")


def test_introspection_that_tools_ask_for_is_not_refused() -> None:
    """Q32: all of the schema once, with everything that the library knows to ask for; and types by name, there or not."""
    documents = Documents(schema()._schema, Limits())
    documents.get(
        get_introspection_query(specified_by_url=True, directive_is_repeatable=True, schema_description=True, input_value_deprecation=True)
    )
    documents.get('{ a: __type(name: "Node") { ...f } b: __type(name: "Nothing") { ...f } } fragment f on __Type { ' + FIELDS + " }")


def test_what_fits_is_not_refused() -> None:
    """Each limit is the most that is allowed."""
    documents = Documents(schema()._schema, Limits())
    documents.get("{ " + " ".join(f"a{n}: __typename" for n in range(20)) + " }")
    documents.get(nested(27))
    documents.get("{ __typename " + "@skip(if: false) " + "}")


def cost(selection: str, total: int | None, **variables: Any) -> int:
    """What a selection under one graph costs."""
    ast = parse('query($n: Int) { graph(id: "x") ' + selection + " }")
    fragments = {each.name.value: each for each in ast.definitions if isinstance(each, FragmentDefinitionNode)}
    operation = next(each for each in ast.definitions if isinstance(each, OperationDefinitionNode))
    budget = Budget(fragments, variables)
    return budget.cost(schema()._schema.query_type, (operation,), total) - 1  # type: ignore[arg-type]  # the graph itself


COSTS = (
    ("{ id counts { nodes } }", 1_000, 0),
    ("{ nodes { nodes { id } } }", 1_000, 100),
    ("{ nodes(first: $n) { nodes { id } } }", 1_000, 7),
    ("{ nodes(first: 1000) { nodes { id tasks { text } taskCounts { total } } } }", 400, 400),
    ("{ nodes(first: 10) { edges { node { parent { id } ancestors { id } } } } }", 1_000, 10 + 10 + 100),
    ("{ roots { nodes { children { nodes { children { nodes { children { nodes { id } } } } } } } } }", 1_000, 100 + 1_000 + 1_000 + 1_000),
    ("{ roots { nodes { descendants(first: 25000) { nodes { id } } } } }", 1_000, 100 + 1_000),
    ("{ nodes { nodes { descendants(first: 1000) { nodes { id } } } } }", 1_000, 100 + 100_000),
    (
        '{ node(ref: "a") { children(first: 1000) { nodes { parent { children(first: 1000) { nodes { id } } } } } } }',
        1_000,
        1 + 1_000 + 1_000 + 1_000_000,
    ),
    ("{ timeline { from } }", 1_000, 100),
    ("{ timeline(buckets: $n) { from } }", 1_000, 7),
    ("{ nodes(first: 9) { nodes { history(first: 20) { nodes { event { id } changes { to } node { id } } } } } }", 1_000, 9 + 180 * 13),
    ('{ difference(from: {event: "e"}) { changes(first: 50) { edges { node { before { id } after { id } } } } } }', 1_000, 1 + 50 + 100),
    ("{ events(first: 5) { nodes { node { id } changes { before { id } } } } }", 1_000, 5 + 5 + 50 + 50),
)  # fmt: skip

RHO_COSTS = (
    ("rhoGraph { current { nodes { nodes { id } } } }", 1 + 1 + 50),
    ("rhoSnapshot { nodes(first: 7) { edges { node { contains { nodes { id } } } } } }", 1 + 7 + 350),
    ("rhoSnapshot { nodes(first: 250) { nodes { contains(first: 250) { nodes { governedBy { id } } } } } }", 1 + 250 + 5_000 + 5_000),
    ("rhoSnapshot { events { nodes { subject { events { causation { id } } } } } }", 1 + 50 + 50 + 500 + 500),
    ("rhoSnapshot { edges(first: 2) { nodes { from { agentGraphNode { children(first: 9) { nodes { id } } } } } } }", 1 + 2 + 2 + 2 + 18),
    ("rhoGraphs(first: 250) { nodes { snapshots(first: 250) { nodes { id } } } }", 250 + 62_500),
    ('graph(id: "x") { nodes(first: 20) { nodes { rho { descendants(first: 5) { nodes { id } } } } } }', 1 + 20 + 20 + 100),
)  # fmt: skip


@pytest.mark.parametrize(("selection", "expected"), RHO_COSTS)
def test_what_rho_graphs_cost(selection: str, expected: int) -> None:
    """M15, Q36: pages multiply there too, but no place comes to more than an answer may show."""
    (operation,) = parse("{ " + selection + " }").definitions
    assert Budget({}, {}).cost(schema()._schema.query_type, (operation,), None) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(("selection", "total", "expected"), COSTS)
def test_what_a_selection_costs(selection: str, total: int, expected: int) -> None:
    """Q36: pages multiply, but distinct nodes are at most as many as there are."""
    assert cost(selection, total, n=7) == expected


def test_without_a_total_pages_multiply() -> None:
    """Q36: under `graphs` the number of nodes is not known."""
    assert cost("{ roots { nodes { children { nodes { id } } } } }", None) == 100 + 10_000
