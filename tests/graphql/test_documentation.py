"""docs/graphql.md and README.md say what is so: their examples run, and the first has every code (Q40)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.services.viewer import ALL_SCOPES
from app.store.connection import Store
from tests.graphql.live import streaming
from tests.grown import event
from tests.listening import listening
from tests.served import account, served

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/graphql.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = [
    *re.findall(r"```graphql\n(.*?)```", TEXT, re.DOTALL),
    *re.findall(r"```graphql\n((?:query|mutation).*?)```", README, re.DOTALL),
    *re.findall(r"agw query '(.*?)'", README),
    *(json.loads(body)["query"] for body in re.findall(r"-d '({\"query\".*?})'", README)),
]

_GIVEN = re.compile(r"""(?:\bcode = |error_body\(\s*|request_errors\([^"\n]*, )"([A-Z_]{5,})\"""")


def codes_given() -> set[str]:
    """Every code that the program gives, as its source says."""
    return {code for path in (ROOT / "app").rglob("*.py") for code in _GIVEN.findall(path.read_text(encoding="utf-8"))}


def test_every_code_has_a_section() -> None:
    """Q40: the two lists are the same."""
    assert set(re.findall(r"^### ([A-Z_]+)$", TEXT, re.MULTILINE)) == codes_given()


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.split("(")[0].strip() for example in EXAMPLES])
async def test_examples_run(store: Store, example: str) -> None:
    """What is shown works as it is."""
    async with served(store) as door:
        key = await door.key(account(), tuple(ALL_SCOPES))
        graph_id = await door.graph(key, [event(n, "status", "one", 1_000 * n, state="working", summary=str(n)) for n in range(5)])
        known = {"graph": graph_id, "event": "evt_00000002", "ref": "acme:one", "g": graph_id, "events": []}
        variables = {name: value for name, value in known.items() if f"${name}:" in example}
        if example.startswith("subscription"):
            async with listening(door.application) as address, streaming(address, key, example, variables) as events:
                kind, _, body = await anext(events)
            assert kind == "next"
        else:
            body = await door.ask(key, example, variables)
        assert "errors" not in body, body
