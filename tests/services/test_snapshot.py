"""Whole graphs in memory: their order, what the clock changes, and how many are kept."""

from __future__ import annotations

import asyncio
import random
from time import thread_time
from typing import Any

import pytest

from app.domain.moments import Moment
from app.domain.times import rfc_3339
from app.services import node_order
from app.services.snapshot import NodeTable, SnapshotCache, StoredNodes, shown_row
from app.store.nodes import FULL, KeySet

SECOND = 1_000_000_000
STALE_AFTER = 1_800 * SECOND
LETTERS = ("a", "Ä", "\uff5e", "😀")
"""The last two sort the other way round by code unit than by code point."""


def row(ref: str, parent: str | None = None, created: int = 0, text: str | None = "", placed: int = 0, **values: Any) -> dict[str, Any]:
    return dict.fromkeys(FULL) | {
        "ref": ref, "parent": parent, "created": created, "created_text": text, "placed": placed, "state": "idle", **values,
    }  # fmt: skip


async def stored_nodes(rows: list[dict[str, Any]], keys: KeySet = KeySet.FULL) -> StoredNodes:
    return await StoredNodes.of(keys, [[each[name] for name in keys.columns] for each in rows])


def unit(each: dict[str, Any]) -> bytes:
    return str(each["ref"]).encode("utf-16-be")


def text_of(each: dict[str, Any]) -> str:
    text: str | None = each["created_text"]
    return rfc_3339(each["created"]) if text is None else text


def newest(each: dict[str, Any]) -> tuple[int, bytes]:
    return -each["created"], unit(each)


def some_rows(rnd: random.Random, size: int) -> list[dict[str, Any]]:
    rows = []
    for n in range(size):
        ref = f"acme:{rnd.choice(LETTERS)}{n}"
        parent = rnd.choice(rows)["ref"] if rows and rnd.random() < 0.8 else None
        rows.append(row(ref, parent, rnd.randrange(5), rnd.choice(("", "1970-01", "1970-01-01T00:00:00.002Z", None)), rnd.randrange(10**6)))
    rnd.shuffle(rows)
    return rows


