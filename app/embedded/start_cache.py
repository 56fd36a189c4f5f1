"""What lets Java start the store in half the time: its classes, loaded and linked ahead of time, in the user's cache folder.

Java looks whether such a file was made by itself, from the same jars, and does without it otherwise.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from platformdirs import user_cache_path

from app.embedded.installation import Installation

_OTHERS = 4
"""Installations besides the one that the file was made for last: virtual environments come and go."""


def start_cache(installation: Installation) -> Path:
    """Where the file of this installation is, or would be: another one after each change of it. Raises: OSError."""
    return _folder() / f"{_name(installation)}-{_state(installation)}.aot"


def usable_cache(installation: Installation) -> Path | None:
    """The same where it is there."""
    try:
        path = start_cache(installation)
        return path if path.is_file() else None
    except OSError:
        return None


def options(installation: Installation, train: Path | None) -> list[str]:
    """How Java is told to start with the file, if it is there; or to make `train` of this run when it ends."""
    if train is not None:
        return [f"-XX:AOTCacheOutput={train}"]
    cache = usable_cache(installation)
    return [] if cache is None else [f"-XX:AOTCache={cache}"]


def drop_older(installation: Installation) -> None:
    """Removes what was made of this installation before it changed, and of others all but the newest. Raises: OSError."""
    name, kept = _name(installation), start_cache(installation)
    others = [path for path in _folder().glob("*.aot") if path != kept]
    newest = sorted((path for path in others if not path.name.startswith(name)), key=lambda path: path.stat().st_mtime_ns)[-_OTHERS:]
    for path in others:
        if path not in newest:
            path.unlink(missing_ok=True)


def _folder() -> Path:
    return user_cache_path("agent-graph-gateway", appauthor=False) / "store"


def _name(installation: Installation) -> str:
    return _digest(str(installation.java))


def _state(installation: Installation) -> str:
    files = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in (installation.java, *installation.jars)]
    return _digest(repr((installation.version, files)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
