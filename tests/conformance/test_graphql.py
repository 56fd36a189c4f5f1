"""The GraphQL conformance cases: what comes back from `POST /graphql`, file by file."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.store.connection import Store
from tests.served import Served, account, served

FILES = sorted((Path(__file__).parent / "data/graphql").glob("*.json"))


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Served]:
    async with served(store) as found:
        yield found


class Case:
    """One file, its graphs made and its keys given."""

    def __init__(self, door: Served, case: dict[str, Any]) -> None:
        self.door = door
        self.case = case
        self.names: dict[str, str] = {}

    async def set_up(self) -> None:
        self.door.clock.ms = self.case["now_ms"]
        owner, other = account(), account()
        key, other_key = await self.door.key(owner), await self.door.key(other)
        self.names |= {"key": key, "other_key": other_key}
        self.names["gph"] = await self.door.graph(key, [])
        self.names["log"] = self.names["gph"].removeprefix("gph_")
        await self._fill(key, self.names["gph"], self.case["events"])
        for name, graph in self.case.get("other_graphs", {}).items():
            its_key = other_key if graph.get("owner") == "other" else key
            self.names[name] = await self.door.graph(its_key, [])
            await self._fill(its_key, self.names[name], graph["events"])
        self.names["restricted_key"] = await self.door.key(owner, ("read", "write"), [self.names["gph"]])

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self.door.clock.ms = request.get("now_ms", self.door.clock.ms)
        if "append" in request:
            await self._fill(self.names["key"], self.names["gph"], request["append"])
        headers = {name: str(self.put_in(value)) for name, value in request.get("headers", {}).items()}
        body = await self.door.ask(self.names["key"], request["query"], self.put_in(request.get("variables")), **headers)
        for name, where in request.get("save", {}).items():
            found: Any = body
            for part in where.removeprefix("body:/").split("/"):
                found = found[int(part) if isinstance(found, list) else part]
            self.names[name] = found
        return body

    def put_in(self, value: Any) -> Any:
        """`value` with the names in braces replaced."""
        if isinstance(value, str):
            return re.sub(r"\{(\w+)\}", lambda found: self.names.get(found[1], found[0]), value)
        if isinstance(value, list):
            return [self.put_in(each) for each in value]
        return {name: self.put_in(each) for name, each in value.items()} if isinstance(value, dict) else value

    async def _fill(self, key: str, graph_id: str, events: list[Any]) -> None:
        await self.door.append(key, graph_id, events)


def matches(expected: Any, found: Any) -> bool:
    if expected == {"$any": True}:
        return found is not None
    if isinstance(expected, dict):
        return isinstance(found, dict) and expected.keys() == found.keys() and all(matches(expected[key], found[key]) for key in expected)
    if isinstance(expected, list):
        return isinstance(found, list) and len(expected) == len(found) and all(map(matches, expected, found))
    return type(expected) is type(found) and bool(expected == found)


def is_told(expected: dict[str, Any], error: dict[str, Any]) -> bool:
    extensions = error["extensions"]
    named = {name: value for name, value in expected.items() if name not in ("path", "code")}
    return (
        error.get("path") == expected.get("path")
        and extensions["code"] == expected["code"]
        and all(name in extensions and extensions[name] == value for name, value in named.items())
    )


def check(expected: dict[str, Any], body: dict[str, Any]) -> None:
    assert ("data" in expected) == ("data" in body), body
    assert matches(expected.get("data"), body.get("data")), json.dumps(body, indent=1)
    errors = list(body.get("errors", []))
    for wanted in expected.get("errors", []):
        found = next((error for error in errors if is_told(wanted, error)), None)
        assert found is not None, (wanted, errors)
        errors.remove(found)
    if "data" not in expected:
        codes = {wanted["code"] for wanted in expected["errors"]}
        errors = [error for error in errors if error["extensions"]["code"] not in codes]
    assert not errors


def read(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(path.read_text())
    return case


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
async def test_graphql(path: Path, door: Served) -> None:
    """Each request of a file comes back as it should."""
    case = Case(door, read(path))
    await case.set_up()
    for request in case.case["requests"]:
        body = await case.ask(request)
        check(case.put_in(request["expect"]), body)


def test_every_file_is_run() -> None:
    """All 29 files are there, with their 358 requests."""
    requests = [request for path in FILES for request in json.loads(path.read_text())["requests"]]
    assert (len(FILES), len(requests)) == (29, 358)
