"""Workers of one test run that keep out of each other's way: what measures time runs while no other worker runs anything."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir


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
