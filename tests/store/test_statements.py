"""The statements' files and how they are found."""

from __future__ import annotations

import re

import pytest

from app.store.statements import cypher_folder, in_one_go, statement, statement_names, with_lists, without_header

FILES = sorted(cypher_folder().rglob("*.cypher"))


def test_every_file_is_found_by_name() -> None:
    """House: Cypher only in cypher/, each statement by its name; migrations and their bookkeeping serve no request."""
    found = {path.relative_to(cypher_folder()).with_suffix("").as_posix() for path in FILES}
    assert set(statement_names()) == {name for name in found if not name.startswith(("migrations/", "schema/"))}
    assert statement_names() == sorted(statement_names())
    assert len(statement_names()) > 10


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_begins_with_what_it_is_for(path: object) -> None:
    """House: each starts with a `//` header, and a statement without one is not delivered to the driver with it."""
    text = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert re.match(r"// \w", text)
    assert without_header(text)
    assert not without_header(text).startswith("//")


@pytest.mark.parametrize("name", statement_names())
def test_every_parameter_is_announced(name: str) -> None:
    """House: the header names the parameters."""
    text = (cypher_folder() / f"{name}.cypher").read_text(encoding="utf-8")
    header = text[: len(text) - len(statement(name))]
    for parameter in set(re.findall(r"\$(?:lists\.)?(\w+)", statement(name))):
        assert re.search(rf"\b{parameter}\b", header), f"{name}: ${parameter} is not in its header"


def test_no_statement_has_what_one_engine_refuses() -> None:
    """FINDINGS: the embedded engine refuses the CYPHER prefix; procedures of APOC are on neither."""
    for name in statement_names():
        assert not re.search(r"^\s*CYPHER\b|\bapoc\.", statement(name), re.IGNORECASE | re.MULTILINE), name


def test_lists_travel_in_one_map() -> None:
    """FINDINGS 6: for a list by itself Neo4j makes a plan for each order of its size."""
    assert with_lists({"a": [1], "b": 2, "c": []}) == {"b": 2, "lists": {"a": [1], "c": []}}
    assert with_lists({"b": {"l": [1]}}) == {"b": {"l": [1]}}
    for name in statement_names():
        assert not re.search(r"(?:UNWIND|\bIN) \$(?!lists\.|rows\.)", statement(name)), name


def test_neo4j_takes_many_properties_in_one_go() -> None:
    """One text for both engines but for this: the same values in the same order, whichever node's they are."""
    names = [f"name_{number}" for number in range(15)]
    many = "[" + ",\n ".join(f"v.{name}" for name in names) + "]"
    values = ", ".join(f"x.{name}" for name in names)
    text = f"MATCH (v:A) RETURN collect({many}) AS rows"
    assert in_one_go(text).replace("\n", "") == f"MATCH (v:A) RETURN collect([x IN [properties(v)] | [{values}]][0]) AS rows"
    few = "RETURN [v.a, v.b, v.c] AS row, r.at AS at"
    assert in_one_go(few) == few


def test_a_statement_keeps_its_inner_comments_and_loses_the_header() -> None:
    """The header is for readers of the repository."""
    assert without_header("// what\n// why\n\nMATCH (n)\n// inner\nRETURN n\n") == "MATCH (n)\n// inner\nRETURN n"
    assert without_header("// only words\n") == ""


def test_an_unknown_name_is_a_fault() -> None:
    """A typing error shows at the first run."""
    with pytest.raises(FileNotFoundError):
        statement("no/such")
