"""Being told to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def signals(told: Callable[[], None]) -> Iterator[None]:
    """Calls `told` for each SIGINT and SIGTERM, for as long as the context lasts."""
    loop = asyncio.get_running_loop()
    wanted = (signal.SIGINT, signal.SIGTERM)
    try:
        for number in wanted:
            loop.add_signal_handler(number, told)
    except NotImplementedError:  # Windows: Ctrl-C cancels the runner's task
        yield
        return
    try:
        yield
    finally:
        for number in wanted:
            loop.remove_signal_handler(number)
