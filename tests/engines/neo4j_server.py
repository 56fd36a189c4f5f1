"""A Neo4j Community of the tests' own, without Docker: a process on loopback that can be killed and started again where it was."""

from __future__ import annotations

import os
import secrets
import subprocess
from pathlib import Path

from app.embedded.command import free_port
from app.embedded.supervisor import end_with_parent
from app.settings import StoreAddress
from tests.engines.answers import ask, wait_for
from tests.engines.jars import jars, java

HEAP_MIB = 512
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent", "java.lang")
_INITIAL = ("neo4j", "neo4j")
_SETTINGS = {
    "server.memory.heap.initial_size": "256m",
    "server.memory.heap.max_size": f"{HEAP_MIB}m",
    "server.memory.pagecache.size": "64m",
    "server.default_listen_address": "127.0.0.1",
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "dbms.usage_report.enabled": "false",
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.size": "16m",
    "db.tx_log.rotation.retention_policy": "keep_none",
}


class Neo4jServer:
    """One server with its files in `folder`. The address is the same for as long as the object lives.

    Raises: MissingError where the machine has no Java for it, or the jars cannot be had.
    """

    def __init__(self, folder: Path) -> None:
        self._home = folder
        self._log = folder / "console.log"
        self._port = free_port()
        self._password = secrets.token_urlsafe(16)
        self._process: subprocess.Popen[bytes] | None = None
        self._new = True
        self._command = [
            java(),
            "-Xms256m",
            f"-Xmx{HEAP_MIB}m",
            "-XX:TieredStopAtLevel=1",  # it lives for minutes: half the time to start, and no compiler that takes a core from the tests
            "-XX:+UseG1GC",
            "-XX:+ExitOnOutOfMemoryError",
            *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
            "-cp",
            f"{jars()}{os.sep}*",
            "org.neo4j.server.CommunityEntryPoint",
            f"--home-dir={folder}",
            f"--config-dir={folder / 'conf'}",
        ]
        settings = {**_SETTINGS, "server.bolt.listen_address": f"127.0.0.1:{self._port}"}
        (folder / "conf").mkdir(parents=True)
        (folder / "conf" / "neo4j.conf").write_text("".join(f"{name}={value}\n" for name, value in settings.items()))

    @property
    def address(self) -> StoreAddress:
        """Where it is, or will be."""
        return StoreAddress(f"bolt://127.0.0.1:{self._port}", "neo4j", self._password, None)

    def start(self) -> None:
        """Starts it, and waits until it has answered a statement."""
        self.revive()
        wait_for(self._attempt, lambda: self._running.poll() is None, self._log.read_text)

    def revive(self) -> None:
        """Starts it, without waiting."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, cwd=self._home, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=end_with_parent()
            )

    def kill(self) -> None:
        """Ends it without warning, by its pid."""
        self._running.kill()
        self._running.wait()

    def stop(self) -> None:
        """Ends it. Nobody will want its files: a clean end would take seconds."""
        if self._process is not None and self._process.poll() is None:
            self.kill()

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "not started"
        return self._process

    def _attempt(self) -> None:
        if self._new:
            text = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
            ask(self.address.uri, _INITIAL, text, "system", old=_INITIAL[1], new=self._password)
            self._new = False
        ask(self.address.uri, ("neo4j", self._password), "RETURN 1")
