"""Taking graphs out of a store, and putting them into another (O7, O37). All of it needs the scope `admin` (O14)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from app.domain import ids
from app.domain.card import Card
from app.domain.problems import BadUserInput, NotFound
from app.services.appending import Appended, Appends
from app.services.base_lines import base_lines
from app.services.graphs import Graphs
from app.services.viewer import Viewer
from app.store import appending, deleting, graphs
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.graphs import GraphRow
from app.store.intervals import BUCKET_BITS
from app.store.reading import Overtaken

PAGE_SECONDS = 25.0
"""How long one page of an export may take; the whole of it takes as long as whoever reads it."""

_BUCKETS = 15
"""Buckets of events of a page: about a thousand events, in one statement with the one in which the page before ended."""

_GRAPHS = 1_000


@dataclass(frozen=True, slots=True)
class Export:
    """A graph on its way out. `lines` counts what `pages` gives: the lines of its base (E127), then its held events as they were sent, in
    order (E10).

    `pages` raises Overtaken when held history is changed meanwhile (a late event, a trim): what was given before is no whole export then.
    """

    card: Card
    lines: int
    pages: AsyncIterator[list[bytes]]


class Moving:
    """Exports, and graphs restored from them. The operator's key reaches the graphs of every account, others those of their own."""

    def __init__(self, store: Store, reading: Graphs, appends: Appends) -> None:
        self._store = store
        self._reading = reading
        self._appends = appends

    async def cards(self, viewer: Viewer, deadline: Deadline) -> list[Card]:
        """Every graph that the caller may take away, by id. Raises: Forbidden."""
        viewer.require("admin")
        if not viewer.operator:
            rows = await graphs.of_account(self._store, viewer.account, deadline)
            return [_card(row) for row in sorted(rows, key=lambda row: row.id) if viewer.may_see(row.id)]
        found: list[Card] = []
        after = graphs.BEFORE_ALL
        while rows := await graphs.page(self._store, after, _GRAPHS, deadline):
            found += map(_card, rows)
            after = rows[-1].id
        return found

    async def export(self, viewer: Viewer, graph_id: str, deadline: Deadline) -> Export:
        """The graph's base and held events, as of now (O7). Raises: Forbidden, NotFound, Overtaken."""
        owner = await self._owner(viewer, graph_id, deadline)
        row = await self._reading.row(owner, graph_id, deadline)
        base = await base_lines(self._store, row, deadline)
        await self._look(row, deadline)
        return Export(_card(row), len(base) + row.standing.held, self._pages(row, base))

    async def restore(self, viewer: Viewer, card: Card, deadline: Deadline) -> None:
        """Makes the graph of a card, without events; one that is there already stays as it is. Whoever is not the operator owns what they
        restore.

        Raises: Forbidden; BadUserInput where another account has a graph of that id, or one that was deleted is not cleared away.
        """
        viewer.require("admin")
        viewer.require("write")
        account = card.account if viewer.operator else viewer.account
        there = await graphs.one(self._store, card.id, deadline)
        if there is None:
            if await deleting.is_left(self._store, card.id, deadline):
                raise BadUserInput("id", f"A graph {card.id} was deleted, and is still being cleared away. Try again in a minute.")
            made = await graphs.create_new(
                self._store,
                graph_id=card.id,
                account=account,
                title=card.title,
                source=card.source,
                created=card.created,
                retention=card.retention_events,
                deadline=deadline,
            )
            there = None if made else await graphs.one(self._store, card.id, deadline)
        if there is not None and there.account != account:
            raise BadUserInput("id", f"A graph {card.id} is there already, of another account.")

    async def take_in(self, viewer: Viewer, graph_id: str, lines: Sequence[bytes], deadline: Deadline) -> Appended:
        """Appends lines of an export. Raises: Forbidden, and what `Appends.append` does."""
        owner = await self._owner(viewer, graph_id, deadline)
        return await self._appends.append(owner, graph_id, lines, deadline)

    async def _owner(self, viewer: Viewer, graph_id: str, deadline: Deadline) -> Viewer:
        """The caller, acting for the graph's account where that is allowed. Raises: Forbidden, NotFound."""
        viewer.require("admin")
        known = ids.graph_id(graph_id)
        row = None if known is None else await graphs.one(self._store, known, deadline)
        if row is None or (row.account != viewer.account and not viewer.operator):
            raise NotFound("No such graph.")
        return replace(viewer, account=row.account)

    async def _look(self, row: GraphRow, deadline: Deadline) -> None:
        """Raises Overtaken where held history is no longer what `row` says."""
        now = await graphs.standing(self._store, row.id, deadline)
        if now is None or now[0] != row.g or now[1].revision != row.standing.revision:
            raise Overtaken

    async def _pages(self, row: GraphRow, base: list[bytes]) -> AsyncIterator[list[bytes]]:
        for line in base:
            yield [line]
        after = row.standing.floor - 1 if row.standing.held else row.standing.head
        while after < row.standing.head:
            upto = min(((after + 1 >> BUCKET_BITS) + _BUCKETS << BUCKET_BITS) - 1, row.standing.head)
            deadline = Deadline.after(PAGE_SECONDS)
            page: list[bytes] = []
            async for events in appending.events_after(self._store, row.g, after, upto, deadline):
                page += [_one_line(line) for _, line in events]
            await self._look(row, deadline)
            yield page
            after = upto


def _card(row: GraphRow) -> Card:
    return Card(
        id=row.id,
        account=row.account,
        title=row.title,
        source=row.source,  # type: ignore[arg-type]  # the store has no other
        created=row.created,
        retention_events=row.retention_events,
    )


def _one_line(line: str) -> bytes:
    """An event that came with line breaks between its members has them as spaces: JSON has none elsewhere."""
    return line.replace("\n", " ").replace("\r", " ").encode()
