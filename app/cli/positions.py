"""What `agw follow` remembers from one run to the next: the graph that some paths go into, and how far their files were read (O6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from app.cli.stop import Stop
from app.cli.tails import Read
from app.opening import make_data_dir
from app.services.operator_key import write_private
from app.settings import Settings

FOLDER = "follow"


class Followed(msgspec.Struct, frozen=True):
    """The file's content."""

    graph: str
    paths: list[str]
    read: Read


class Memory:
    """The file of one set of paths in a data directory, replaced as a whole."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def recall(self) -> Followed | None:
        """What was kept; None if there is nothing that can be read."""
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=Followed)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def keep(self, followed: Followed) -> None:
        """Keeps this in place of what was there."""
        write_private(self._file, msgspec.json.encode(followed).decode())


@contextmanager
def memory(settings: Settings, paths: Sequence[Path]) -> Iterator[Memory]:
    """The memory of these paths and this gateway or store, which nobody else uses meanwhile. Raises: Stop, SettingsProblem."""
    make_data_dir(settings.data_dir)
    folder = settings.data_dir / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    where = settings.url or settings.neo4j_uri or ""
    file = folder / f"{sha256(chr(0).join([where, *sorted(map(str, paths))]).encode('utf-8', 'surrogateescape')).hexdigest()[:32]}.json"
    lock = FileLock(file.with_suffix(".lock"), blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise Stop(f"Another agw follow has {', '.join(map(str, paths[:3]))}: stop that first.") from None
    try:
        yield Memory(file)
    finally:
        lock.release()
