"""listNodes, searchNodes and retrieveNode (R44-R46, R52-R56)."""

from __future__ import annotations

from app.domain.filters import NodeFilter
from app.domain.ids import node_id, node_ref
from app.domain.problems import CursorInvalid, OutsideRetentionWindow
from app.domain.search import search
from app.rest.call import Answer, Call, Plan
from app.rest.errors import Refused
from app.rest.expand import Form
from app.rest.expanding import Expanding, envelope
from app.rest.grammar import invalid
from app.rest.shown import as_of_event_id
from app.rest.urls import encoded, pinned_url
from app.services.cursors import Mark, Place, list_name, read_cursor, write_cursor
from app.services.graph_at import GraphAt
from app.services.lists import Order, in_order, kept
from app.services.slices import slice_of

_ALONE = Form("node")
_LISTED = Form("node", in_list=True)
_SEARCH = list_name("search")


def list_nodes(call: Call) -> Plan:
    """Nodes at the point, filtered, in order, cut."""
    asked = call.asked
    tree = _LISTED.read(asked.get("expand", ()))
    refs = call.refs("parent_id", "ancestor_id", "root_id", "session_id")
    if "max_depth" in asked.values and refs["ancestor_id"] is None:
        raise invalid("max_depth", "max_depth goes with ancestor_id.")
    states = asked.get("state")
    wanted = NodeFilter(
        parent=refs["parent_id"],
        ancestor=refs["ancestor_id"],
        root=refs["root_id"],
        session=refs["session_id"],
        state=None if states is None else tuple(states),
        **{name: asked.get(name) for name in _AS_SENT},
    )

    async def read(at: GraphAt) -> Answer:
        forest = await at.snapshot()
        in_tree = asked.get("order") == "tree"
        rows = kept(forest.tree() if in_tree else forest.rows, wanted.compile(forest))
        page = slice_of(rows, call.cursors, lambda row: node_id(row["ref"]))
        as_of = as_of_event_id(at)
        data = await Expanding(at).nodes(page.rows, tree)
        return Answer(envelope(pinned_url(call.path, asked.pairs, as_of), as_of, page.has_more, data), at.moment.fixed)

    return Plan(read)


_AS_SENT = ("max_depth", "is_root", "kind", "provider", "agent_type", "stale", "blocked", "created", "last_event")


def search_nodes(call: Call) -> Plan:
    """Nodes that a query finds, most recently active first; later pages are of the first one's moment (R55)."""
    asked = call.asked
    query = asked.get("query")
    if query is None:
        raise Refused("parameter_missing", "query says what to look for.", "query")
    keeps = search(query, "query")
    tree = _LISTED.read(asked.get("expand", ()))
    place = _place(asked.get("page"))

    async def read(now: GraphAt) -> Answer:
        at, begin, fixed = await _page_at(now, place)
        forest = await at.snapshot()
        found = in_order(kept(forest.rows, keeps), Order.NEWEST, Order.ACTIVITY, forest)
        end = begin + call.limit
        following = None
        if end < len(found):
            following = write_cursor(_SEARCH, [end, fixed], Mark(at.moment.event, at.moment.time_ns))
        body = {
            "object": "search_result",
            "url": encoded(call.path, [("query", query)]),
            "as_of_event_id": as_of_event_id(at),
            "has_more": following is not None,
            "next_page": following,
            "total_count": len(found),
            "data": await Expanding(at).nodes(found[begin:end], tree),
        }
        return Answer(body, fixed)

    return Plan(read, now=place is not None)


def retrieve_node(call: Call) -> Plan:
    """One node at the point."""
    tree = _ALONE.read(call.asked.get("expand", ()))
    ref = node_ref(call.named["node_id"])
    if ref is None:
        raise call.missing("node_id")

    async def read(at: GraphAt) -> Answer:
        row = await at.node_or_problem(ref)
        [shown] = await Expanding(at, call.asked.get("descendants_max_depth")).nodes([row], tree)
        return Answer(shown, at.moment.fixed)

    return Plan(read)


def _place(page: str | None) -> Place | None:
    if page is None:
        return None
    try:
        found = read_cursor(page, _SEARCH, int, bool)
    except CursorInvalid as problem:
        raise invalid("page", problem.message) from problem
    if found.mark is None or found.key[0] < 0:
        raise invalid("page", "This is not a page of a search.")
    return found


async def _page_at(at: GraphAt, place: Place | None) -> tuple[GraphAt, int, bool]:
    """The graph at a page's moment, the page's first place, and whether that moment is an event's. `at`: where the first page begins."""
    if place is None or place.mark is None:
        return at, 0, at.moment.fixed
    begin, fixed = place.key
    try:
        return await at.at_mark(place.mark.event, place.mark.time_ns), begin, fixed
    except OutsideRetentionWindow as problem:
        raise invalid("page", "The event of that page's moment is no longer held.") from problem
