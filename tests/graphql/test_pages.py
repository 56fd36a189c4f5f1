"""Connections by Relay's cursor specification (Q14-Q17): any page is a slice of the whole list, with exact flags, whichever list it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from app.demo.fleet import fleet
from app.store.connection import Store
from tests.served import Served, account, served

EXAMPLES = 60
LONG_EXAMPLES = 3_000

FIELDS = "totalCount edges { cursor node { %s } } nodes { %s } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }"
"""%s: what names a row."""

NAMES = {
    "nodes": "providerRef", "roots": "providerRef", "children": "providerRef", "descendants": "providerRef", "chain": "providerRef",
    "messages": "messageId", "events": "id", "history": "since", "changes": "nodeId",
}  # fmt: skip

FILTERS = ("", "{kind: AGENT}", "{blocked: false}", '{search: "depth>=1"}')


@dataclass
class Lists:
    """A graph whose lists are asked for, each as it is reached from the graph."""

    door: Served
    key: str
    graph_id: str
    refs: list[str]
    events: list[str]

    async def page(self, path: str, arguments: dict[str, str], **more: Any) -> dict[str, Any]:
        """A page of the list that the path names, such as `node(ref: "a") children`."""
        given = {**arguments, **{name: f'"{value}"' if isinstance(value, str) else str(value) for name, value in more.items()}}
        *above, name = path.split(" > ")
        brackets = f"({', '.join(f'{one}: {value}' for one, value in given.items())})" if given else ""
        inner = f"{name}{brackets} {{ {FIELDS % ((NAMES[name],) * 2)} }}"
        for field in reversed(above):
            inner = f"{field} {{ {inner} }}"
        body = await self.door.ask(self.key, f'{{ graph(id: "{self.graph_id}") {{ {inner} }} }}')
        assert "errors" not in body, body
        found = body["data"]["graph"]
        for field in above:
            found = found and found[field.partition("(")[0]]
        if found is None:
            return {"edges": [], "nodes": [], "totalCount": 0, "pageInfo": None}
        page: dict[str, Any] = found[name]
        return page


@pytest_asyncio.fixture(scope="module")
async def lists(store: Store) -> AsyncIterator[Lists]:
    async with served(store) as door:
        key = await door.key(account())
        events = list(fleet(300, seed=8, keyframe=False))
        graph_id = await door.graph(key, events)
        made = Lists(door, key, graph_id, [], [f"evt_{event['id']}" for event in events])
        made.refs = [node["providerRef"] for node in (await made.page("nodes", {}, first=1000))["nodes"]]
        yield made


@dataclass(frozen=True)
class Cut:
    """Where pages are cut: two places anywhere (taken modulo the list's length), how many rows there, and in which direction."""

    places: tuple[int, int]
    count: str
    size: int
    forward: bool
    large: int


CUTS = st.builds(
    Cut,
    places=st.tuples(st.integers(0, 999), st.integers(0, 999)), count=st.sampled_from(("first", "last")), size=st.integers(0, 5),
    forward=st.booleans(), large=st.integers(0, 999),
)  # fmt: skip


@st.composite
def asked(draw: st.DrawFn, lists: Lists) -> tuple[str, dict[str, str]]:
    """A list, and its arguments."""
    node = f'node(ref: "{draw(st.sampled_from(lists.refs))}")'
    event = draw(st.sampled_from(lists.events))
    moment = f'at(asOf: {{event: "{draw(st.sampled_from(lists.events[len(lists.events) // 2 :]))}"}})'
    paths = (
        "nodes", "roots", "events", f"{node} > children", f"{node} > descendants", f"{node} > messages", f"{node} > events",
        f"{node} > history", f"{node} > blocked > chain", f"{node} > {moment} > descendants",
        f'difference(from: {{event: "{event}"}}) > changes',
    )  # fmt: skip
    path = draw(st.sampled_from(paths))
    name = path.rpartition(" > ")[2]
    arguments: dict[str, str] = {}
    if name in ("nodes", "roots", "children", "descendants"):
        arguments["order"] = draw(st.sampled_from(("TREE", "NEWEST", "ACTIVITY")))
        kept = draw(st.sampled_from(FILTERS))
        arguments |= {"filter": kept} if kept else {}
    elif name in ("events", "history"):
        arguments["order"] = draw(st.sampled_from(("ASC", "DESC")))
    return path, arguments


def examples(config: pytest.Config) -> int:
    """How many lists are looked at."""
    return LONG_EXAMPLES if config.getoption("--long") else EXAMPLES


async def test_any_page_is_a_slice_of_the_list(lists: Lists, pytestconfig: pytest.Config) -> None:
    """Q14, Q15, Q17: between any two cursors, either way, of any size; put together, pages are the list."""
    loop = asyncio.get_running_loop()

    @settings(max_examples=examples(pytestconfig), deadline=None)
    @given(asked(lists), CUTS)
    def looked_at(question: tuple[str, dict[str, str]], cut: Cut) -> None:
        asyncio.run_coroutine_threadsafe(one(lists, *question, cut), loop).result(60)

    await asyncio.to_thread(looked_at)


async def one(lists: Lists, path: str, arguments: dict[str, str], cut: Cut) -> None:
    """One list: a page somewhere in it, and all pages of one size."""
    whole = await lists.page(path, arguments, first=1000)
    cursors = [edge["cursor"] for edge in whole["edges"]]
    rows = [edge["node"] for edge in whole["edges"]]
    assert rows == whole["nodes"]
    assert len(rows) == whole["totalCount"]
    assert len(set(cursors)) == len(cursors)
    if whole["pageInfo"] is None:
        return
    assert whole["pageInfo"] == info(cursors, 0, len(cursors))

    low, high = sorted(place % (len(rows) + 2) - 1 for place in cut.places)
    between = ({"after": cursors[low]} if 0 <= low < len(rows) else {}) | ({"before": cursors[high]} if 0 <= high < len(rows) else {})
    start, end = (low + 1 if "after" in between else 0), (high if "before" in between else len(rows))
    if end >= start:
        page = await lists.page(path, arguments, **between, **{cut.count: cut.size})
        start, end = (start, min(start + cut.size, end)) if cut.count == "first" else (max(end - cut.size, start), end)
        assert page["nodes"] == rows[start:end]
        assert page["pageInfo"] == info(cursors, start, end)
        assert [edge["cursor"] for edge in page["edges"]] == cursors[start:end]

    size = len(rows) // 4 + 1 + cut.large % (len(rows) + 1)
    forward, backward = ("first", "after", "endCursor", "hasNextPage"), ("last", "before", "startCursor", "hasPreviousPage")
    count, cursor, edge, more = forward if cut.forward else backward
    found: list[Any] = []
    place: dict[str, str] = {}
    while True:
        page = await lists.page(path, arguments, **place, **{count: size})
        found = [*found, *page["nodes"]] if count == "first" else [*page["nodes"], *found]
        assert page["totalCount"] == len(rows)
        if not page["pageInfo"][more]:
            break
        place = {cursor: page["pageInfo"][edge]}
    assert found == rows


def info(cursors: list[str], start: int, end: int) -> dict[str, Any]:
    """What a page says of itself that is this slice of the whole list."""
    return {
        "hasNextPage": end < len(cursors),
        "hasPreviousPage": start > 0,
        "startCursor": cursors[start] if start < end else None,
        "endCursor": cursors[end - 1] if start < end else None,
    }
