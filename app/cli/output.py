"""What commands print: facts on standard output, everything else on standard error."""

from __future__ import annotations

import re
import sys
from typing import Any

import orjson

_CONTROLS = re.compile("[\x7f-\x9f]")
"""Control characters that JSON allows as they are, and a terminal may obey."""


def print_json(value: Any) -> None:
    """Facts as indented JSON."""
    text = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    sys.stdout.write(_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def note(message: str) -> None:
    """A line beside the facts."""
    sys.stderr.write(message + "\n")


def progress_bar() -> Any:
    """A bar on standard error, if that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
