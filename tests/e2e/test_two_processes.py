"""What one process appends, read back by another at every moment, against the naive fold of the log (hypothesis)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any
from uuid import uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.moments import AsOf
from app.services.appending import Appends
from app.services.projectors import Projectors
from app.services.viewer import ALL_SCOPES, Viewer
from app.settings import StoreAddress
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.migrations import migrate
from tests.grown import CLOCK_MS, reader, soon
from tests.oracle import log_of, state_after
from tests.services.test_graph_at import whole
from tests.strategies.logs import logs

LOGS = 10
LONG_LOGS = 300
MOST_EVENTS = 25

Envelopes = list[dict[str, Any]]


class SecondProcess:
    """The reader of `tests.e2e.second_process`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def states(self, account: str, graph_id: str, events: list[str]) -> list[dict[str, Any]]:
        """The state as of each of these events."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"account": account, "graph": graph_id, "events": events}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the second process ended with {self._process.wait()}"
        return list(json.loads(line))


@contextmanager
def second_process(address: StoreAddress) -> Iterator[SecondProcess]:
    """Started, and ended at the end of its input."""
    command = [sys.executable, "-m", "tests.e2e.second_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(asdict(address)) + "\n")
        yield SecondProcess(process)
        process.stdin.close()
        assert process.wait(20) == 0


async def check(store: Store, second: SecondProcess, events: Envelopes, pieces: list[int]) -> None:
    """Appends `events` in runs of so many, and after each compares the state as of every event so far, read here and there."""
    viewer = Viewer(f"acc_{uuid4().hex}", ALL_SCOPES, key_id="first")
    graph_id = (await reader(store).create(viewer, None, "watch", 0, soon())).id
    log = log_of(events)
    wanted = [json.loads(json.dumps(state_after(log, n))) for n in range(1, len(log.events) + 1)]
    done = 0
    for size in pieces:
        lines = [json.dumps(event, ensure_ascii=False).encode() for event in log.events[done : done + size]]
        if not lines:
            break
        appends = Appends(store, Projectors(store), lambda: CLOCK_MS)  # nothing kept from the append before
        await appends.append(viewer, graph_id, lines, soon())
        done += len(lines)
        own_ids = [event["id"] for event in log.events[:done]]
        there = await asyncio.to_thread(second.states, viewer.account, graph_id, own_ids)
        for n, own_id in enumerate(own_ids):
            here = await whole(await reader(store, snapshot_cache_nodes=0).at(viewer, graph_id, AsOf(event=own_id), soon()))
            assert json.loads(json.dumps(here)) == wanted[n], f"here, after {done} events, as of event {n + 1}"
            assert there[n] == wanted[n], f"there, after {done} events, as of event {n + 1}"
    assert done == len(log.events)


def test_every_moment_after_every_append_is_the_naive_fold_in_this_and_in_another_process(store_address: StoreAddress, long: bool) -> None:
    """E13, R25: with caches cleared and through a second process, for generated logs appended in runs of any size."""
    sizes = st.lists(st.integers(1, 12), min_size=1, max_size=6)
    checked = 0

    with asyncio.Runner() as runner, second_process(store_address) as second:
        store = runner.run(Store.open(store_address, patience=90))
        try:
            runner.run(migrate(store, Deadline.after(120)))

            @settings(max_examples=LONG_LOGS if long else LOGS, deadline=None)
            @given(logs(max_events=MOST_EVENTS), sizes)
            def each(events: Envelopes, pieces: list[int]) -> None:
                nonlocal checked
                checked += 1
                runner.run(check(store, second, events, [*pieces, len(events)]))

            each()
        finally:
            runner.run(store.close())
    assert checked >= LOGS
