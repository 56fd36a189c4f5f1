"""Pages by an item's own id (R33, R59) against slices of the whole list."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from app.domain.filters import EventFilter, Range
from app.domain.ids import event_id
from app.services.event_pages import EventPage
from app.services.slices import Cursors, Slice, WrongCursor, events_of, slice_of
from app.store.connection import Store
from tests.grown import Grown, grow, soon
from tests.oracle.times import time_of
from tests.strategies.logs import random_log

LOG = random_log(77, 90)


def cursors(ids: list[str], rng: random.Random) -> Iterator[Cursors]:
    for _ in range(12):
        size = rng.choice([1, 2, 5, 40, 1_000])
        yield Cursors(size)
        if ids:
            yield Cursors(size, after=rng.choice(ids))
            yield Cursors(size, before=rng.choice(ids))


def expected(ids: list[str], asked: Cursors) -> tuple[list[str], bool]:
    """R33, word for word."""
    if asked.after is not None:
        rest = ids[ids.index(asked.after) + 1 :]
        return rest[: asked.size], len(rest) > asked.size
    if asked.before is not None:
        rest = ids[: ids.index(asked.before)]
        return rest[-asked.size :], len(rest) > asked.size
    return ids[: asked.size], len(ids) > asked.size


@pytest.mark.parametrize("length", [0, 1, 7, 60])
def test_a_page_is_a_slice(length: int) -> None:
    """R33: just after, just before, and whether some remain there."""
    ids = [f"id{number}" for number in range(length)]
    for asked in cursors(ids, random.Random(length)):
        found: Slice[str] = slice_of(ids, asked, str)
        assert (list(found.rows), found.has_more) == expected(ids, asked)


@pytest.mark.parametrize(
    ("asked", "after"),
    [(Cursors(1, after="x"), True), (Cursors(1, before="x"), False), (Cursors(1, after="a", before="a"), False)],
)
def test_a_cursor_of_another_list_is_refused(asked: Cursors, after: bool) -> None:
    """R33."""
    with pytest.raises(WrongCursor) as told:
        slice_of(["a", "b"], asked, str)
    assert told.value.after is after


@pytest.fixture(scope="module")
async def grown(store: Store) -> Grown:
    return await grow(store, LOG, pieces=2)


def filters(log: list[dict[str, Any]]) -> list[tuple[EventFilter, Any]]:
    refs = sorted({each["node"] for each in log})
    middle = time_of(log[len(log) // 2]["ts"]) // 1_000_000
    return [
        (EventFilter(), lambda each: True),
        (EventFilter(types=("status", "task.*")), lambda each: each["type"] == "status" or each["type"].startswith("task.")),
        (EventFilter(node=refs[0]), lambda each: each["node"] == refs[0]),
        (EventFilter(created=Range(gte=middle)), lambda each: time_of(each["ts"]) // 1_000_000 >= middle),
    ]


async def test_pages_of_events_are_slices(grown: Grown) -> None:
    """R33, R58: in both orders and through filters; a held event that the filter leaves out is no cursor."""
    rng = random.Random(5)
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    for wanted, keeps in filters(LOG):
        for ascending in (True, False):
            listed = [event_id(each["id"]) for each in LOG if keeps(each)]
            listed = listed if ascending else listed[::-1]
            page = EventPage(1, ascending, filter=wanted)
            for asked in cursors(listed, rng):
                found = await events_of(at, page, asked)
                assert ([event_id(row["id"]) for row in found.rows], found.has_more) == expected(listed, asked)
            for each in LOG:
                if not keeps(each):
                    with pytest.raises(WrongCursor):
                        await events_of(at, page, Cursors(5, after=event_id(each["id"])))
                    break
