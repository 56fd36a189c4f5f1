"""Rho graphs in one operation: one loader for each question, so that a selection is a statement for each field and level (M14)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import orjson
from aiodataloader import DataLoader

from app.domain.problems import NotFound, TooComplex
from app.domain.rho.envelope import Document
from app.graphql.rho.limits import MOST_FACTS
from app.services.rho.mirrors import MirroredNode
from app.store.pace import Pace
from app.store.rho.reading import Direction, FactKey, FactKind, RhoGraphRow, SnapshotRow

if TYPE_CHECKING:
    from app.graphql.context import Context

K = TypeVar("K")
V = TypeVar("V")


class Fact(NamedTuple):
    """A node, an edge or an event of a snapshot, by the snapshot's key."""

    snapshot: str
    value: Document

    @property
    def id(self) -> str:
        """Its own id."""
        id: str = self.value["id"]
        return id

    @property
    def key(self) -> FactKey:
        """What it is found by."""
        return self.snapshot, self.id

    @property
    def attributes(self) -> dict[str, str]:
        """What a node or an edge says of itself."""
        found: dict[str, str] = self.value.get("attributes", {})
        return found

    @property
    def entity(self) -> str | None:
        """What a node is (M3)."""
        return self.attributes.get("entity_type", self.attributes.get("entity"))


class Related(NamedTuple):
    """An edge of a node, with the node at its other end."""

    edge: Fact
    other: Fact


class Batch(DataLoader[K, V | None], Generic[K, V]):
    """Answers one question for all that is asked for at once; None where there is no answer."""

    def __init__(self, read: Callable[[list[K]], Awaitable[Mapping[K, V]]]) -> None:
        super().__init__(max_batch_size=1_000)
        self._read = read

    async def one(self, key: K) -> V | None:
        """The answer for one key."""
        return await asyncio.shield(self.load(key))  # shared: who is cancelled must not cancel it for the others

    async def batch_load_fn(self, keys: list[K]) -> list[V | None]:
        found = await self._read(keys)
        return [found.get(key) for key in keys]


