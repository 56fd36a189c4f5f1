"""What reading costs a store that tells it: the statements that services run, with their parameters, and each one's `PROFILE`."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from neo4j import AsyncDriver, AsyncGraphDatabase, NotificationMinimumSeverity, Record

from app.demo.fleet import fleet
from app.domain.filters import EventFilter, Range
from app.domain.moments import AsOf
from app.services.event_pages import EventPage
from app.services.graph_at import GraphAt, KeySet
from app.services.lists import Ask
from app.services.node_history import HistoryPage
from app.services.rho.rho import Rho
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store import appending, checkpoints, chunks, events, timeline, trims
from app.store import graphs as stored_graphs
from app.store.connection import Store
from app.store.reading import Reading
from app.store.statements import in_one_go, statement, with_lists
from tests.grown import CLOCK_MS, Grown, grow, reader, soon
from tests.store.rho.reads import a_graph_of_many_facts, rho_reads

GOLDEN = Path(__file__).with_name("budgets")
_LISTS = ("rows", "events", "seqs", "known", "times", "checkpoints", "offsets")
"""What statements call a list of rows."""

PARTS = ("task", "spawn", "wait", "message")
REFS = 50
"""Nodes that are looked up together."""

MOMENTS = {"now": None, "late": 0.99, "middle": 0.5, "early": 0.1}
"""How much of the log lies before each moment."""


@dataclass(frozen=True)
class Call:
    """A statement as a service ran it. `label` tells calls of the same statement apart."""

    name: str
    label: str
    params: dict[str, Any]


@dataclass
class Cost:
    """What a call did: `operators` top down, `hits` of the database, rows `touched` there, rows `returned` in the answer."""

    operators: list[str] = field(default_factory=list)
    hits: int = 0
    touched: int = 0
    returned: int = 0

    @property
    def figures(self) -> dict[str, int]:
        """The numbers."""
        return {"hits": self.hits, "touched": self.touched, "returned": self.returned}

    @property
    def scans(self) -> list[str]:
        """Operators that read all there is, or join everything with everything."""
        return scans(self.operators)


def scans(operators: list[str]) -> list[str]:
    """Those that read all there is of a label or type, or join everything with everything."""
    return [each for each in operators if "Scan" in each or "CartesianProduct" in each]


class Recorder:
    """Services on a store that write down what they ask it."""

    def __init__(self, store: Store) -> None:
        self.calls: dict[tuple[str, str], Call] = {}
        self.label = ""
        self.store = copy.copy(store)
        plain = store.read

        async def read(name: str, /, *args: Any, **params: Any) -> list[Record]:
            self.calls.setdefault((name, self.label), Call(name, self.label, with_lists(params)))
            return await plain(name, *args, **params)

        self.store.read = read  # type: ignore[method-assign]

    async def all(self, grown: Grown, log: list[dict[str, Any]]) -> list[Call]:
        """Every way to read a graph, at each of the moments."""
        graphs = reader(self.store, snapshot_cache_nodes=0)
        for label, share in MOMENTS.items():
            self.label = label
            as_of = None if share is None else AsOf(event=log[int(len(log) * share)]["id"])
            await every_read(await graphs.at(grown.viewer, grown.graph_id, as_of, soon()), log)
        self.label = "now"
        now = await graphs.at(grown.viewer, grown.graph_id, None, soon())
        first, last = now.info.first_event_created, now.info.last_event_created
        assert first is not None
        assert last is not None
        held = events.Stretch(now.info.standing.floor, now.info.standing.head)
        # events are counted one by one only where history was rewritten, which it was not here
        await timeline.spans(Reading(self.store, now.moment, soon()), held, first, (last - first) // 100, 100)
        await graphs.list(grown.viewer, soon())
        look = await appending.look(self.store, grown.graph_id, None, [], soon())
        assert look is not None
        await appending.look(self.store, grown.graph_id, look.g, [event["id"] for event in log[-100:]], soon())
        head = look.standing.head
        async for _ in appending.events_after(self.store, look.g, head - 100 * 1024, head, soon()):
            break
        await self.store.one("append/leftover", soon(), g=look.g, buckets=[head >> 16], after=head - 8 * 1024)
        now = Reading(self.store, (await graphs.at(grown.viewer, grown.graph_id, None, soon())).moment, soon())
        await events.arrived(now, 1, 100)
        await events.arrived_places(now, 1, 100)
        await stored_graphs.seen(self.store, [grown.graph_id], soon())
        for place in await checkpoints.listed(self.store, look.g, soon()):
            await checkpoints.read(self.store, look.g, place, soon())
        await trims.left(self.store, grown.graph_id, soon())
        async for _ in trims.places(self.store, look.g, head - 100 * 1024, head, soon()):
            break
        for offset in range(20):
            await chunks.record(self.store, grown.graph_id, offset, 1, "-" * 64, skipped=0, heard=1, deadline=soon())
        await chunks.look(self.store, grown.graph_id, 9, soon())
        await chunks.offsets(self.store, grown.graph_id, soon())
        rho, viewer = Rho.on(self.store, lambda: CLOCK_MS, 20), Viewer(f"acc{uuid4().hex}", ALL_SCOPES, key_id="key")
        await rho_reads(rho, viewer, *await a_graph_of_many_facts(rho, viewer))
        return list(self.calls.values())


async def every_read(at: GraphAt, log: list[dict[str, Any]]) -> None:
    """All that can be asked of a graph at a moment, in each way in which it is asked."""
    snapshot = await at.later(soon()).snapshot()
    for keys in KeySet:
        await at.later(soon()).snapshot(keys)
    rows = sorted(snapshot.rows, key=lambda row: row["ref"])
    refs = [row["ref"] for row in rows[:: max(len(rows) // REFS, 1)]][:REFS]
    deepest = max(rows, key=lambda row: (row["depth"], row["ref"]))["ref"]
    widest = max(rows, key=lambda row: (row["descendant_count"], row["ref"]))["ref"]
    waiting = next(row for row in rows if row["blocked_on"])
    busy = max(rows, key=lambda row: (row["last_event"], row["ref"]))["ref"]
    await at.nodes(refs)
    for kind in PARTS:
        await at.parts(kind)  # type: ignore[arg-type]
        await at.parts(kind, refs)  # type: ignore[arg-type]
    await at.ancestors(deepest, 64)
    await at.children(widest)
    await at.descendants(widest, 2)
    await at.descendants(widest, 3)
    await at.blocking_chain(waiting["ref"], 9)
    await at.blocking(waiting["blocked_on"][0])
    await at.history(busy, HistoryPage(Ask(20), False))
    await at.timeline(100, None, None)
    types = ("status", "task.*")
    middle = (snapshot.rows[0]["created"] + snapshot.rows[-1]["created"]) // 2
    for wanted in (EventFilter(), EventFilter(types=types), EventFilter(node=busy), EventFilter(node=busy, types=types)):
        for ascending in (False, True):
            page = await at.events(EventPage(100, ascending=ascending, filter=wanted))
            await at.nodes_after((row, row["ref"]) for row in page.rows)
    for wanted in (EventFilter(), EventFilter(types=types), EventFilter(node=busy), EventFilter(node=busy, types=types)):
        created = Range(gt=middle, gte=None, lt=None, lte=None)
        await at.event_count(EventFilter(types=wanted.types, node=wanted.node, created=created))


@asynccontextmanager
async def driver(address: StoreAddress) -> AsyncIterator[AsyncDriver]:
    """A driver of the test's own."""
    auth = (address.username, address.password)
    async with AsyncGraphDatabase.driver(address.uri, auth=auth, notifications_min_severity=NotificationMinimumSeverity.OFF) as own:
        yield own


