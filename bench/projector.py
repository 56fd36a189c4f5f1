"""How long the domain takes for one event: the demo log, and two logs made to be hard (E140)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from statistics import fmean
from time import process_time
from typing import Any

import orjson

from app.demo.adversarial import chain, mutual_waiters
from app.demo.fleet import fleet
from app.domain.envelope import parse_line
from app.domain.history import Batch
from app.domain.projector import Projector
from app.store.intervals import STEP
from bench.results import Result

LIMIT_US = 100.0
"""10,000 events a second."""

FEW_ROWS = 10
_BATCH = 1_000
_PASSES = 3
"""Of the demo log; the quickest counts, since what else a machine has to do only ever makes them slower."""


@dataclass(slots=True)
class Folded:
    """What folding one log took: microseconds of processor time and changed rows, of each event."""

    us: list[float]
    rows: list[int]
    nodes: int

    @property
    def each(self) -> float:
        """Microseconds an event."""
        return fmean(self.us)

    @property
    def each_row(self) -> float:
        """Microseconds a changed row; an event that changed none counts as one."""
        return sum(self.us) / sum(max(rows, 1) for rows in self.rows)

    def after(self, first: int) -> Folded:
        """The same without the first events."""
        return Folded(self.us[first:], self.rows[first:], self.nodes)

    def of_few_rows(self) -> Folded:
        """Only the events that changed at most `FEW_ROWS` rows."""
        kept = [place for place, rows in enumerate(self.rows) if rows <= FEW_ROWS]
        return Folded([self.us[place] for place in kept], [self.rows[place] for place in kept], self.nodes)


def folded(events: Iterable[dict[str, Any]]) -> Folded:
    """Reads and applies a log line by line, as an append does, in batches of 1,000."""
    lines = [orjson.dumps(event) for event in events]
    projector, batch = Projector(), Batch()
    us: list[float] = []
    rows: list[int] = []
    ended = touched = 0
    before = process_time()
    for number, line in enumerate(lines, start=1):
        projector.apply(parse_line(line), number * STEP, batch)
        now = process_time()
        us.append((now - before) * 1e6)
        # a state that began in this event either ended an older one or is the first of its cell
        new_ended, new_touched = len(batch.ended), len(batch.before)
        fresh = sum(1 for state in islice(reversed(batch.before.values()), new_touched - touched) if state is None)
        rows.append(new_ended - ended + fresh)
        ended, touched = new_ended, new_touched
        if number % _BATCH == 0:
            batch, ended, touched = Batch(), 0, 0
        before = process_time()
    return Folded(us, rows, projector.node_count)


def projector(quick: bool) -> list[Result]:
    """The demo log's pace, how the pace holds over its length, and the hard logs against it."""
    events, levels, more = (10_000, 100, 400) if quick else (100_000, 1_000, 1_000)
    log = list(fleet(events, keyframe=False))
    demo = min((folded(log) for _ in range(_PASSES)), key=lambda found: found.each)
    tenth = events // 10
    first, last = fmean(demo.us[:tenth]), fmean(demo.us[-tenth:])
    pace = f"{1e6 / demo.each:,.0f} events/s on {events:,} events, {demo.nodes:,} nodes; the floor is the pace asked for"
    results = [
        Result("projector", "none", demo.each, LIMIT_US, "us/event", 1, pace),
        Result("projector-last-tenth", "none", last, first, "us/event", 1.3, "last tenth against first tenth"),
    ]
    for name, hard, made_in in (
        ("chain", chain(levels, 1 + 2 * levels + more), 1 + 2 * levels),
        ("mutual", mutual_waiters(levels, 4 * levels + more), 4 * levels),
    ):
        results += _hard(name, folded(hard).after(made_in), demo)
    return results


def _hard(name: str, found: Folded, demo: Folded) -> list[Result]:
    few = found.of_few_rows()
    share = f"{len(few.us):,} of {len(found.us):,} events change at most {FEW_ROWS} rows"
    rows = f"{fmean(found.rows):,.0f} rows an event; {found.each:,.0f} us an event, {found.each / demo.each:,.1f} times the demo log's"
    return [
        Result(f"projector-{name}-rows", "none", found.each_row, demo.each_row, "us/row", 20, rows),
        Result(f"projector-{name}-few", "none", few.each if few.us else 0.0, demo.each, "us/event", 20, share),
    ]
