"""The program's version: the distribution's."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def _version() -> str:
    try:
        return version("agent-graph-gateway")
    except PackageNotFoundError:  # run from the source tree without being installed
        return "0.0.0"


VERSION = _version()
