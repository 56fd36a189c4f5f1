"""The order of a whole graph's nodes: newest first, and under each node its children; long lists in slices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar

from app.domain.times import usual_text
from app.domain.waiting import by_code_unit
from app.store.pace import Pace
from app.store.reading import Values

SMALL = 2_000
"""Up to so many rows are put in order in one piece."""

RUN = 2_000

T = TypeVar("T")

Order: TypeAlias = dict[str | None, list[int]]
"""Under each ref the places of its children in tree order; under None those of the roots."""


async def in_order(names: Sequence[str], rows: list[Values]) -> tuple[dict[str, Sequence[Any]], Order]:
    """The columns of a whole graph's rows, whose values have these names, newest first (R35), and its trees (E120). The list is sorted."""
    pace = Pace() if len(rows) > SMALL else None
    ref = itemgetter(names.index("ref"))
    is_ascii = all(map(str.isascii, map(ref, rows)))
    await _newest_first(rows, itemgetter(names.index("created")), ref if is_ascii else lambda row: by_code_unit(ref(row)), pace)
    columns = await _columns(names, rows, pace)
    return columns, await _children(columns, is_ascii, pace)


async def _newest_first(rows: list[Values], created: Callable[[Values], Any], by_ref: Callable[[Values], Any], pace: Pace | None) -> None:
    """By `created`, latest first, equal ones by ref (R35). Rows come about in that order or its reverse, so refs are looked at last."""
    await _sort(rows, created, pace, reverse=True)
    tied: list[int] = []  # places whose next one is of the same time
    for start in range(0, len(rows), RUN):
        times = pairwise(map(created, rows[start : start + RUN + 1]))
        tied += [start + place for place, (one, following) in enumerate(times) if one == following]
        if pace is not None and pace.due:
            await pace.rest()
    end = 0
    for start in tied:
        if start < end:
            continue
        end = start + 2
        while end < len(rows) and created(rows[end]) == created(rows[start]):
            end += 1
        equal = rows[start:end]
        await _sort(equal, by_ref, pace)
        rows[start:end] = equal
        if pace is not None and pace.due:
            await pace.rest()


async def _columns(names: Sequence[str], rows: list[Values], pace: Pace | None) -> dict[str, Sequence[Any]]:
    if pace is None:
        return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())
    columns: list[list[Any]] = [[] for _ in names]
    for start in range(0, len(rows), RUN):
        for column, values in zip(columns, zip(*rows[start : start + RUN], strict=True), strict=True):
            column += values
        if pace.due:
            await pace.rest()
    return dict(zip(names, columns, strict=True))


async def _children(columns: Mapping[str, Sequence[Any]], is_ascii: bool, pace: Pace | None) -> Order:
    refs, parents, created, texts = (columns[name] for name in ("ref", "parent", "created", "created_text"))
    started: Sequence[Any] = created  # they sort as their usual texts do
    if texts.count(None) < len(texts):
        started = list(map(usual_text, texts, created))
    order = list(zip(started, columns["placed"], strict=True))
    places = list(range(len(refs) - 1, -1, -1))
    await _sort(places, order.__getitem__, pace)  # E120
    children: defaultdict[str | None, list[int]] = defaultdict(list)
    for start in range(0, len(places), RUN):
        for place in places[start : start + RUN]:
            children[parents[place]].append(place)
        if pace is not None and pace.due:
            await pace.rest()
    await _sort(children[None], lambda place: (created[place], refs[place] if is_ascii else by_code_unit(refs[place])), pace)  # R35
    return dict(children)


async def _sort(items: list[T], key: Callable[[T], Any], pace: Pace | None, *, reverse: bool = False) -> None:
    """Sorts in place; a long list in runs first, which the last sort only has to merge."""
    if pace is not None and len(items) > RUN:
        for start in range(0, len(items), RUN):
            items[start : start + RUN] = sorted(items[start : start + RUN], key=key, reverse=reverse)
            if pace.due:
                await pace.rest()
    items.sort(key=key, reverse=reverse)
    if pace is not None and pace.due:
        await pace.rest()
