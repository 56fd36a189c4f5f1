"""The Cypher of the gateway, found by name: one file for each statement, in `cypher/`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import app

_NOT_SERVED = ("migrations", "schema")
_MANY = re.compile(r"\[((?:([a-z])\.\w+,?\s*){15,})\]")


@cache
def cypher_folder() -> Path:
    """Where the statements are: inside the package when installed from a wheel, beside it in the source tree."""
    package = Path(app.__file__).parent
    installed = package / "cypher"
    return installed if installed.is_dir() else package.parent / "cypher"


@cache
def statement(name: str) -> str:
    """The text of `cypher/<name>.cypher` without its header comment; `name` may have folders (`read/nodes_now`).

    Raises: FileNotFoundError if there is no such statement.
    """
    return without_header((cypher_folder() / f"{name}.cypher").read_text(encoding="utf-8"))


def statement_names() -> list[str]:
    """Names of all statements that serve requests, sorted: without migrations and their bookkeeping (`schema/`)."""
    folder = cypher_folder()
    names = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*.cypher"))
    return sorted(name.as_posix() for name in names if name.parts[0] not in _NOT_SERVED)


def with_lists(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters as statements take them: all lists in one map, `$lists`.

    For a list by itself Neo4j makes a new plan for each order of its size, and that takes longer than most statements do.
    """
    lists = {name: value for name, value in params.items() if isinstance(value, list)}
    return {**{name: value for name, value in params.items() if name not in lists}, "lists": lists} if lists else params


@cache
def in_one_go(text: str) -> str:
    """A statement for Neo4j: where it makes a list of many properties of a node, it takes them out of a map of all.

    Neo4j looks for each property by itself along the chain of all, and plans each: for forty, three times the time (and ten times that for
    the plan). The embedded engine has a row at hand as a whole, and would make the map for nothing.
    """

    def with_map(found: re.Match[str]) -> str:
        values = re.sub(rf"\b{found[2]}\.", "x.", found[1])
        return f"[x IN [properties({found[2]})] | [{values}]][0]"

    return _MANY.sub(with_map, text)


def without_header(text: str) -> str:
    """`text` from its first line that is neither empty nor a `//` comment."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("//")), len(lines))
    return "\n".join(lines[start:]).strip()
