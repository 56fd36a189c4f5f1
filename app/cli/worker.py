"""`python -m app.cli.worker`: one of several processes that answer at the same socket, with the store that their parent has started.

Standard input: a line with its order, then a line each time that it is told to stop, and at its end the parent is gone. Standard output: a
line once it answers.
"""

from __future__ import annotations

import asyncio
import pickle
import socket
import sys
from base64 import b64decode, b64encode
from contextlib import suppress

from app.cli.failures import explained
from app.cli.output import note
from app.cli.serving import Serving, run_until_stopped
from app.cli.stop import one_line
from app.services.bundle import Services
from app.settings import Settings

READY = b"ready\n"


def order(settings: Settings, listener: socket.socket) -> bytes:
    """The order to answer by `settings` at `listener`, which the worker is given too. It holds secrets."""
    return b64encode(pickle.dumps((settings, listener.fileno()))) + b"\n"


class Worker(Serving):
    """Answers until it is told to stop, or its parent is gone; a signal of its own has it stop too, and the parent starts another."""

    async def run_for(self, parent: asyncio.StreamReader) -> None:
        """Answers for as long as the parent wants it."""
        hearing = asyncio.create_task(self._hear(parent))
        try:
            await self.run()
        finally:
            hearing.cancel()

    async def _hear(self, parent: asyncio.StreamReader) -> None:
        told = False
        while await parent.readline():
            self.force_exit = told
            told = True
            self._told_to_stop()
        self._told_to_stop()

    def _told_to_stop(self) -> None:
        if not self.should_exit:  # whoever signals all processes at once does not mean that nothing may be finished
            super()._told_to_stop()

    async def _announce(self, services: Services) -> None:
        sys.stdout.buffer.write(READY)
        sys.stdout.flush()


async def work() -> None:
    """Reads the order and carries it out."""
    parent = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(parent), sys.stdin)
    line = await parent.readline()
    if line:
        settings, descriptor = pickle.loads(b64decode(line))  # noqa: S301 - our own parent's, through a pipe of its own
        with socket.socket(fileno=descriptor) as listener, suppress(asyncio.CancelledError):  # stopped before it was ready
            await Worker(settings, listener).run_for(parent)


def main() -> int:
    """Its exit code."""
    try:
        run_until_stopped(work())
    except Exception as error:  # noqa: BLE001 - told to the person who started the gateway
        note(one_line(explained(error)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
