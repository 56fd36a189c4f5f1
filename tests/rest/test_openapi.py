"""`openapi.json` is what the code prints, and says what the documented contract says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.rest.errors import CATALOGUE
from app.rest.expand import NODE_STEPS
from app.rest.openapi import openapi, print_openapi

ROOT = Path(__file__).parents[2]
FACTS: dict[str, Any] = json.loads((Path(__file__).parent / "data/openapi-facts.json").read_text())
SAID = ("type", "minimum", "maximum", "default", "enum", "maxLength", "maxItems", "properties", "pattern")
PRINTED: dict[str, Any] = json.loads(print_openapi())


def test_it_is_the_committed_one() -> None:
    """`agw openapi` prints it."""
    assert (ROOT / "openapi.json").read_text().rstrip("\n") == print_openapi()


def test_it_has_the_documented_paths() -> None:
    """R1: seven operations, no others."""
    assert PRINTED["servers"] == [{"url": FACTS["api"]["base_path"]}]
    assert PRINTED["info"]["version"] == FACTS["api"]["version"]
    assert list(PRINTED["paths"]) == list(FACTS["paths"])


@pytest.mark.parametrize("path", FACTS["paths"])
def test_an_operation_takes_what_is_documented(path: str) -> None:
    """R23: names, places, bounds, defaults; and the answers by status."""
    wanted, found = FACTS["paths"][path], PRINTED["paths"][path]["get"]
    assert (found["operationId"], found["tags"]) == (wanted["operationId"], [wanted["tag"]])
    parameters = {each["name"].removesuffix("[]"): each for each in found["parameters"]}
    assert parameters.keys() - {"Agent-Graph-Version"} == {each["name"] for each in wanted["parameters"]}
    for each in wanted["parameters"]:
        parameter = parameters[each["name"]]
        assert (parameter["in"], parameter["required"]) == (each["in"], each["required"])
        assert said_of(each) == said_by(parameter)
    assert {status: shown(answer) for status, answer in found["responses"].items() if status != "304"} == {
        status: name for status, name in wanted["responses"].items() if status != "304"
    }
    assert list(found["responses"]["200"]["headers"]) == wanted["success_headers"]


@pytest.mark.parametrize("path", FACTS["paths"])
def test_every_parameter_is_told_of(path: str) -> None:
    """Whoever reads the document learns what a parameter asks for."""
    named = {each["name"].removesuffix("[]"): each for each in PRINTED["paths"][path]["get"]["parameters"] if each["in"] == "query"}
    assert all(each["description"].endswith(".") for each in named.values())


def said_of(fact: dict[str, Any]) -> dict[str, Any]:
    """What the facts say of a parameter's values."""
    said = {
        "type": ["string", "integer"] if isinstance(fact["type"], list) else fact["type"],
        "minimum": fact.get("min"),
        "maximum": fact.get("max"),
        "default": fact.get("default"),
        "enum": fact.get("enum"),
        "maxLength": fact.get("max_length", fact.get("enforced_max_length")),
        "maxItems": fact.get("max_items", fact.get("enforced_max_items")),
        "properties": fact.get("properties"),
        "pattern": fact.get("enforced_pattern"),
    }
    if fact.get("format") == "node id":
        said["pattern"] = FACTS["id_formats"]["node"]
    return {name: value for name, value in said.items() if value is not None}


def said_by(parameter: dict[str, Any]) -> dict[str, Any]:
    """The same of a printed one."""
    schema = parameter["schema"]
    said = {name: schema.get(name) for name in SAID}
    if "oneOf" in schema:
        said["type"] = [each["type"] for each in schema["oneOf"]]
    if "items" in schema:
        said["enum"] = schema["items"].get("enum")
    return {name: value for name, value in said.items() if value is not None}


def shown(answer: dict[str, Any]) -> str:
    """The name of an answer's schema."""
    return str(answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2])


@pytest.mark.parametrize("name", FACTS["schemas"])
def test_a_schema_has_the_documented_members(name: str) -> None:
    """R4, R32-R57: each object's members, their types, and which may be null or missing."""
    wanted, found = FACTS["schemas"][name], PRINTED["components"]["schemas"][name]
    if "fields" not in wanted:
        assert found["enum"] == wanted["enum"]
    else:
        assert members_of(wanted) == members_by(found)


def members_of(fact: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """An object's members by path as the facts have them: type, whether it may be null, whether it must be there."""
    found: dict[str, tuple[Any, ...]] = {}
    for name, each in fact["fields"].items():
        null = (each["nullable"] or each.get("nullable_in_practice", False)) and each["type"] not in ("any", "null")
        kind = {"array": f"{each.get('items')}[]", "map": "object"}.get(each["type"], each["type"])
        found[name] = (kind, null, each["required"])
        if "fields" in each:
            found |= {f"{name}.{inner}": value for inner, value in members_of(each).items()}
    return found


def members_by(schema: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The same of a printed one."""
    found: dict[str, tuple[Any, ...]] = {}
    for name, each in schema["properties"].items():
        found[name] = (*typed(each), name in schema["required"])
        if "properties" in each:
            found |= {f"{name}.{inner}": value for inner, value in members_by(each).items()}
    return found


def typed(schema: dict[str, Any]) -> tuple[str, bool]:
    """A schema's type or name, and whether it may be null."""
    if "anyOf" in schema:
        return typed(schema["anyOf"][0])[0], True
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2], False
    kind = schema.get("type", "any")
    if kind == "array":
        return f"{typed(schema['items'])[0]}[]", False
    return (kind[0], True) if isinstance(kind, list) else (kind, False)


def test_the_catalogue_of_errors_is_the_documented_one() -> None:
    """R5: these codes with their status and type, no others."""
    assert {(each["status"], each["type"], each["code"]) for each in FACTS["errors"]} == {
        (kind.status, kind.type, code) for code, kind in CATALOGUE.items()
    }


def test_what_can_be_expanded_is_documented() -> None:
    """R48."""
    assert {"blocked.on" if step == "blocked" else step for step in NODE_STEPS} == set(FACTS["expandable"]["node"])


def test_every_reference_leads_somewhere() -> None:
    """The document is whole."""
    names = set(openapi()["components"]["schemas"])
    assert {part.split('"')[0] for part in print_openapi().split("#/components/schemas/")[1:]} <= names
