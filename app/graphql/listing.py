"""Lists of nodes as they are asked for, and the pages cut from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from app.domain.filters import NodeFilter
from app.domain.forest import Forest, ShownRow, below
from app.domain.problems import BadUserInput
from app.domain.waiting import chain
from app.graphql.paged import Paged
from app.graphql.types.enums import NodeOrder
from app.graphql.types.inputs import NodeFilterInput, given
from app.services.cursors import Mark, list_name, read_cursor, write_cursor
from app.services.graph_at import NodeTable
from app.services.lists import MOST, MOST_DESCENDANTS, Ask, Order, Page, cut, page_of_nodes, places

if TYPE_CHECKING:
    from app.graphql.reading import Reading

R = TypeVar("R")

Kind: TypeAlias = Literal["nodes", "roots", "children", "descendants", "chain"]

DEFAULT_ORDER: dict[Kind, Order] = {
    "nodes": Order.NEWEST, "roots": Order.TREE, "children": Order.TREE, "descendants": Order.TREE, "chain": Order.TREE
}  # fmt: skip

MOST_LEVELS = 1_000
"""The most that `maxDepth` may be where it bounds a walk (Q8, Q9)."""


@dataclass(frozen=True, slots=True)
class NodeList:
    """One list of nodes as it is asked for; the node that it belongs to is told apart (`ref`)."""

    kind: Kind
    ask: Ask
    order: Order
    filter: NodeFilter = field(default_factory=NodeFilter)
    levels: int | None = None

    @classmethod
    def of(cls, kind: Kind, arguments: dict[str, Any]) -> NodeList:
        """What a field of that kind asks for with its arguments, by their Python names (Q14, Q47). Raises: BadUserInput."""
        values = {name: given(value) for name, value in arguments.items()}
        most = MOST_DESCENDANTS if kind == "descendants" else MOST
        ask = Ask.of(values.get("first"), values.get("after"), values.get("last"), values.get("before"), most)
        order: NodeOrder | None = values.get("order")
        chosen: NodeFilterInput | None = values.get("filter")
        levels = values.get("max_depth")
        if kind == "chain":
            levels = levels_of(levels)
        elif levels is not None and levels < 1:
            raise BadUserInput("maxDepth", "maxDepth is at least 1.")
        return cls(
            kind=kind,
            ask=ask,
            order=DEFAULT_ORDER[kind] if order is None else Order(order.value),
            filter=NodeFilter() if chosen is None else chosen.to_domain(),
            levels=levels,
        )

    @property
    def is_plain(self) -> bool:
        """Whether it is simply the beginning of the tree's own list."""
        return self.order is Order.TREE and not self.ask.backward and self.is_whole

    @property
    def is_whole(self) -> bool:
        """Whether it has no filter and does not go on from another page."""
        return self.filter.is_empty and not self.has_cursor

    @property
    def has_cursor(self) -> bool:
        """Whether it goes on from another page."""
        return self.ask.after is not None or self.ask.before is not None

    def name(self, reading: Reading, ref: str | None) -> str:
        """Tells this list from every other (Q15)."""
        return list_name(self.kind, reading.at.info.id, ref, self.levels, self.order.value, self.filter, reading.asked)

    def mark(self, reading: Reading, ref: str | None) -> Mark | None:
        """The moment that the cursors carry. Raises: CursorInvalid."""
        return _mark(self.ask, self.name(reading, ref), str) if self.has_cursor else None

    def page(self, reading: Reading, forest: Forest, ref: str | None) -> NodePage:
        """The page, cut from the whole graph. Raises: CursorInvalid, SearchQueryInvalid."""
        rows, given_order = self._rows(forest, ref)
        keeps = reading.test(self.filter, forest)
        after, before = (self._named(text, reading, ref) for text in (self.ask.after, self.ask.before))
        if self.kind == "chain":
            forest = _InThisOrder(rows)
        page = page_of_nodes(forest, rows, given_order, self.order, keeps, self.ask, after, before)
        return NodePage(reading, self, ref, page)

    def page_of(self, reading: Reading, rows: Sequence[ShownRow], ref: str | None) -> NodePage:
        """The page, cut from the list's own rows in tree order; it has no cursor and no filter."""
        page = page_of_nodes(_InThisOrder(rows), rows, Order.TREE, self.order, None, self.ask)
        return NodePage(reading, self, ref, page)

    def page_of_table(self, reading: Reading, table: NodeTable, ref: str | None) -> TablePage | None:
        """The page, cut from the whole graph by columns; None for a list that is not made from columns."""
        found = self._places(table, ref)
        return None if found is None else TablePage(reading, self, ref, table, cut(found, self.ask))

    def _places(self, table: NodeTable, ref: str | None) -> Sequence[int] | None:
        match self.kind, self.order:
            case "nodes", Order.NEWEST:
                return range(table.number)
            case "nodes", Order.TREE:
                return table.tree
            case "roots" | "children", Order.TREE:
                return table.children.get(ref, ())
            case "descendants", Order.TREE:
                return table.below(ref or "", self.levels)
        return None

    def _rows(self, forest: Forest, ref: str | None) -> tuple[Sequence[ShownRow], Order]:
        match self.kind:
            case "nodes":
                return (forest.tree(), Order.TREE) if self.order is Order.TREE else (forest.rows, Order.NEWEST)
            case "roots" | "children":
                return forest.children.get(ref, ()), Order.TREE
            case "descendants":
                return list(below(forest, ref or "", self.levels)), Order.TREE
            case "chain":
                return chain(forest, ref or "", self.levels or MOST_LEVELS), Order.TREE

    def _named(self, text: str | None, reading: Reading, ref: str | None) -> str | None:
        return None if text is None else str(read_cursor(text, self.name(reading, ref), str).key[0])


