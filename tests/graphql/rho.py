"""A door whose account holds Rho graphs, for the tests of those in GraphQL."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from app.store.connection import Store
from tests.served import Served, account, served, written_down

Fields = dict[str, Any]

IMPORT = "mutation($e: JSON!, $p: String) { rhoImport(envelope: $e, projectId: $p) { created snapshot { id digest } } }"
SYNC = """mutation($s: String!, $p: String!, $g: JSON!, $i: String) {
  rhoSync(syncId: $s, projectId: $p, sessionId: $i, graph: $g) { status accepted duplicate graphDigest facts code }
}"""
SESSIONS = (
    "query($g: ID!, $a: AsOf) { graph(id: $g, asOf: $a) { nodes(filter: {kind: SESSION}, first: 1000) { nodes { providerRef %s } } } }"
)
EXPORT = "rhoExport { sessionId snapshotJson digest outsideReferenceCount }"


@dataclass
class RhoDoor:
    """A door, a key, and the names of the statements that are read with."""

    door: Served
    key: str
    names: list[str] = field(default_factory=list)

    async def ask(self, query: str, **variables: Any) -> Fields:
        """The answer's data."""
        body = await self.door.ask(self.key, query, variables)
        assert "errors" not in body, body["errors"]
        data: Fields = body["data"]
        return data

    async def refused(self, query: str, **variables: Any) -> Fields:
        """The extensions of the answer's one error."""
        body = await self.door.ask(self.key, query, variables)
        (error,) = body["errors"]
        extensions: Fields = error["extensions"]
        return extensions

    async def statements(self, query: str, **variables: Any) -> list[str]:
        """The statements that a query comes to, in order of name."""
        self.names.clear()
        await self.ask(query, **variables)
        return sorted(name for name in self.names if not name.startswith("access/"))

    async def imported(self, envelope: Fields, project: str | None = None) -> str:
        """The id of the snapshot that an envelope comes to."""
        done = await self.ask(IMPORT, e=envelope, p=project)
        id: str = done["rhoImport"]["snapshot"]["id"]
        return id

    async def exports(self, graph_id: str, **as_of: Any) -> dict[str, Fields]:
        """What `rhoExport` gives, by the refs of a graph's sessions."""
        data = await self.ask(SESSIONS % EXPORT, g=graph_id, a=as_of or None)
        return {node["providerRef"]: node["rhoExport"] for node in data["graph"]["nodes"]["nodes"]}


@asynccontextmanager
async def rho_door(store: Store) -> AsyncIterator[RhoDoor]:
    """One on an account of its own."""
    patient = {"deadline": 60.0, "write_deadline": 60.0}
    async with served(store, lambda settings: settings.model_copy(update=patient)) as door:
        found = RhoDoor(door, await door.key(account()))
        with written_down(store, found.names):
            yield found


def envelope_of(export: Fields) -> Fields:
    """The envelope in an export."""
    envelope: Fields = json.loads(export["snapshotJson"])
    return envelope
