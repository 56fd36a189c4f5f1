"""Where the `arcadedb-embedded` wheel keeps its Java and its jars, found without importing it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from app.embedded.problems import ELSEWHERE, NotInstalled

PACKAGE = "arcadedb_embedded"

_NEEDED = ("arcadedb-server", "arcadedb-engine", "arcadedb-bolt")
# Doors and tools of the server that the gateway never uses: what is not on the class path cannot be spoken to.
_LEFT_OUT = ("arcadedb-mcp", "arcadedb-redisw", "arcadedb-postgresw", "arcadedb-graphql", "arcadedb-console", "arcadedb-integration")


@dataclass(frozen=True, slots=True)
class Installation:
    """The files that make the embedded store."""

    java: Path
    jars: tuple[Path, ...]
    version: str


def find_installation() -> Installation:
    """The installed wheel.

    Raises: NotInstalled, which tells a platform without a wheel from a broken installation.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise NotInstalled(
            "The embedded store is not installed; it is made for Linux (glibc 2.34 and later, not musl), macOS on ARM and Windows: "
            f"run `pip install arcadedb-embedded` there, {ELSEWHERE}."
        )
    return installation_in(Path(spec.submodule_search_locations[0]))


def installation_in(folder: Path) -> Installation:
    """The installation in a package folder, its files checked.

    Raises: NotInstalled.
    """
    java = folder / "jre" / "bin" / ("java.exe" if sys.platform == "win32" else "java")
    if not java.is_file():
        raise _broken(java)
    jars = tuple(sorted(jar for jar in (folder / "jars").glob("*.jar") if not jar.name.startswith(_LEFT_OUT)))
    for needed in _NEEDED:
        if not any(jar.name.startswith(needed) for jar in jars):
            raise _broken(folder / "jars" / f"{needed}-*.jar")
    try:
        found = version("arcadedb-embedded")
    except PackageNotFoundError:
        found = "unknown"
    return Installation(java, jars, found)


def _broken(missing: Path) -> NotInstalled:
    return NotInstalled(
        f"The embedded store's installation is broken ({missing} is missing): "
        f"run `pip install --force-reinstall arcadedb-embedded`, {ELSEWHERE}."
    )
