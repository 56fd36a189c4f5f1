"""`--as-of` (O14)."""

from __future__ import annotations

import pytest

from app.cli.as_of import as_of
from app.cli.stop import Stop

NOW = 1_780_000_000_000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, None),
        ("evt_01KJPWD6M0ESYXM8847ZA0001A", {"event": "evt_01KJPWD6M0ESYXM8847ZA0001A"}),
        ("01KJPWD6M0ESYXM8847ZA0001A", {"event": "evt_01KJPWD6M0ESYXM8847ZA0001A"}),
        ("1772442003000", {"time": 1_772_442_003_000}),
        ("0", {"time": 0}),
        ("2026-03-02T09:00:03Z", {"time": 1_772_442_003_000}),
        ("2026-03-02T10:00:03.5+01:00", {"time": 1_772_442_003_500}),
        ("10m", {"time": NOW - 600_000}),
        (" 1.5h ", {"time": NOW - 5_400_000}),
        ("250ms", {"time": NOW - 250}),
        ("2d", {"time": NOW - 172_800_000}),
    ],
)
def test_event_ids_times_and_ages_are_understood(text: str | None, found: dict | None) -> None:
    """O14: an event id, Unix ms, an RFC 3339 time or an age."""
    assert as_of(text, NOW) == found


@pytest.mark.parametrize("text", ["", "yesterday", "10x", "-5m", "2026-13-01T00:00:00Z", "evt_", "evt_a b", "١٠m"])
def test_anything_else_is_wrong_usage(text: str) -> None:
    """O14: exit code 2, and what would do."""
    with pytest.raises(Stop, match="a time like") as stop:
        as_of(text, NOW)
    assert stop.value.code == 2