class _ListedPage(Paged[R]):
    """A page of nodes and where it comes from. Cursors name the list, whose name is made once, and a node's ref."""

    __slots__ = ("_name", "listed", "page", "reading", "ref")

    def __init__(self, reading: Reading, listed: NodeList, ref: str | None, page: Page[R]) -> None:
        self.reading = reading
        self.listed = listed
        self.ref = ref
        self.page = page
        self._name: str | None = None

    def _cursor_at(self, ref: str) -> str:
        if self._name is None:
            self._name = self.listed.name(self.reading, self.ref)
        return write_cursor(self._name, [ref], self.reading.mark)


class NodePage(_ListedPage[ShownRow]):
    """A page of nodes as rows."""

    __slots__ = ()

    def cursor(self, row: ShownRow) -> str:
        """The cursor of one of its rows."""
        return self._cursor_at(row["ref"])

    @property
    def refs(self) -> list[str]:
        """The refs of its rows."""
        return [row["ref"] for row in self.page.rows]


class TablePage(_ListedPage[int]):
    """A page of nodes as places in a table."""

    __slots__ = ("table",)

    def __init__(self, reading: Reading, listed: NodeList, ref: str | None, table: NodeTable, page: Page[int]) -> None:
        super().__init__(reading, listed, ref, page)
        self.table = table

    def cursor(self, row: int) -> str:
        """The cursor of one of its rows."""
        return self._cursor_at(self.table.column("ref")[row])

    @property
    def refs(self) -> list[str]:
        """The refs of its rows."""
        refs = self.table.column("ref")
        return [refs[place] for place in self.page.rows]

    async def in_rows(self) -> NodePage:
        """The same page, of rows."""
        return self.listed.page(self.reading, await self.reading.forest(self.table.stored.keys), self.ref)


@dataclass(frozen=True, slots=True)
class MessageList:
    """A node's messages as they are asked for."""

    ask: Ask

    @property
    def has_cursor(self) -> bool:
        """Whether it goes on from another page."""
        return self.ask.after is not None or self.ask.before is not None

    @classmethod
    def of(cls, arguments: dict[str, Any]) -> MessageList:
        """What the field asks for with its arguments (Q14). Raises: BadUserInput."""
        first, after, last, before = (given(arguments.get(name)) for name in ("first", "after", "last", "before"))
        return cls(Ask.of(first, after, last, before))

    def name(self, reading: Reading, ref: str) -> str:
        """Tells this list from every other (Q15)."""
        return list_name("messages", reading.at.info.id, ref, reading.asked)

    def mark(self, reading: Reading, ref: str) -> Mark | None:
        """The moment that the cursors carry. Raises: CursorInvalid."""
        return _mark(self.ask, self.name(reading, ref), int)

    def page(self, reading: Reading, rows: Sequence[ShownRow], ref: str) -> MessagePage:
        """The page, cut from the node's messages. Raises: CursorInvalid."""
        name = self.name(reading, ref)
        after, before = (None if text is None else read_cursor(text, name, int).key[0] for text in (self.ask.after, self.ask.before))
        positions = [row["position"] for row in rows]
        return MessagePage(reading, name, cut(rows, self.ask, *places(positions, after, before)))


class MessagePage(Paged[ShownRow]):
    """A page of a node's messages."""

    __slots__ = ("_name", "page", "reading")

    def __init__(self, reading: Reading, name: str, page: Page[ShownRow]) -> None:
        self.reading = reading
        self.page = page
        self._name = name

    def cursor(self, row: ShownRow) -> str:
        """The cursor of one of its rows."""
        return write_cursor(self._name, [row["position"]], self.reading.mark)


class _InThisOrder:
    """Rows whose own order is the list's: what a walk gives."""

    def __init__(self, rows: Sequence[ShownRow]) -> None:
        self.rows = rows
        self.by_ref = {row["ref"]: row for row in rows}
        self.children: dict[str | None, Sequence[ShownRow]] = {None: rows}

    def tree(self) -> Sequence[ShownRow]:
        return self.rows


def _mark(ask: Ask, name: str, kind: type) -> Mark | None:
    texts = [text for text in (ask.after, ask.before) if text is not None]
    return read_cursor(texts[0], name, kind).mark if texts else None


def levels_of(value: int | None, default: int = 64) -> int:
    """How many levels or steps a walk may take (Q8, Q9). Raises: BadUserInput."""
    levels = default if value is None else value
    if not 1 <= levels <= MOST_LEVELS:
        raise BadUserInput("maxDepth", f"maxDepth is from 1 to {MOST_LEVELS:,}.")
    return levels
