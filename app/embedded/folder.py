"""The store's folder in the data directory: who owns it, its password, what runs in it."""

from __future__ import annotations

import os
import secrets
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path, PurePath
from time import monotonic, sleep

import orjson
import psutil
from filelock import FileLock, Timeout

from app.embedded.problems import ANOTHER_FOLDER, ELSEWHERE, FolderInUse, FolderUnusable

_PROGRAMS = ("agw", "agent-graph-gateway", "app.cli.main")
_KILL_SECONDS = 10.0
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Running:
    """What `store.json` says about the store's process: enough to find it again, no secret."""

    pid: int
    created: float
    port: int
    owner: int
    version: str

    def process(self) -> psutil.Process | None:
        """The process, if it still runs; a later process with the same number is not taken for it."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.created) < 1.0
            return process if same and process.status() != psutil.STATUS_ZOMBIE else None
        except psutil.NoSuchProcess:
            return None

    def ends_within(self, seconds: float) -> bool:
        """Whether the process ends in that time. Nobody may be there to reap it: a zombie has ended."""
        until = monotonic() + seconds
        while self.process() is not None:
            if monotonic() > until:
                return False
            sleep(_POLL_SECONDS)
        return True


class StoreFolder:
    """`DATA_DIR/store`, and the lock that makes one gateway its owner."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.path = data_dir / "store"
        self.log = self.path / "store.log"
        self._lock = FileLock(data_dir / "store.lock", mode=0o600, thread_local=False)

    def own(self) -> None:
        """Make the folder and become its owner until `release`.

        Raises: FolderUnusable, FolderInUse.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self.path.chmod(0o700)
            self._lock.acquire(blocking=False)
        except Timeout as error:
            raise FolderInUse(f"{self._owner()} uses {self.data_dir}: wait for its end, stop it, or {ANOTHER_FOLDER}.") from error
        except OSError as error:
            why = error.strerror or str(error)
            raise FolderUnusable(f"Cannot write to {self.data_dir} ({why}): {ANOTHER_FOLDER}, {ELSEWHERE}.") from error

    def _owner(self) -> str:
        """Who has the folder, as far as it has said so: a note that a dead gateway left behind names nobody."""
        running = self.running()
        if running is None or running.process() is None:
            return "Another gateway or command"
        try:
            words = psutil.Process(running.owner).cmdline()
        except psutil.Error:
            words = []
        asked = [after for word, after in pairwise(words) if PurePath(word).name.removesuffix(".exe") in _PROGRAMS and after.isalpha()]
        return f"{f'agw {asked[0]}' if asked else 'Another program'} (process {running.owner})"

    def release(self) -> None:
        """Stop being the owner."""
        self._lock.release()

    def password(self) -> str:
        """The store's password, made at the first start and kept in a file that only its owner may read."""
        path = self.password_file
        kept = path.read_text(encoding="ascii").strip() if path.exists() else ""
        if kept:
            return kept
        made = secrets.token_urlsafe(32)
        # The server hashes the password into its own file once. Without ours that file is worth nothing.
        (self.path / "config" / "server-users.jsonl").unlink(missing_ok=True)
        _write_private(path, made.encode())
        return made

    @property
    def password_file(self) -> Path:
        """Where the server reads the password: not on its command line, which others can see."""
        return self.path / "password"

    def running(self) -> Running | None:
        """What `store.json` says, if it is there and whole."""
        try:
            return Running(**orjson.loads((self.path / "store.json").read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def note(self, running: Running) -> None:
        """Write `store.json`."""
        _write_private(self.path / "store.json", orjson.dumps(asdict(running)))

    def forget(self) -> None:
        """Remove `store.json`: nothing runs here any more."""
        (self.path / "store.json").unlink(missing_ok=True)

    def keep_one_old_log(self, limit: int) -> None:
        """Put a log of more than `limit` bytes aside, in place of the one before."""
        if self.log.exists() and self.log.stat().st_size > limit:
            self.log.replace(self.log.with_suffix(".log.1"))

    def last_log_line(self) -> str:
        """What the server said last, at most 300 characters."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines() if self.log.exists() else []
        return lines[-1].strip()[:300] if lines else "it said nothing"

    def size(self) -> int:
        """Bytes on disk."""
        return sum(path.stat().st_size for path in self.path.rglob("*") if path.is_file())

    def take_over(self, patience: float) -> None:
        """Wait up to `patience` seconds for a store that a dead gateway left behind, then end it.

        Raises: FolderInUse if it cannot be ended.
        """
        running = self.running()
        if running is None or running.ends_within(patience):
            return
        try:
            if process := running.process():
                process.kill()
        except psutil.Error:
            pass  # gone by now, or not ours to kill: the next line tells
        if not running.ends_within(_KILL_SECONDS):
            raise FolderInUse(f"A store left behind in {self.data_dir} does not end: stop process {running.pid}.")


def _write_private(path: Path, content: bytes) -> None:
    # Beside it first: a reader, or a start after a crash, finds the whole file or the old one.
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
