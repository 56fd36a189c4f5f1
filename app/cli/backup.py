"""The folder that `agw export --all` writes: a file of events for each graph, and an index, which comes last (O37).

A file has its name once it is whole; a folder without the index is an export that was cut off.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import msgspec

from app.cli.stop import Stop
from app.domain.card import Card

INDEX = "index.json"
UNFINISHED = ".part"

_BLOCK = 1 << 20
_Number = Annotated[int, msgspec.Meta(ge=0)]


class Entry(Card, frozen=True, kw_only=True):
    """A graph of an export: its card, its file, and what makes sure that the file is whole. `lines` counts a base's lines too."""

    file: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\.jsonl\Z")]
    lines: _Number
    bytes: _Number
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """What an export holds; `exported` is when it was made, Unix ms."""

    format: Literal["agent-graph-gateway export"] = "agent-graph-gateway export"
    version: Literal[1] = 1
    exported: _Number
    graphs: list[Entry]


class Written:
    """A file on its way: what was written, and its digest."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.restart()

    def restart(self) -> None:
        """Forgets what was written."""
        self._stream.seek(0)
        self._stream.truncate()
        self.lines = self.bytes = 0
        self._digest = sha256()

    def write(self, piece: bytes) -> None:
        """Some whole or broken lines."""
        self._stream.write(piece)
        self._digest.update(piece)
        self.bytes += len(piece)
        self.lines += piece.count(b"\n")

    @property
    def sha256(self) -> str:
        """Of all that was written."""
        return self._digest.hexdigest()


def new_folder(text: str) -> Path:
    """A folder for an export: made, or empty. Raises: Stop."""
    if not text.strip():
        raise Stop("--all: an empty name is no folder.", 2)
    folder = Path(text)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        there = next(folder.iterdir(), None)
    except FileExistsError as error:
        raise Stop(f"{text} is a file: name a new or empty folder.") from error
    except OSError as error:
        raise _not_written(folder, error) from error
    if there is not None:
        cut_off = not (folder / INDEX).exists() and all(each.suffix in (".jsonl", UNFINISHED) for each in folder.iterdir())
        what = "holds an export that was cut off: delete it, or" if cut_off else "is not empty:"
        raise Stop(f"{text} {what} name a new or empty folder.")
    return folder


@contextmanager
def written(path: Path) -> Iterator[Written]:
    """A file of this name, for its owner alone, once the context has ended without an error; else there is nothing. Raises: Stop."""
    part = path.with_name(path.name + UNFINISHED)
    try:
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
            yield Written(stream)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except OSError as error:
        raise _not_written(path.parent, error) from error
    finally:
        part.unlink(missing_ok=True)


def write_index(folder: Path, index: Index) -> None:
    """Makes the folder's files an export. Raises: Stop."""
    with written(folder / INDEX) as file:
        file.write(msgspec.json.format(msgspec.json.encode(index), indent=1) + b"\n")


def read_index(text: str) -> tuple[Path, Index]:
    """The folder of an export, and what it holds. Raises: Stop."""
    folder = Path(text)
    if not text.strip() or not folder.is_dir():
        raise Stop(f"{text or '--all'}: no such folder. Name one that agw export --all wrote.")
    try:
        index = msgspec.json.decode((folder / INDEX).read_bytes(), type=Index)
    except FileNotFoundError as error:
        raise Stop(f"{text} holds no {INDEX}: it is no export, or one that was cut off. Export again, into an empty folder.") from error
    except OSError as error:
        raise Stop(f"{folder / INDEX}: {error.strerror or error}.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Stop(f"{folder / INDEX} is damaged, or of another version ({error}).") from error
    for what in ("id", "file"):
        if len({getattr(entry, what) for entry in index.graphs}) != len(index.graphs):
            raise Stop(f"{folder / INDEX} is damaged (it names one {what} twice).")
    return folder, index


def check_files(folder: Path, index: Index, advance: Callable[[int], None]) -> None:
    """Reads every file once; `advance` hears of the bytes. Raises: Stop where one is not what was written."""
    for entry in index.graphs:
        file, digest = folder / entry.file, sha256()
        try:
            with file.open("rb") as stream:
                while piece := stream.read(_BLOCK):
                    digest.update(piece)
                    advance(len(piece))
        except OSError as error:
            raise Stop(f"{file}: {error.strerror or error}. Nothing was imported.") from error
        if digest.hexdigest() != entry.sha256:
            raise Stop(f"{file} is damaged: it is not what was exported. Nothing was imported.")


def _not_written(folder: Path, error: OSError) -> Stop:
    return Stop(f"Cannot write to {folder} ({error.strerror or error}).")
