"""Other people's programs: npm packages and a Python of their own, installed once for each lock in the user's cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

from filelock import FileLock
from platformdirs import user_cache_path

NODE = Path(__file__).with_name("node")
PYTHON = Path(__file__).with_name("python")
"""Its requirements.txt: the generator of Python clients, whose dependencies do not go with ours."""

OLDEST_NODE = 20
_SECONDS = 600


class MissingError(Exception):
    """This machine cannot run them; the message says what it lacks."""


def node_program() -> str:
    """Node itself. Raises: MissingError."""
    found = shutil.which("node")
    if found is None:
        raise MissingError("no node")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=60).stdout.strip()
    major = said.removeprefix("v").partition(".")[0]
    if not major.isdecimal() or int(major) < OLDEST_NODE:
        raise MissingError(f"{found} is {said or 'of no version'}, not {OLDEST_NODE} or later")
    return found


def node_modules() -> Path:
    """The packages of node/package-lock.json. Raises: MissingError."""

    def install(folder: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise MissingError("no npm")
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(NODE / name, folder)
        _run([npm, "ci", "--ignore-scripts"], folder)

    return _installed("node", NODE / "package-lock.json", install) / "node_modules"


def generator_python() -> Path:
    """A Python with what python/requirements.txt names. Raises: MissingError."""

    requirements = PYTHON / "requirements.txt"

    def install(folder: Path) -> None:
        _run([sys.executable, "-m", "venv", "."], folder)
        _run(["bin/python", "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", str(requirements)], folder)

    return _installed(f"python-{sys.version_info[0]}.{sys.version_info[1]}", requirements, install) / "bin" / "python"


def _installed(kind: str, lock: Path, install: Callable[[Path], None]) -> Path:
    """The folder for a lock, made by whoever comes first, whole or not at all."""
    cache = user_cache_path("agent-graph-gateway", appauthor=False) / "tests"
    folder = cache / f"clients-{kind}-{sha256(lock.read_bytes()).hexdigest()[:16]}"
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / "installing.lock"):
        if not folder.is_dir():
            part = Path(mkdtemp(dir=cache))
            try:
                install(part)
                part.rename(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    return folder


def _run(command: Sequence[str], folder: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_SECONDS)
    if done.returncode != 0:
        raise MissingError(f"{command[0]} failed: {(done.stdout + done.stderr)[-500:]}")
