"""The process between gateway and store: it starts the store, starts it again when it dies, and ends it when the gateway is gone.

It is run as a script of its own (`python -I -S supervisor.py`) and leans on the standard library alone. Standard input: one line of
JSON (`command`, `environment`, `folder`, `log`, `host`, `port`; `patience` and `farewell`: seconds to be ready and to end), then nothing
until it is to stop. Its end, which also comes when the gateway is killed, means stop: that works on every platform. Standard output: a
line of JSON for each event.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

_POLL_SECONDS = 0.02
_YOUNG_SECONDS = 10.0
_SHORTEST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0


def tell(event: str, **facts: Any) -> None:
    """One event for the gateway; if it is gone nobody listens, and standard input has ended too."""
    try:
        sys.stdout.write(json.dumps({"event": event, **facts}) + "\n")
        sys.stdout.flush()
    except OSError:
        return


def end_with_parent() -> Callable[[], None] | None:
    """On Linux, what a child runs first so that the kernel ends it when this process dies, however it dies."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Supervisor:
    """Keeps one store process running until standard input ends."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._prepare = end_with_parent()
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Start, and start again, until told to stop; 1 if the very first start fails."""
        threading.Thread(target=self._stop_at_end, daemon=True).start()
        served = False
        pause = _SHORTEST_PAUSE
        while True:
            began = time.monotonic()
            try:
                process = self._start()
            except OSError as error:
                tell("failed", reason=str(error))
                return 1
            if process is None:
                return 0
            tell("started", pid=process.pid)
            if self._until_ready(process):
                served = True
                tell("ready", pid=process.pid)
            code = process.wait()
            if self._stopping.is_set():
                return 0
            tell("ended", code=code)
            if not served:
                tell("failed", reason=f"exit code {code}")
                return 1
            pause = _SHORTEST_PAUSE if time.monotonic() - began > _YOUNG_SECONDS else min(2 * pause, _LONGEST_PAUSE)
            self._stopping.wait(pause)

    def _start(self) -> subprocess.Popen[bytes] | None:
        with self._starting, open(self._order["log"], "ab") as log:  # noqa: PTH123 - pathlib would double the time to start
            if self._stopping.is_set():
                return None
            self._process = subprocess.Popen(  # noqa: S603 - the command is the gateway's own
                self._order["command"],
                env=self._order["environment"],
                cwd=self._order["folder"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=self._prepare,
            )
            return self._process

    def _until_ready(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether the port opens while the process lives; one that is not ready in time is ended."""
        until = time.monotonic() + self._order["patience"]
        while process.poll() is None and not self._stopping.is_set():
            if time.monotonic() > until:
                self._end(process)
                return False
            try:
                socket.create_connection((self._order["host"], self._order["port"]), timeout=1).close()
            except OSError:
                time.sleep(_POLL_SECONDS)
            else:
                return True
        return False

    def _stop_at_end(self) -> None:
        while sys.stdin.readline():
            pass
        with self._starting:
            self._stopping.set()
        if self._process is not None:
            self._end(self._process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        until = time.monotonic() + self._order["farewell"]
        while process.poll() is None and process.returncode is None:
            if time.monotonic() > until:
                process.kill()
                return
            time.sleep(_POLL_SECONDS)


def main() -> int:
    """Read the order and carry it out. The gateway decides when to stop, not whoever signals the whole group."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # a handler rather than SIG_IGN, which the store would inherit
            signal.signal(getattr(signal, name), lambda *_: None)
    return Supervisor(json.loads(sys.stdin.readline())).run()


if __name__ == "__main__":
    sys.exit(main())
