"""The REST conformance cases: what comes back from `/api/v1`, file by file."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
import pytest_asyncio

from app.store.connection import Store
from tests.served import Served, account, served

FILES = sorted((Path(__file__).parent / "data/rest").glob("*.json"))


@pytest_asyncio.fixture(scope="module")
async def door(store: Store) -> AsyncIterator[Served]:
    async with served(store, lambda settings: settings.model_copy(update={"rate_limit": 25.0})) as found:
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
        self.append_key = await self.door.key(owner)  # its calls do not count against the key that the cases ask with
        self.names |= {"key": key, "other_key": other_key}
        self.names["gph"] = await self.door.graph(
            self.append_key, self.case["events"], 1_000 if "trim" in self.case.get("profile", ()) else 0
        )
        self.names["log"] = self.names["gph"].removeprefix("gph_")
        for name, graph in self.case.get("other_graphs", {}).items():
            self.names[name] = await self.door.graph(other_key if graph.get("owner") == "other" else self.append_key, graph["events"])
        self.names["restricted_key"] = await self.door.key(owner, ("read", "write"), [self.names["gph"]])
        self.names["basic_key"] = b64encode(f"{key}:".encode()).decode()
        self.names["basic_key_pw"] = b64encode(f"{key}:whatever".encode()).decode()

    async def ask(self, request: dict[str, Any]) -> httpx.Response:
        self.door.clock.ms = request.get("now_ms", self.door.clock.ms)
        if "append" in request:
            await self.door.append(self.append_key, self.names["gph"], request["append"])
        headers = {"Authorization": f"Bearer {self.names['key']}"} | self.put_in(request.get("headers", {}))
        sent = {name: value for name, value in headers.items() if value is not None}
        query = urlencode([(name, self.put_in(value)) for name, value in request.get("query", [])])
        url = self.put_in(request["path"]) + (f"?{query}" if query else "")
        for _ in range(request.get("repeat", 1)):
            answer = await self.door.client.request(request["method"], url, headers=sent)
        for name, where in request.get("save", {}).items():
            kind, _, path = where.partition(":")
            self.names[name] = answer.headers[path] if kind == "header" else found_at(answer.json(), path)
        return answer

    def put_in(self, value: Any) -> Any:
        """`value` with the names in braces replaced."""
        if isinstance(value, str):
            return re.sub(r"\{(\w+)\}", lambda found: self.names.get(found[1], found[0]), value)
        if isinstance(value, list):
            return [self.put_in(each) for each in value]
        return {name: self.put_in(each) for name, each in value.items()} if isinstance(value, dict) else value


def found_at(body: Any, pointer: str) -> Any:
    for part in pointer.removeprefix("/").split("/"):
        body = body[int(part) if isinstance(body, list) else part]
    return body


MISSING = object()


def matches(expected: Any, found: Any) -> bool:
    """The cases' own way of matching."""
    if isinstance(expected, dict):
        match expected:
            case {"$any": True}:
                return found is not MISSING
            case {"$absent": True}:
                return found is MISSING
            case {"$contains": wanted}:
                return isinstance(found, list) and all(any(matches(each, item) for item in found) for each in wanted)
            case {"$length": length}:
                return isinstance(found, list) and len(found) == length
            case {"$keys": names}:
                return isinstance(found, dict) and set(found) == set(names)
        return isinstance(found, dict) and all(matches(each, found.get(name, MISSING)) for name, each in expected.items())
    if isinstance(expected, list):
        return isinstance(found, list) and len(expected) == len(found) and all(map(matches, expected, found))
    return type(expected) is type(found) and bool(expected == found)


def check(expected: dict[str, Any], answer: httpx.Response) -> None:
    told = (
        f"{answer.request.url}\n{answer.status_code} {dict(answer.headers)}\n{answer.text[:6_000]}\nexpected {json.dumps(expected)[:6_000]}"
    )
    assert answer.status_code == expected["status"], told
    for name, value in expected.get("headers", {}).items():
        assert matches(value, answer.headers.get(name, MISSING)), f"{name}: {told}"
    if expected.get("no_body"):
        assert not answer.content, told
    if "body" in expected:
        assert matches(expected["body"], answer.json()), told


def read(path: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads(path.read_text())
    return case


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_rest(path: Path, door: Served) -> None:
    """Each request of a file comes back as it should."""
    case = Case(door, read(path))
    await case.set_up()
    for request in case.case["requests"]:
        answer = await case.ask(request)
        check(case.put_in(request["expect"]), answer)


def test_every_file_is_run() -> None:
    """All 25 files are there, with their 419 requests."""
    requests = [request for path in FILES for request in json.loads(path.read_text())["requests"]]
    assert (len(FILES), len(requests)) == (25, 419)
