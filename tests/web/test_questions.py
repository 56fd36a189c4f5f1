"""How pages and commands put spans of time."""

from __future__ import annotations

import pytest

from app.web.questions import age, left

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("ms", "past", "future"),
    [
        (-1, "0 s", "0 s"),
        (1_400, "1 s", "1 s"),
        (59_900, "59 s", "1 min"),
        (90 * MINUTE, "1 h", "2 h"),
        (13 * HOUR, "13 h", "13 h"),
        (DAY - 2_000, "23 h", "1 d"),
        (30 * DAY - 1, "29 d", "30 d"),
        (30 * DAY - HOUR, "29 d", "30 d"),
        (29 * DAY, "29 d", "29 d"),
    ],
)
def test_spans_are_told_in_their_largest_unit(ms: int, past: str, future: str) -> None:
    """What has passed counts whole units; what is left is the nearest number, so that a key for 30 days ends in 30 days."""
    assert (age(ms), left(ms)) == (past, future)
