"""Pages of events: from either end, of a node, of types; over many buckets."""

from __future__ import annotations

from typing import Any

import pytest

from app.store import events
from app.store.connection import Store
from app.store.events import Stretch, Types, windows
from app.store.intervals import STEP
from app.store.reading import Reading
from tests.grown import Grown, grow, soon
from tests.strategies.logs import random_log

LENGTH = 900


@pytest.fixture(scope="module")
async def grown(store: Store) -> Grown:
    return await grow(store, random_log(31, LENGTH), pieces=2)


async def reading_of(store: Store, grown: Grown) -> Reading:
    at = await grown.graphs.at(grown.viewer, grown.graph_id, None, soon())
    return Reading(store, at.moment, soon())


@pytest.mark.parametrize("types", [None, Types(("activity",)), Types(("status",), ("task.", "wait.")), Types(("no.such",))])
@pytest.mark.parametrize("about", [None, "most", "least"])
async def test_a_page_is_the_beginning_or_the_end_of_a_stretch(store: Store, grown: Grown, types: Types | None, about: str | None) -> None:
    """R58: newest or oldest first, filtered, cut to the limit; the count is that of all."""
    reading = await reading_of(store, grown)
    log: list[tuple[int, Any]] = [((n + 1) * STEP, each) for n, each in enumerate(random_log(31, LENGTH))]
    refs = [each["node"] for _, each in log]
    ref = None if about is None else (max if about == "most" else min)(sorted(set(refs)), key=refs.count)

    def keeps(each: dict[str, Any]) -> bool:
        typed = types is None or each["type"] in types.exact or each["type"].startswith(types.families or ("\0",))
        return typed and (ref is None or each["node"] == ref)

    for low, high in ((STEP, LENGTH * STEP), (100 * STEP + 1, 700 * STEP - 1), (300 * STEP, 301 * STEP), (9 * STEP, 8 * STEP)):
        stretch = Stretch(low, high, types, ref)
        wanted = [each["id"] for seq, each in log if low <= seq <= high and keeps(each)]
        assert await events.count(reading, stretch) == len(wanted)
        for limit in (0, 1, 40, 2_000):
            down = await events.page(reading, stretch, limit, down=True)
            assert [row["id"] for row in down] == wanted[::-1][:limit]
            up = await events.page(reading, stretch, limit, down=False)
            assert [row["id"] for row in up] == wanted[:limit]


async def test_events_are_found_by_their_own_ids(store: Store, grown: Grown) -> None:
    """R60: those that are held, whole."""
    reading = await reading_of(store, grown)
    log = random_log(31, LENGTH)
    found = await events.by_id(reading, [log[0]["id"], log[500]["id"], "not held"])
    assert set(found) == {log[0]["id"], log[500]["id"]}
    row = found[log[500]["id"]]
    assert (row["seq"], row["type"], row["ref"], row["ts"]) == (501 * STEP, log[500]["type"], log[500]["node"], log[500]["ts"])
    assert await events.by_id(reading, []) == {}


@pytest.mark.parametrize(("low", "high"), [(0, 0), (STEP, 65_535), (65_535, 65_536), (1, 40 << 16)])
@pytest.mark.parametrize("down", [False, True])
def test_windows_cover_each_bucket_once(low: int, high: int, down: bool) -> None:
    """Whatever their width: no place of the stretch is left out or looked at twice, and the nearest come first."""
    buckets = [bucket for window in windows(low, high, down, 3, 16) for bucket in window]
    wanted = list(range(low >> 16, (high >> 16) + 1))
    assert buckets == (wanted[::-1] if down else wanted)
