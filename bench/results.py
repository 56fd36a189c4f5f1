"""What a benchmark says, in the terminal and as JSON (O32)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Result:
    """One comparison. Less is better: `goal` is the most that `ours / floor` may be.

    `floor` is what a bare way of doing the same took in this run, or, where the goal is a limit, that limit (then `goal` is 1).
    `note` is for people and not in the JSON.
    """

    name: str
    engine: str
    ours: float
    floor: float
    unit: str
    goal: float
    note: str = ""

    @property
    def ratio(self) -> float:
        """`ours / floor`; where the limit is zero, `ours` itself."""
        return self.ours / self.floor if self.floor else self.ours

    @property
    def met(self) -> bool:
        """Whether the goal is met."""
        return self.ratio <= self.goal

    def as_json(self) -> dict[str, Any]:
        """The members of O32."""
        return {
            "name": self.name,
            "engine": self.engine,
            "ours": round(self.ours, 4),
            "floor": round(self.floor, 4),
            "unit": self.unit,
            "ratio": round(self.ratio, 3),
            "goal": self.goal,
            "met": self.met,
        }

    def as_line(self) -> str:
        """One line of the table, and the note under it."""
        figures = f"{_figure(self.ours):>10} {_figure(self.floor):>10} {self.unit:<9} {self.ratio:>7.2f} {_figure(self.goal):>6}"
        line = f"{self.name:<28} {figures}  {'met' if self.met else 'MISSED'}"
        return f"{line}\n    {self.note}" if self.note else line


HEADING = f"{'':<28} {'ours':>10} {'floor':>10} {'':<9} {'ratio':>7} {'goal':>6}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or value >= 1000 else f"{value:.2f}"