@pytest.mark.parametrize("small", [0, 10_000])
async def test_orders_are_those_of_the_rules(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    """R35, E120, E121: newest first, then by ref in code units; siblings by text and place; roots oldest first. In slices or not."""
    monkeypatch.setattr(node_order, "SMALL", small)
    monkeypatch.setattr(node_order, "RUN", 7)
    rnd = random.Random(3)
    for _ in range(20):
        rows = some_rows(rnd, 60)
        stored = await stored_nodes(rows)
        forest, table = await stored.shown(0, STALE_AFTER), NodeTable(stored, 0, STALE_AFTER)
        refs = table.column("ref")

        def under(parent: str | None, rows: list[dict[str, Any]] = rows) -> list[dict[str, Any]]:
            found = [each for each in rows if each["parent"] == parent]
            if parent is None:
                return sorted(found, key=lambda each: (each["created"], unit(each)))
            return sorted(found, key=lambda each: (text_of(each), each["placed"]))

        def walk(parent: str | None) -> list[str]:
            return [ref for each in under(parent) for ref in (each["ref"], *walk(each["ref"]))]

        assert [each["ref"] for each in forest.rows] == [each["ref"] for each in sorted(rows, key=newest)]
        assert [each["ref"] for each in forest.tree()] == walk(None)
        for parent in (None, *forest.by_ref):
            assert [each["ref"] for each in forest.children.get(parent, ())] == [each["ref"] for each in under(parent)]
            assert [refs[place] for place in table.children.get(parent, ())] == [each["ref"] for each in under(parent)]
            assert [refs[place] for place in table.below(parent, 2)] == [
                each["ref"] for child in under(parent) for each in (child, *under(child["ref"]))
            ]


async def test_the_clock_changes_what_is_shown_and_nothing_that_is_stored() -> None:
    """E113-E115, R28: asking after ten seconds, stale after more than thirty minutes, the same at the same time for ever."""
    at = 10_000 * SECOND
    rows = [
        row("silent", state="working", active_ns=at),
        row("asking", state="working", active_ns=at, asking_ns=at),
        row("waiting", state="working", active_ns=at, blocked_on=["silent"], blocked_node_count=1),
        row("unreadable", state="working"),
        row("idle", active_ns=at),
    ]
    stored = await stored_nodes(rows)

    async def look(seconds: float) -> dict[str, tuple[str, bool, str | None]]:
        time_ns = at + int(seconds * SECOND)
        forest, table = await stored.shown(time_ns, STALE_AFTER), NodeTable(stored, time_ns, STALE_AFTER)
        found = {each["ref"]: (each["state"], each["stale"], each["attention"]) for each in forest.tree()}
        assert found == {each["ref"]: (each["state"], each["stale"], each["attention"]) for each in forest.rows}
        assert found == {ref: (each["state"], each["stale"], each["attention"]) for ref, each in forest.by_ref.items()}
        alone = [shown_row(dict(each), at + int(seconds * SECOND), STALE_AFTER) for each in stored.rows]
        assert found == {each["ref"]: (each["state"], each["stale"], each["attention"]) for each in alone}
        columns = (table.column(name) for name in ("ref", "state", "stale", "attention"))
        assert found == {ref: tuple(shown) for ref, *shown in zip(*columns, strict=True)}
        return found

    plain: dict[str, tuple[str, bool, str | None]] = dict.fromkeys(("silent", "waiting", "unreadable"), ("working", False, None))
    plain["idle"] = ("idle", False, None)
    asks = ("input_required", False, "May be waiting for your approval to run a command")
    for _ in range(2):
        assert await look(9.9) == {**plain, "asking": ("working", False, None)}
        assert await look(10) == {**plain, "asking": asks}
        assert await look(1800) == {**plain, "asking": asks}
        assert await look(1800.001) == {**plain, "asking": asks, "silent": ("working", True, None)}
    first = await stored.shown(at, STALE_AFTER)
    assert await stored.shown(at + SECOND, STALE_AFTER) is first


async def test_only_so_many_nodes_are_kept() -> None:
    """A bounded cache: the graphs not asked for longest make way; more of each node replaces less; a moment's place is its key."""
    cache = SnapshotCache(10)
    moments = [Moment("gph_x", "g", seq, None, 0, 0) for seq in range(4)]

    async def stored(keys: KeySet, size: int) -> StoredNodes:
        return await stored_nodes([row(f"n{n}") for n in range(size)], keys)

    small = await stored(KeySet.CARD, 4)
    cache.put(moments[0], small)
    assert cache.get(moments[0], KeySet.STRUCTURE) is small
    assert cache.get(moments[0], KeySet.FULL) is None
    full = await stored(KeySet.FULL, 4)
    cache.put(moments[0], full)
    cache.put(moments[0], small)
    assert cache.get(moments[0], KeySet.CARD) is full
    cache.put(moments[1], await stored(KeySet.FULL, 4))
    assert cache.get(moments[0], KeySet.FULL) is full
    cache.put(moments[2], await stored(KeySet.FULL, 6))
    assert [cache.get(moment, KeySet.FULL) is not None for moment in moments] == [True, False, True, False]
    cache.put(moments[3], await stored(KeySet.FULL, 11))
    assert cache.get(moments[3], KeySet.FULL) is None
    assert cache.get(Moment("gph_x", "g", 0, None, 5, 0), KeySet.FULL) is full  # whatever the time of judging
    assert cache.get(Moment("gph_x", "g", 0, None, 0, 2), KeySet.FULL) is None


async def test_a_large_graph_is_put_in_order_in_slices() -> None:
    """Issue 3: no slice of work holds the event loop for long; here in the thread's own time, so that busy machines do not count."""
    rnd, size = random.Random(5), 20_000
    rows = [
        row(f"acme:n{n:06d}", None if n < 40 else f"acme:n{rnd.randrange(n):06d}", rnd.randrange(10**9), f"{rnd.randrange(10**9):010d}", n)
        for n in range(size)
    ]
    turns, done = [], False

    async def watch() -> None:
        while not done:
            began = thread_time()
            await asyncio.sleep(0)
            turns.append(thread_time() - began)

    watching = asyncio.create_task(watch())
    stored = await stored_nodes(rows)
    done = True
    await watching
    assert len(stored.tree) == size
    assert len(turns) > 10
