"""The embedded store as the gateway sees it: start it, know where it is, stop it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import psutil
import structlog

from app.embedded import start_cache, supervisor
from app.embedded.command import DATABASE, HOST, USERNAME, free_port, java_command, java_environment
from app.embedded.folder import Running, StoreFolder
from app.embedded.installation import find_installation
from app.embedded.problems import ELSEWHERE, FolderInUse, StartFailed
from app.settings import StoreAddress

ORPHAN_SECONDS = 10.0
START_SECONDS = 60.0
STOP_SECONDS = 8.0
TRAINED_SECONDS = 300.0
"""The same where the file for `start_cache` is made at the end."""
MEMORY_MIB = 1024
STATEMENT_SECONDS = 25.0

_LONGER = 7.0
"""Seconds that the supervisor may take besides to end the store."""
_OLD_LOG_BYTES = 5_000_000

log = structlog.get_logger(__name__)


class EmbeddedStore:
    """The graph database in a process of its own, on the loopback interface, with its files in `data_dir`.

    While it is started, a process that dies is started again at the same address. It ends when `stop` is called, and by itself
    when the gateway is killed (O22).
    """

    def __init__(
        self,
        data_dir: Path,
        memory_mib: int = MEMORY_MIB,
        statement_seconds: float = STATEMENT_SECONDS,
        orphan_seconds: float = ORPHAN_SECONDS,
        train: Path | None = None,
    ) -> None:
        """`train`: a file that Java makes of this run when it ends, for `start_cache`."""
        self.folder = StoreFolder(data_dir)
        self.restarts = 0
        self._memory_mib = memory_mib
        self._statement_seconds = statement_seconds
        self._orphan_seconds = orphan_seconds
        self._train = train
        self._stop_seconds = STOP_SECONDS if train is None else TRAINED_SECONDS
        self._supervisor: subprocess.Popen[str] | None = None
        self._stopping = False
        self._changing = threading.Lock()
        self._ready = threading.Event()
        self._failure: str | None = None
        self._pid: int | None = None
        self._port = 0

    async def start(self) -> StoreAddress:
        """Start the store and wait until its port is open; statements may need a moment longer (`Store.open` waits for them).

        Raises: NotInstalled, FolderUnusable, FolderInUse, StartFailed.
        """
        return await asyncio.to_thread(self.start_now)

    async def stop(self) -> None:
        """End the store cleanly and give the data directory free."""
        await asyncio.to_thread(self.stop_now)

    def start_now(self) -> StoreAddress:
        """`start` for callers without an event loop, such as the parent of several workers."""
        installation = find_installation()
        self.folder.own()
        self._stopping = False
        self._ready.clear()
        self._failure = None
        try:
            self.folder.take_over(self._orphan_seconds)
            self.folder.keep_one_old_log(_OLD_LOG_BYTES)
            password = self.folder.password()
            self._port = free_port()
            ports = (self._port, free_port())
            self._order = {
                "command": java_command(
                    installation,
                    self.folder.path,
                    self.folder.password_file,
                    ports,
                    self._memory_mib,
                    self._statement_seconds,
                    start_cache.options(installation, self._train),
                ),
                "environment": java_environment(),
                "folder": str(self.folder.path),
                "log": str(self.folder.log),
                "host": HOST,
                "port": self._port,
                "patience": START_SECONDS,
                "farewell": self._stop_seconds,
            }
            self.version = installation.version
            self._supervise()
            self._wait_until_ready()
        except BaseException:
            self.stop_now()
            raise
        self.address = StoreAddress(f"bolt://{HOST}:{self._port}", USERNAME, password, DATABASE)
        return self.address

    def stop_now(self) -> None:
        """`stop` for callers without an event loop."""
        with self._changing:
            self._stopping = True
        if self._supervisor is not None:
            assert self._supervisor.stdin is not None
            self._supervisor.stdin.close()
            try:
                self._supervisor.wait(self._stop_seconds + _LONGER)
            except subprocess.TimeoutExpired:
                self._supervisor.kill()
            self._listener.join(self._stop_seconds + _LONGER)
            self._supervisor = None
            self.folder.forget()
        self.folder.release()

    def abandon(self) -> None:
        """Ends the store at once, whatever it is doing: for one whose files nobody wants. `stop` follows."""
        with self._changing:
            self._stopping = True
        if self._supervisor is not None:
            self._supervisor.kill()
        with suppress(psutil.Error):
            if self._pid is not None:
                psutil.Process(self._pid).kill()

    @property
    def pid(self) -> int | None:
        """The store's process."""
        return self._pid

    def _supervise(self) -> None:
        self._supervisor = subprocess.Popen(  # noqa: S603 - our own script
            [sys.executable, "-I", "-S", str(Path(supervisor.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is for the gateway, which stops the store when it has drained
        )
        assert self._supervisor.stdin is not None
        self._supervisor.stdin.write(json.dumps(self._order) + "\n")
        self._supervisor.stdin.flush()
        self._listener = threading.Thread(target=self._listen, args=(self._supervisor,), name="embedded-store", daemon=True)
        self._listener.start()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._heard(json.loads(line))
        if not self._ready.is_set():
            self._failure = self._failure or "its supervisor ended"
            self._ready.set()
            return
        with self._changing:
            if not self._stopping:
                self.restarts += 1
                log.error("embedded store: its supervisor ended, starting another")
                self._end_store()
                self._supervise()

    def _heard(self, event: dict[str, object]) -> None:
        match event:
            case {"event": "started", "pid": int(pid)}:
                self._started(pid)
            case {"event": "ready"}:
                self._ready.set()
            case {"event": "ended", "code": code}:
                if self._ready.is_set():
                    self.restarts += 1
                    log.error("embedded store: ended, starting it again", code=code, log=str(self.folder.log))
            case {"event": "failed", "reason": reason}:
                self._failure = str(reason)

    def _started(self, pid: int) -> None:
        self._pid = pid
        try:
            created = psutil.Process(pid).create_time()
            self.folder.note(Running(pid=pid, created=created, port=self._port, owner=os.getpid(), version=self.version))
        except psutil.NoSuchProcess:
            return
        except OSError as error:
            log.warning("embedded store: cannot write store.json", error=error.strerror)

    def _end_store(self) -> None:
        try:
            self.folder.take_over(0)
        except FolderInUse as problem:
            log.error("embedded store: its process does not end", problem=str(problem))

    def _wait_until_ready(self) -> None:
        if not self._ready.wait(START_SECONDS + ORPHAN_SECONDS):
            self._failure = "no answer in time"
        if self._failure is not None:
            said = self.folder.last_log_line()
            raise StartFailed(f"The embedded store did not start ({self._failure}; {said}): see {self.folder.log}, {ELSEWHERE}.")