class RhoRead:
    """What an operation reads of Rho graphs. Facts come as they are stored, each list by id (M16)."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._rho = context.services.rho
        self._viewer, self._deadline = context.viewer, context.deadline
        self._shown = 0
        self._graphs = Batch(self._read_graphs)
        self._snapshots = Batch(self._read_snapshots)
        self._snapshots_of = Batch(self._read_snapshots_of)
        self._whole: dict[FactKind, Batch[str, list[Fact]]] = {}
        self._facts: dict[FactKind, Batch[FactKey, Fact]] = {}
        self._related: dict[tuple[Direction, tuple[str, ...]], Batch[FactKey, list[Related]]] = {}
        self._events = Batch(self._read_events)
        self._mirrors = Batch(self._read_mirrors)
        self._mirrored = Batch(self._read_mirrored)
        self._asked: dict[FactKey, Document] = {}

    def spend(self, facts: int) -> None:
        """Counts what is shown. Raises: TooComplex (M15)."""
        self._shown += facts
        if self._shown > MOST_FACTS:
            text = f"This comes to more than {MOST_FACTS:,} nodes, edges and events of Rho graphs. Ask for smaller pages."
            raise TooComplex(text, self._shown, MOST_FACTS)

    async def graph(self, key: str) -> RhoGraphRow | None:
        """A graph by its key."""
        return await self._graphs.one(key)

    async def snapshot(self, key: str) -> SnapshotRow:
        """A snapshot by its key. Raises: NotFound, where it has gone meanwhile."""
        found = await self._snapshots.one(key)
        if found is None:
            raise NotFound("There is no such snapshot.")
        return found

    async def snapshots_of(self, graph: str) -> list[SnapshotRow]:
        """Every snapshot of a graph, newest first."""
        return await self._snapshots_of.one(graph) or []

    async def whole(self, kind: FactKind, snapshot: str) -> list[Fact]:
        """All nodes, edges or events of a snapshot, by id."""
        if kind not in self._whole:
            self._whole[kind] = Batch(lambda keys: self._read_whole(kind, keys))
        return await self._whole[kind].one(snapshot) or []

    async def node(self, snapshot: str, id: str) -> Fact | None:
        """A node of a snapshot."""
        return await self._of_kind("nodes").one((snapshot, id))

    async def nodes(self, snapshot: str, ids: Iterable[str]) -> list[Fact]:
        """Nodes of a snapshot, in the order of these ids."""
        nodes = self._of_kind("nodes")
        found = await asyncio.shield(nodes.load_many([(snapshot, id) for id in ids]))
        return [fact for fact in found if fact is not None]

    async def event(self, snapshot: str, id: str) -> Fact | None:
        """An event of a snapshot."""
        return await self._of_kind("events").one((snapshot, id))

    async def events_of(self, node: Fact) -> list[Fact]:
        """The events about a node, by id."""
        return await self._events.one(node.key) or []

    async def related(self, node: Fact, direction: Direction, kinds: Sequence[str]) -> list[Related]:
        """The edges of these kinds that leave a node or come to it, by the edge's id."""
        asked = direction, tuple(sorted(set(kinds)))
        if asked not in self._related:
            self._related[asked] = Batch(lambda keys: self._read_related(*asked, keys))
        return await self._related[asked].one(node.key) or []

    async def others(self, node: Fact, direction: Direction, kind: str) -> list[Fact]:
        """The nodes at the other ends of a node's edges of a kind, each once, by id."""
        ends = {found.other.id: found.other for found in await self.related(node, direction, (kind,))}
        return [ends[id] for id in sorted(ends)]

    async def mirror_of(self, ref: str) -> Fact | None:
        """The Rho node that stands for a session or an agent, now (M12)."""
        return await self._mirrors.one(ref)

    async def mirrored(self, node: Fact) -> MirroredNode | None:
        """The session or agent that a Rho node stands for, now (M12)."""
        self._asked[node.key] = node.value
        return await self._mirrored.one(node.key)

    # ---- each question, for all that is asked for at once ----

    async def _read_graphs(self, keys: list[str]) -> Mapping[str, RhoGraphRow]:
        return await self._turn(self._rho.reading.graphs_by_key(self._viewer, keys, self._deadline))

    async def _read_snapshots(self, keys: list[str]) -> Mapping[str, SnapshotRow]:
        return await self._turn(self._rho.reading.snapshots(self._viewer, keys, self._deadline))

    async def _read_snapshots_of(self, keys: list[str]) -> Mapping[str, list[SnapshotRow]]:
        return await self._turn(self._rho.reading.snapshots_of(self._viewer, keys, self._deadline))

    async def _read_whole(self, kind: FactKind, keys: list[str]) -> Mapping[str, list[Fact]]:
        found = await self._turn(self._rho.reading.facts(self._viewer, kind, keys, self._deadline))
        pace = Pace()
        return {key: await _paced(pace, bodies, lambda row, key=key: _fact(key, row[1])) for key, bodies in found.items()}  # type: ignore[misc]

    async def _read_facts(self, kind: FactKind, keys: list[FactKey]) -> Mapping[FactKey, Fact]:
        found = await self._turn(self._rho.reading.facts_by_id(self._viewer, kind, keys, self._deadline))  # type: ignore[arg-type]
        return {key: _fact(key[0], body) for key, body in found.items()}

    async def _read_events(self, keys: list[FactKey]) -> Mapping[FactKey, list[Fact]]:
        found = await self._turn(self._rho.reading.events_of(self._viewer, keys, self._deadline))
        return {key: sorted((_fact(key[0], body) for body in bodies), key=_id) for key, bodies in found.items()}

    async def _read_related(self, direction: Direction, kinds: tuple[str, ...], keys: list[FactKey]) -> Mapping[FactKey, list[Related]]:
        found = await self._turn(self._rho.reading.related(self._viewer, keys, direction, kinds, self._deadline))
        pace, made = Pace(), {}
        for key, rows in found.items():
            edges = await _paced(pace, rows, lambda row, key=key: Related(_fact(key[0], row[0]), _fact(key[0], row[1])))  # type: ignore[misc]
            made[key] = sorted(edges, key=lambda one: one.edge.id)
        return made

    async def _read_mirrors(self, refs: list[str]) -> Mapping[str, Fact]:
        found = await self._turn(self._rho.mirrors.rho_nodes(self._viewer, refs, self._deadline))
        return {ref: _fact(one.snapshot, one.body) for ref, one in found.items()}

    async def _read_mirrored(self, keys: list[FactKey]) -> Mapping[FactKey, MirroredNode]:
        asked = {key: self._asked[key] for key in keys}
        return await self._turn(self._rho.mirrors.agent_graph_nodes(self._viewer, asked, self._deadline))

    def _of_kind(self, kind: FactKind) -> Batch[FactKey, Fact]:
        if kind not in self._facts:
            self._facts[kind] = Batch(lambda keys: self._read_facts(kind, keys))
        return self._facts[kind]

    async def _turn(self, read: Awaitable[V]) -> V:
        return await self._context.in_turn(read)


def _fact(snapshot: str, body: str) -> Fact:
    return Fact(snapshot, orjson.loads(body))


async def _paced(pace: Pace, rows: Iterable[K], make: Callable[[K], V]) -> list[V]:
    """What is made of each row, in slices: there may be a mebibyte of each snapshot."""
    made = []
    for number, row in enumerate(rows):
        made.append(make(row))
        if not number % 200 and pace.due:
            await pace.rest()
    return made


def _id(fact: Fact) -> str:
    return fact.id
