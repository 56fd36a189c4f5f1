"""Workers that share a test run: each has its engine, and what measures time runs while no other worker runs anything."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from xdist.scheduler import LoadScopeScheduling

ENGINES = ("embedded", "neo4j")


@contextmanager
def turn(*, alone: bool) -> Iterator[None]:
    """For the time of a test: alone, or beside others that are not. Without other workers it is nothing.

    Whoever wants to be alone keeps the door shut while waiting for those inside; otherwise new ones would come for ever.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        yield
        return
    door, room = (Path(gettempdir()) / f"agw-tests-{run}.{name}" for name in ("door", "room"))
    with room.open("w") as inside:
        with door.open("w") as waiting:
            fcntl.flock(waiting, fcntl.LOCK_EX)
            fcntl.flock(inside, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


class ByEngine(LoadScopeScheduling):
    """Which tests go to one worker: all on one engine, so that each starts one; of the rest those of one file, which set up together."""

    def _split_scope(self, nodeid: str) -> str:
        path, _, name = nodeid.partition("::")
        values = name.partition("[")[2].rstrip("]").split("-")
        return next((engine for engine in ENGINES if engine in values), path)
