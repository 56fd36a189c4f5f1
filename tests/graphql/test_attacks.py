"""What is sent to wear the gateway out (Q33, Q35-Q37): refused with its code, within little time of the loop, in one short log line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from itertools import count

import orjson
import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from app.store.connection import Store
from bench.beat import Beat
from tests.graphql.test_limits import ATTACKS, REPEATED
from tests.grown import event
from tests.served import Served, account, served

pytestmark = pytest.mark.once

MILLISECONDS = 250
"""Of processor time in one turn of the loop: far above Q37's 25, so that a busy machine does not fail the test."""

LONGEST_LINE = 1_000


@dataclass
class Target:
    """A door with a key that may write, and a graph of a hundred nodes."""

    door: Served
    key: str
    graph: str

    async def hit(self, body: bytes) -> tuple[int, bytes, float]:
        """Status, body and the longest turn of the loop (ms of its thread's time), without a client in between."""
        sent: list[dict[str, object]] = []
        headers = [
            (b"content-type", b"application/json"),
            (b"authorization", f"Bearer {self.key}".encode()),
            (b"accept", b"application/json"),
        ]
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/graphql",
            "raw_path": b"/graphql", "query_string": b"", "root_path": "", "headers": headers, "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }  # fmt: skip
        pieces = [body[start : start + 65_536] for start in range(0, len(body), 65_536)]

        async def receive() -> dict[str, object]:
            if pieces:
                return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}
            return await forever()

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        beat = Beat()
        beat.start()
        await asyncio.sleep(0)
        await self.door.application(scope, receive, send)  # type: ignore[arg-type]
        await asyncio.sleep(0)
        longest = beat.stop().work
        text = b"".join(bytes(message["body"]) for message in sent if message["type"] == "http.response.body")  # type: ignore[call-overload]
        return sent[0]["status"], text, longest  # type: ignore[return-value]


async def forever() -> dict[str, object]:
    """A caller who says no more."""
    await asyncio.Event().wait()
    return {}


@pytest_asyncio.fixture(scope="module")
async def target(store: Store) -> AsyncIterator[Target]:
    async with served(store) as door:
        key = await door.key(account())
        nodes = [event(number, "agent.spawned", f"s/a{number}", 10 * number) for number in range(100)]
        yield Target(door, key, await door.graph(key, nodes))


_NUMBERS = count()


def of(query: str, **variables: object) -> bytes:
    """A request's body; each time another document, so that none is known already."""
    return orjson.dumps({"query": f"{query} #{next(_NUMBERS)}", "variables": variables})


ONE = 'query($x: JSON) { graph(id: "x") { id } }'
STATES = 'query($f: NodeFilter) { graph(id: "x") { nodes(filter: $f) { totalCount } } }'
UP_AND_DOWN = "children(first: 1000) { nodes { parent { " * 4 + "id" + " } } }" * 4
TYPES = "{ __schema { types { fields { type { " + "fields { type { " * 20 + "name" + " } }" * 20 + " } } } } }"

OTHERS: dict[str, tuple[Callable[[str], bytes], str]] = {
    "20,000 fields": (lambda _: of("{ " + "__typename " * 20_000 + "}"), "TOO_MANY_TOKENS"),
    "10,000 aliases": (lambda _: of("{ " + " ".join(f"a{n}: __typename" for n in range(10_000)) + " }"), "TOO_MANY_TOKENS"),
    "nine nested lists": (lambda g: of(f'{{ graph(id: "{g}") {{ roots {{ nodes {{ {UP_AND_DOWN} }} }} }} }}'), "QUERY_TOO_COMPLEX"),
    "an introspection of everything in everything": (lambda _: of(TYPES), "QUERY_TOO_DEEP"),
    "a variable of a million items": (lambda _: of(STATES, f={"state": ["WORKING"] * 999_000 + ["NOWHERE"]}), "BAD_REQUEST"),
    "a variable of half a million items": (lambda _: of(STATES, f={"state": ["NOWHERE"] * 500_000}), "QUERY_TOO_COMPLEX"),
    "a variable nested without end": (
        lambda _: orjson.dumps({"query": ONE})[:-1] + b',"variables":{"x":' + b"[" * 300_000 + b"]" * 300_000 + b"}}", "BAD_REQUEST",
    ),
    "a huge string": (lambda _: of('query($i: ID!) { graph(id: $i) { id } }', i="x" * 5_000_000), "NOT_FOUND"),
    "a batch": (lambda _: json.dumps([{"query": "{ __typename }"}] * 20_000).encode(), "BAD_REQUEST"),
    "a body without end": (lambda _: b" " * 9_000_000, "BAD_REQUEST"),
}  # fmt: skip

ALL = OTHERS | {
    name: (lambda _, text=text: of(text), code)  # type: ignore[misc]
    for name, (text, code) in (ATTACKS | {name: (text, "") for name, text in REPEATED.items()}).items()
}


@pytest.mark.parametrize("name", ALL)
async def test_attacks(target: Target, name: str) -> None:
    """Q37: the code, the loop, the log."""
    made, code = ALL[name]
    turns = []
    for _ in range(3):
        body = made(target.graph)
        with capture_logs() as lines:
            status, text, longest = await target.hit(body)
        answer = orjson.loads(text)
        codes = {error["extensions"]["code"] for error in answer["errors"]}
        assert codes == {code} if code else codes <= {"QUERY_TOO_COMPLEX", "TOO_MANY_ALIASES"}, answer["errors"][:2]
        assert status in (200, 400, 413)
        assert len(text) < 4_000
        assert [line["event"] for line in lines] == ["request"]
        assert len(str(lines[0])) < LONGEST_LINE
        turns.append(longest)
    assert min(turns) < MILLISECONDS, turns