async def counted(own: AsyncDriver) -> None:
    """Has Neo4j count what its indexes hold, and plan anew: otherwise plans go by whatever it happened to have counted when."""
    async with own.session() as session:
        await (await session.run("CALL db.prepareForReplanning(120)")).consume()


async def profiled(own: AsyncDriver, call: Call) -> Cost:
    """What a call costs."""
    async with own.session() as session:
        result = await session.run("PROFILE " + in_one_go(statement(call.name)), call.params)
        records = [record async for record in result]
        plan = (await result.consume()).profile
    lists = [value for record in records for name, value in dict(record).items() if name in _LISTS]
    cost = Cost(returned=sum(map(len, lists)) if lists else len(records))
    for operator in operators(plan):
        cost.operators.append(_named(operator))
        cost.hits += operator.get("dbHits", 0)
        if _reads_store(operator):
            cost.touched += operator.get("rows", 0)
    return cost


async def explained(own: AsyncDriver, name: str, params: dict[str, Any]) -> list[str]:
    """The operators of a statement that is not run."""
    async with own.session() as session:
        plan = (await (await session.run("EXPLAIN " + in_one_go(statement(name)), params)).consume()).plan
    return [_named(operator) for operator in operators(plan)]


def operators(plan: Any) -> Iterator[dict[str, Any]]:
    """A plan's operators, top down."""
    yield plan
    for child in plan.get("children", ()):
        yield from operators(child)


def _named(operator: dict[str, Any]) -> str:
    return str(operator["operatorType"]).removesuffix("@neo4j")


def _reads_store(operator: dict[str, Any]) -> bool:
    return any(word in operator["operatorType"] for word in ("Seek", "Scan", "Expand", "Trail", "Repeat"))


def golden(name: str) -> Path:
    """The file of a statement's budget."""
    return GOLDEN / f"{name.replace('/', '.')}.json"


def kept(name: str) -> dict[str, Any]:
    """A statement's budget."""
    found: dict[str, Any] = json.loads(golden(name).read_text(encoding="utf-8"))
    return found


async def graph_of(store: Store, events: int) -> tuple[Grown, list[dict[str, Any]]]:
    """A graph with so many events of the demo fleet, and its log."""
    log = list(fleet(events, keyframe=False))
    return await grow(store, log, pieces=events // 2_000), log
