"""Graphs that grew by appends, for tests of what is read from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import uuid4

from app.domain.moments import Moment
from app.services.appending import Appends
from app.services.graphs import Graphs
from app.services.projectors import Projectors
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import Settings
from app.store.connection import Store
from app.store.deadline import Deadline

CLOCK_MS = 1_900_000_000_999
"""What the clock of these tests says, in Unix milliseconds."""

PROVIDER = "acme"


def soon() -> Deadline:
    """A deadline that no test reaches."""
    return Deadline.after(60)


@dataclass
class Grown:
    """A graph, its account's viewer, and the services that made it and read it."""

    graph_id: str
    viewer: Viewer
    graphs: Graphs
    appends: Appends
    moment: Moment | None = None

    async def append(self, events: Iterable[dict[str, Any]]) -> Moment:
        """Takes events in; gives the moment just after them."""
        lines = [json.dumps(event, ensure_ascii=False).encode() for event in events]
        done = await self.appends.append(self.viewer, self.graph_id, lines, soon())
        assert not done.invalid
        self.moment = done.moment
        return done.moment


def reader(store: Store, **settings: Any) -> Graphs:
    """The reading service at the tests' clock, with nothing in its memory."""
    return Graphs(store, lambda: CLOCK_MS, _settings(**settings))


@cache
def _settings(**given: Any) -> Settings:
    """Made once: looking through the environment takes ten times as long as a read does."""
    return Settings(_env_file=None, **given)  # type: ignore[call-arg]


async def grow(store: Store, events: Sequence[dict[str, Any]], pieces: int = 1, **settings: Any) -> Grown:
    """A new graph of a new account that has taken these events in, in so many appends."""
    viewer = Viewer(account=f"acc_{uuid4().hex}", scopes=ALL_SCOPES, key_id="key")
    graphs = reader(store, **settings)
    appends = Appends(store, Projectors(store), lambda: CLOCK_MS)
    info = await graphs.create(viewer, None, "watch", 0, soon())
    grown = Grown(info.id, viewer, graphs, appends)
    size = max(-(-len(events) // pieces), 1)
    for start in range(0, len(events), size):
        await grown.append(events[start : start + size])
    return grown


def event(number: int, kind: str, node: str, at_ms: int, parent: str | None = None, **data: Any) -> dict[str, Any]:
    """The `number`-th event, about `node` of the tests' provider, `at_ms` milliseconds after the first second of 2027."""
    made: dict[str, Any] = {
        "v": 1,
        "id": f"{number:08d}",
        "ts": f"2027-01-01T{at_ms // 3_600_000:02d}:{at_ms // 60_000 % 60:02d}:{at_ms // 1000 % 60:02d}.{at_ms % 1000:03d}Z",
        "type": kind,
        "node": f"{PROVIDER}:{node}",
        "source": {"provider": PROVIDER},
        "data": data,
    }
    return made if parent is None else {**made, "parent": f"{PROVIDER}:{parent}"}
