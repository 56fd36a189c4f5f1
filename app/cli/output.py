"""What commands print: facts on standard output, everything else on standard error."""

from __future__ import annotations

import sys
from typing import Any

import orjson


def print_json(value: Any) -> None:
    """Facts as indented JSON."""
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n")


def note(message: str) -> None:
    """A line beside the facts."""
    sys.stderr.write(message + "\n")
