"""The command line as a user has it: processes of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

AGW = [sys.executable, "-m", "app.cli.main"]
ROOT = Path(__file__).parents[2]


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    """This process's variables without settings of the gateway, and with a data directory."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGW_", "NEO4J_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "AGW_DATA_DIR": str(data_dir), "COLUMNS": "200", **more}


def agw(data_dir: Path, *arguments: str, stdin: bytes = b"", seconds: float = 120, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command, run to its end in an empty working directory."""
    folder = next(parent for parent in data_dir.parents if parent.is_dir())  # holds no .env
    done = subprocess.run(
        [*AGW, *arguments], input=stdin, capture_output=True, env=environment(data_dir, **variables), cwd=folder, timeout=seconds
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@dataclass
class Serving:
    """A gateway in a process of its own."""

    process: subprocess.Popen[bytes]
    data_dir: Path
    admin_key: str | None = None
    output: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    url: str = ""
    link: str = ""

    @property
    def key(self) -> str:
        """The operator's key: as the gateway was told, or as it keeps it."""
        return self.admin_key or (self.data_dir / "admin-key").read_text().strip()

    @property
    def workers(self) -> list[psutil.Process]:
        """Those of `--workers`, the oldest first."""
        found = []
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.NoSuchProcess):
                if "app.cli.worker" in child.cmdline():
                    found.append(child)
        return sorted(found, key=psutil.Process.create_time)

    def stop(self, seconds: float = 20) -> int:
        """Tells it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)


@contextmanager
def serving(
    data_dir: Path, *arguments: str, command: str = "serve", seconds: float = 90, wait: bool = True, **variables: str
) -> Iterator[Serving]:
    """`agw serve` on a free port, until it has printed its link (unless `wait` is off); stopped at the end."""
    process = subprocess.Popen(
        [*AGW, command, *(arguments or ("--port", "0"))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(data_dir, **variables),
        cwd=data_dir.parent,
    )
    found = Serving(process, data_dir, variables.get("AGW_ADMIN_KEY"))
    threads = [
        threading.Thread(target=_read, args=(stream, lines), daemon=True)
        for stream, lines in ((process.stdout, found.output), (process.stderr, found.errors))
    ]
    for thread in threads:
        thread.start()
    try:
        until = time.monotonic() + seconds
        while wait and not found.link:
            text = "".join(found.output)
            link = re.search(r"^  Sign in +(\S+)\n", text, re.MULTILINE)
            if link:
                found.link = link[1]
                found.url = re.search(r"^  Address +(\S+)\n", text, re.MULTILINE)[1]  # type: ignore[index]
            elif process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"no gateway (exit code {process.poll()}): {text}{''.join(found.errors)}")
            time.sleep(0.02)
        yield found
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        for thread in threads:
            thread.join(5)


def _read(stream: object, lines: list[str]) -> None:
    for line in stream:  # type: ignore[attr-defined]
        lines.append(line.decode())
