"""The observation journals of sessions, as files below a state directory (G73-G75, G79, G95)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from threading import Lock

import structlog

from app.domain.rho.envelope import Document
from app.domain.rho.journal import file_name, line, read_journal

_log = structlog.get_logger("rho")
_ONE_AT_A_TIME = Lock()
"""Of the whole process, whatever directory it writes to (G74)."""


class Journals:
    """Appends entries and reads them back. Files are never rewritten."""

    def __init__(self, state_dir: Path) -> None:
        self._folder = state_dir

    async def append(self, entry: Document | None) -> bool:
        """Writes an entry at the end of its session's file; whether it is there now.

        None is nothing to write (G78). What fails is logged and is nobody's concern: no permission and no result may hang on it (G95).
        """
        if entry is None:
            return False
        try:
            await asyncio.to_thread(self._append, self._path(entry["session_id"]), line(entry))
        except OSError as error:
            _log.warning("journal not written", entry=entry["id"], error=error.strerror)
            return False
        return True

    async def entries(self, session_id: str) -> tuple[Document, ...]:
        """A session's entries in the order in which they were written; none where there is no file.

        Raises: Refused: a line is no entry. OSError: the file cannot be read.
        """
        return await asyncio.to_thread(self._read, session_id)

    def _path(self, session_id: str) -> Path:
        return self._folder / file_name(session_id)

    def _read(self, session_id: str) -> tuple[Document, ...]:
        try:
            content = self._path(session_id).read_bytes()
        except FileNotFoundError:
            return ()
        found = read_journal(content, session_id)
        if found.torn:
            _log.warning("the last line of a journal was cut off", file=self._path(session_id).name)
        return found.entries

    @staticmethod
    def _append(path: Path, text: bytes) -> None:
        with _ONE_AT_A_TIME:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.chmod(0o700)  # whatever the umask says
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                path.chmod(0o600)
                if os.write(descriptor, text) != len(text):
                    raise OSError(0, "only a part was written")
            finally:
                os.close(descriptor)
