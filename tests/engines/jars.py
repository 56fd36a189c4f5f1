"""Neo4j without Docker: its jars from Maven Central, in the user's cache folder, and the Java that runs them.

`python -m tests.engines.jars` fetches them and prints where they are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

from filelock import FileLock
from platformdirs import user_cache_path

VERSION = "5.26.18"
JAVA_VERSIONS = range(17, 22)

_POM = Path(__file__).with_name("pom.xml")
_FETCH_SECONDS = 600


class MissingError(Exception):
    """This machine cannot run such a Neo4j; the message says what it lacks."""


def java() -> str:
    """The Java to run Neo4j with. Raises: MissingError."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home, "bin")) if home else None)
    if found is None:
        raise MissingError("no java")
    said = subprocess.run([found, "-version"], capture_output=True, text=True, timeout=60).stderr
    match = re.search(r'version "(\d+)', said)
    if match is None or int(match[1]) not in JAVA_VERSIONS:
        raise MissingError(f"{found} is not Java {JAVA_VERSIONS[0]} to {JAVA_VERSIONS[-1]}: {said.splitlines()[:1]}")
    return found


def jars() -> Path:
    """The folder with all jars; fetched by whoever comes first, whole or not at all. Raises: MissingError."""
    cache = user_cache_path("agent-graph-gateway", appauthor=False) / "tests"
    folder = cache / f"neo4j-{VERSION}"
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingError("no mvn")
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / "fetching.lock"):
        if not folder.is_dir():
            _fetch(maven, folder)
    return folder


def _fetch(maven: str, folder: Path) -> None:
    part = Path(mkdtemp(dir=folder.parent))
    try:
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={part}", "-DincludeScope=runtime", f"-Dneo4j.version={VERSION}"]
        done = subprocess.run(
            [maven, "--batch-mode", "--quiet", "--file", str(_POM), *goal], capture_output=True, text=True, timeout=_FETCH_SECONDS
        )
        if done.returncode != 0 or not list(part.glob("neo4j-server-*.jar")):
            raise MissingError(f"mvn cannot fetch Neo4j {VERSION}: {(done.stdout + done.stderr)[-500:]}")
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def main() -> None:
    """For the command line and for continuous integration."""
    try:
        sys.stdout.write(f"Neo4j {VERSION} in {jars()}, to run with {java()}\n")
    except MissingError as missing:
        sys.exit(f"No Neo4j: {missing}")


if __name__ == "__main__":
    main()
