"""The largest documents do not hold the event loop, whichever way they come and go (M8)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.domain.rho.envelope import canonical_json
from app.domain.rho.vocabulary import MOST_BYTES
from app.store.connection import Store
from tests.domain.rho.envelopes import edge, envelope, event, node
from tests.served import account, served
from tests.timing import TRIES, longest_allowed, loop_steps

_IMPORT = "mutation Import($envelope: JSON!) { rhoImport(envelope: $envelope) { created snapshot { id } } }"
_TEXT = "query Text($id: ID!) { rhoSnapshot(id: $id) { canonicalJson } }"


def large(name: str) -> dict[str, Any]:
    """An envelope of nearly a mebibyte: some 5,000 small facts."""
    ids = [f"rho/task/{name}.{place:05d}" for place in range(1_600)]
    edges = [edge(f"e{place}", "contains", ids[0], id) for place, id in enumerate(ids)]
    return envelope(*map(node, ids), *edges, *(event(f"v{place}", id) for place, id in enumerate(ids)))


@pytest.mark.alone
@pytest.mark.once
async def test_no_step_is_long(store: Store) -> None:
    """A document as a file, one as a variable of GraphQL, and its text given back: other requests have their turn meanwhile."""
    held: list[list[float]] = []
    while len(held) < TRIES and max(map(min, zip(*held, strict=True)), default=1) >= 1:
        held.append(await held_by(store, large(f"file{len(held)}"), large(f"variable{len(held)}")))
    assert max(map(min, zip(*held, strict=True))) < 1, held


async def held_by(store: Store, one: dict[str, Any], other: dict[str, Any]) -> list[float]:
    """The longest step of each of the three requests, in parts of what is allowed."""
    text = json.dumps(one, separators=(",", ":")).encode()
    assert 0.8 * MOST_BYTES < len(text) <= MOST_BYTES
    variables = json.dumps({"query": _IMPORT, "variables": {"envelope": other}}).encode()
    async with served(store) as door:
        headers = {"Authorization": f"Bearer {await door.key(account())}", "Content-Type": "application/json"}
        with loop_steps() as taking:
            taken = await door.client.post("/api/rho/import", content=text, headers=headers)
        assert taken.status_code == 200, taken.text
        with loop_steps() as telling:
            told = await door.client.post("/graphql", content=variables, headers=headers)
        assert told.json()["data"]["rhoImport"]["created"], told.text
        asked = json.dumps({"query": _TEXT, "variables": {"id": told.json()["data"]["rhoImport"]["snapshot"]["id"]}})
        with loop_steps() as giving:
            given = await door.client.post("/graphql", content=asked, headers=headers)
        assert given.json()["data"]["rhoSnapshot"]["canonicalJson"] == canonical_json(other)
    allowed = longest_allowed()
    return [max(each) / allowed for each in (taking, telling, giving)]
