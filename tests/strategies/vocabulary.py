"""The small world that generated logs are about: few nodes, ids and texts, so that refs, calls and names collide often."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

MILLISECOND = 1_000_000
PROVIDERS = ("claude-code", "codex", "cursor", "run", "acme")
SESSION_NAMES = ("pine", "oak")
AGENT_NAMES = ("ant", "bee", "cat")
CALLS = ("c1", "c2", "c3", "c4")
WAITS = ("w1", "w2", "c1", "c2")
MESSAGES = ("m1", "m2", "m3")
TITLES = ("Mend the net", "Paint the hull", "claude", "codex")
TYPES = ("Explore", "Plan", "claude", "codex", "cursor-agent", "gemini", "make")
PURPOSES = ("Read the docs", "Look around", "")
PROCESSES = ("410@7000", "411@7000", "500@7000")
SUMMARIES = ("Half way", "Which berth?", "", "Done; ça va… 🦀")
TASK_IDS = ("1", "2", "3")
TASK_STATUSES = ("pending", "in_progress", "completed")
LABELS = ("make", "git push", "")
STATES = ("working", "input_required", "idle", "completed", "failed", "canceled")

# Nanoseconds from one event to the next: the edges of the windows of E29, E44, E47, E53, E70, E74, E113 and E115, and mostly little.
STEPS = tuple(
    milliseconds * MILLISECOND
    for milliseconds in (
        *(0, 0, 0, 0, 1, 1, 1, 500, 500, 500, 500, 1_000, 1_000, 1_000, 1_999, 2_000, 2_001, 3_000, 9_999, 10_000),
        *(30_000, 59_999, 60_000, 60_001, 540_000, 599_999, 600_000, 600_001, 1_800_000, 1_800_001, 1_860_000),
    )
)


class Choices(Protocol):
    """Where a draft's decisions come from: hypothesis, or a seeded random."""

    def pick(self, options: Sequence[T]) -> T: ...

    def percent(self) -> int:
        """A number from 0 to 99."""


class RandomChoices:
    def __init__(self, source: random.Random) -> None:
        self.source = source

    def pick(self, options: Sequence[T]) -> T:
        return self.source.choice(options)

    def percent(self) -> int:
        return self.source.randrange(100)


class DrawnChoices:
    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self.draw = draw

    def pick(self, options: Sequence[T]) -> T:
        found: T = self.draw(st.sampled_from(options))
        return found

    def percent(self) -> int:
        found: int = self.draw(st.integers(0, 99))
        return found


def chance(choices: Choices, percent: int) -> bool:
    """True in about so many of a hundred cases; hypothesis shrinks towards False."""
    return choices.percent() >= 100 - percent


def maybe(choices: Choices, options: Sequence[T], percent: int = 50) -> T | None:
    return choices.pick(options) if chance(choices, percent) else None


@dataclass(frozen=True)
class Cast:
    """The nodes that one log is about."""

    sessions: tuple[str, ...]
    agents: tuple[str, ...]

    def any_ref(self, choices: Choices) -> str:
        return choices.pick(self.sessions if chance(choices, 45) else self.agents)


def draw_cast(choices: Choices, names: Sequence[str] = SESSION_NAMES) -> Cast:
    """Two to four sessions and up to seven agents under them, nested up to four levels."""
    sessions = {f"{choices.pick(PROVIDERS)}:{choices.pick(names)}" for _ in range(choices.pick((2, 3, 4)))}
    if chance(choices, 5):
        sessions.add("no-provider")
    ordered = tuple(sorted(sessions))
    agents = set()
    for _ in range(choices.pick((4, 5, 6, 7))):
        levels = choices.pick((1, 1, 1, 1, 2, 2, 3, 4))
        agents.add("/".join([choices.pick(ordered), *(choices.pick(AGENT_NAMES) for _ in range(levels))]))
    return Cast(ordered, tuple(sorted(agents)))
