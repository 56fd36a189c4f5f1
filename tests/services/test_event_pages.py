"""Pages of events against slices of the log (R58, R59, Q14-Q17, Q45)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.domain.filters import EventFilter, Range
from app.domain.moments import AsOf
from app.domain.problems import CursorInvalid, OutsideRetentionWindow
from app.services.event_pages import EventPage
from app.services.graph_at import GraphAt
from app.store.connection import Store
from tests.grown import Grown, grow, soon
from tests.oracle.times import time_of
from tests.strategies.logs import random_log

LENGTH = 320
SHORT = 250
"""The place of the moment that is read at."""


@pytest.fixture(scope="module")
async def grown(store: Store) -> Grown:
    return await grow(store, random_log(41, LENGTH), pieces=3)


def milliseconds(each: dict[str, Any]) -> int:
    return time_of(each["ts"]) // 1_000_000


def filters(log: list[dict[str, Any]]) -> list[EventFilter]:
    refs = sorted({each["node"] for each in log})
    times = [milliseconds(each) for each in log]
    return [
        EventFilter(),
        EventFilter(types=("*",)),
        EventFilter(types=("activity", "task.*", "wait.*")),
        EventFilter(types=()),
        EventFilter(node=refs[0]),
        EventFilter(node=refs[1], types=("status",)),
        EventFilter(created=Range(gte=times[60], lt=times[200])),
        EventFilter(created=Range(gt=times[60], lte=times[200]), types=("activity", "status")),
        EventFilter(root=refs[0]),
        EventFilter(root="acme:nobody"),
    ]


async def kept(at: GraphAt, log: list[dict[str, Any]], wanted: EventFilter) -> list[str]:
    within = None
    if wanted.root is not None:
        within = {row["ref"] for row in await at.descendants(wanted.root)} | ({wanted.root} if await at.node(wanted.root) else set())

    def keeps(each: dict[str, Any]) -> bool:
        types = wanted.types
        typed = types is None or any(t in ("*", each["type"]) or (t.endswith(".*") and each["type"].startswith(t[:-1])) for t in types)
        inside = wanted.created is None or wanted.created.holds(milliseconds(each))
        return typed and inside and wanted.node in (None, each["node"]) and (within is None or each["node"] in within)

    return [each["id"] for each in log[:SHORT] if keeps(each)]


async def test_a_page_is_the_slice_that_it_says_it_is(grown: Grown) -> None:
    """Q14, Q16, Q45: up to the moment; both flags are about the whole filtered list; the count is exact."""
    log, rnd = random_log(41, LENGTH), random.Random(7)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, AsOf(event=log[SHORT - 1]["id"]), soon())
    for wanted in filters(log):
        listed = await kept(at, log, wanted)
        assert await at.event_count(wanted) == len(listed)
        for _ in range(14):
            ascending, backward = rnd.random() < 0.5, rnd.random() < 0.5
            order = listed if ascending else listed[::-1]
            begin, end = sorted((rnd.randrange(-1, len(order)), rnd.randrange(len(order) + 1))) if order else (-1, 0)
            after = order[begin] if begin >= 0 else None
            before = order[end] if end < len(order) else None
            size = rnd.choice((0, 1, 5, 400))
            page = await at.events(EventPage(size, ascending, backward, after, before, wanted))
            low, high = begin + 1, max(end, begin + 1)
            if backward:
                high = end
                low = max(high - size, min(begin + 1, high))
            else:
                high = min(low + size, high)
            where = (wanted, ascending, backward, begin, end, size)
            assert [row["id"] for row in page.rows] == order[low:high], where
            assert (page.has_previous, page.has_next) == (low > 0, high < len(order)), where


@pytest.mark.parametrize("backward", [False, True])
async def test_pages_put_together_are_the_list(grown: Grown, backward: bool) -> None:
    """Q17: whatever the page size and direction."""
    log = random_log(41, LENGTH)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    wanted = EventFilter(types=("status", "activity"))
    listed = [each["id"] for each in reversed(log) if each["type"] in ("status", "activity")]
    found: list[str] = []
    cursor = None
    while True:
        place = {"before" if backward else "after": cursor}
        page = await at.events(EventPage(7, backward=backward, filter=wanted, **place))  # type: ignore[arg-type]
        ids = [row["id"] for row in page.rows]
        found = ids + found if backward else found + ids
        if not (page.has_previous if backward else page.has_next):
            break
        cursor = ids[0] if backward else ids[-1]
    assert found == listed


async def test_a_cursor_that_is_not_held_is_too_old_or_invalid(grown: Grown) -> None:
    """R59: so that a follower that fell behind learns where to start again."""
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    with pytest.raises(OutsideRetentionWindow):
        await at.events(EventPage(5, after="0"))
    with pytest.raises(CursorInvalid):
        await at.events(EventPage(5, before="zzz"))


async def test_an_empty_graph_has_no_events(store: Store) -> None:
    """Q4."""
    grown = await grow(store, [])
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    page = await at.events(EventPage(5))
    assert (page.rows, page.has_next, page.has_previous, await at.event_count()) == ([], False, False, 0)
