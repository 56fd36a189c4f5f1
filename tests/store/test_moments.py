"""From a time to a place (R26)."""

from __future__ import annotations

import pytest
from neo4j import AsyncGraphDatabase

from app.settings import StoreAddress
from app.store.connection import Store
from app.store.intervals import STEP
from app.store.moments import last_by
from app.store.reading import Reading
from tests.grown import Grown, event, grow, soon

LENGTH = 600


@pytest.fixture(scope="module")
async def grown(store: Store) -> Grown:
    """Events in groups of seven at the same millisecond, then single ones, ten seconds between."""
    return await grow(store, [event(n, "activity", f"n{n % 5}", when(n)) for n in range(LENGTH)])


def when(n: int) -> int:
    return 10_000 * (n // 7 if n < 300 else n - 258)


@pytest.mark.parametrize("off", [-1, 0, 1])
async def test_the_last_event_at_or_before_a_time_is_found(store: Store, grown: Grown, off: int) -> None:
    """R26: all of several at the same millisecond; between two events the earlier."""
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    reading = Reading(store, at.moment, soon())
    first = at.info.first_event_created
    assert first is not None
    times = [when(n) for n in range(LENGTH)]
    assert times == sorted(times)
    for time in sorted(set(times))[:: 7 if off else 3]:
        mark = await last_by(reading, first + time + off, STEP, LENGTH * STEP)
        place = sum(each <= time + off for each in times)
        assert (None if mark is None else mark.seq) == (place * STEP or None)
        assert mark is None or mark.id == f"{place - 1:08d}"


async def test_events_that_do_not_lie_at_multiples_of_the_step_are_found_too(store: Store, store_address: StoreAddress) -> None:
    """Late events share the gap between two places: the search then looks through what it cannot hop over."""
    grown = await grow(store, [event(n, "activity", "n", 1_000 * n) for n in range(300)])
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    async with AsyncGraphDatabase.driver(store_address.uri, auth=(store_address.username, store_address.password)) as driver:
        await driver.execute_query(
            "UNWIND range(1, 299) AS n MATCH (e:Event {g: $g, seq: n * 1024}) SET e.seq = e.seq + 7, e.bucket = (e.seq + 7) / 65536",
            {"g": at.moment.g}, database_=store_address.database,
        )  # fmt: skip
    reading = Reading(store, at.moment, soon())
    first = at.info.first_event_created
    assert first is not None
    for n in (0, 5, 63, 64, 150, 298):
        mark = await last_by(reading, first + 1_000 * n + 500, STEP, 300 * STEP)
        assert mark == ((n + 1) * STEP + 7, f"{n:08d}")
