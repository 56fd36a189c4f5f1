"""Making what lets the embedded store start faster: one of its own is started, readied and stopped, once for each installation.

`python -m app.training` makes it, if it is not there. A gateway that serves has it made beside it, at the lowest priority.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import structlog
from filelock import FileLock, Timeout

from app.embedded import EmbeddedStore
from app.embedded.installation import find_installation
from app.embedded.problems import EmbeddedProblem
from app.embedded.start_cache import drop_older, start_cache, usable_cache
from app.embedded.supervisor import end_with_parent
from app.store.connection import Store
from app.store.deadline import Deadline
from app.store.migrations import migrate
from app.store.problems import StoreProblem
from app.store.warming import warm

_LOWEST = 19
_MAKING = "making-"
_STEP_SECONDS = 120.0

log = structlog.get_logger(__name__)


def train() -> None:
    """Makes the file, if it is not there and nobody else is making one. Raises: EmbeddedProblem, StoreProblem, OSError."""
    installation = find_installation()
    wanted = start_cache(installation)
    if wanted.is_file():
        return
    wanted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with FileLock(wanted.parent / "making.lock", blocking=False):
            for left in wanted.parent.glob(f"{_MAKING}*"):
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=_MAKING, dir=wanted.parent) as name:
                made = Path(name) / wanted.name
                asyncio.run(_readied(Path(name), made))
                made.replace(wanted)
                drop_older(installation)
    except Timeout:
        return


async def _readied(folder: Path, made: Path) -> None:
    """Lets Java see what every start does, migrations and all statements, and write `made` when it ends."""
    task = asyncio.current_task()
    assert task is not None
    with suppress(NotImplementedError):  # on Windows, where nobody is asked to end
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    embedded = EmbeddedStore(folder, train=made)
    try:
        store = await Store.open(await embedded.start())
        try:
            await migrate(store, Deadline.after(_STEP_SECONDS))
            await warm(store, Deadline.after(_STEP_SECONDS))
        finally:
            await store.close()
        await embedded.stop()
    except BaseException:
        embedded.abandon()
        embedded.stop_now()
        raise


@asynccontextmanager
async def training(embedded: EmbeddedStore | None) -> AsyncIterator[None]:
    """Has the file made by a process of its own, if this gateway has an embedded store and started it without one.

    That process ends with the context, whether or not it is done: the next gateway begins anew.
    """
    if embedded is None or usable_cache(find_installation()) is not None:
        yield
        return
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app.training", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=end_with_parent(),
    )  # fmt: skip
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def main() -> int:
    """Exit code 1 if it cannot be made here: stores start without it."""
    if hasattr(os, "nice"):
        os.nice(_LOWEST)
    try:
        train()
    except asyncio.CancelledError:
        return 1
    except (EmbeddedProblem, StoreProblem, OSError) as problem:
        log.warning("embedded store: starts are not made faster", problem=str(problem))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
