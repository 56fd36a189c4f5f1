"""The one source of the time (O16)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

Clock: TypeAlias = Callable[[], int]
"""Gives Unix milliseconds. Everything that asks for the time asks it."""


def system_clock() -> int:
    """Unix milliseconds by the machine's clock."""
    return time.time_ns() // 1_000_000
