"""Times of events (E11) and as they are shown (E123), against Python's own dates."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.times import event_ns, read_ns, rfc_3339, shown_ms, unusual_text, usual_text

NINE = 1_804_150_800_000_000_000  # 2027-03-04T09:00:00Z


@pytest.mark.parametrize(
    ("ts", "ns"),
    [
        ("2027-03-04T09:00:00Z", NINE),
        ("2027-03-04T09:00:00", NINE),
        ("2027-03-04 09:00:00+00:00", NINE),
        ("2027-03-04T09:00:00.Z", NINE),
        ("2027-03-04T09:00:00.5", NINE + 500_000_000),
        ("2027-03-04T09:00:00.1234567899Z", NINE + 123_456_789),
        ("2027-03-04T08:59:60Z", NINE - 1_000_000_000),
        ("2027-03-04T09:00:61Z", None),
        ("2027-03-04T24:00:00Z", None),
        ("2027-03-04T09:60:00Z", None),
        ("2027-02-29T09:00:00Z", None),
        ("2028-02-29T09:00:00Z", 1_835_427_600_000_000_000),
        ("1969-12-31T23:59:59Z", None),
        ("2027-03-04T09:00:00+01:00", None),
        ("2027-03-04T09:00:00-00:00", None),
        ("2027-03-04T09:00:00z", None),
        ("2027-03-04t09:00:00Z", None),
        ("2027-03-04T09:00", None),
        ("２027-03-04T09:00:00Z", None),
        (" 2027-03-04T09:00:00Z", None),
        ("2027-03-04T09:00:00Z\n", None),
        ("", None),
    ],
)
def test_time_of_an_event(ts: str, ns: int | None) -> None:
    """E11: what is readable, to the nanosecond; an unreadable time is 1970."""
    assert read_ns(ts) == ns
    assert event_ns(ts) == (ns or 0)


@pytest.mark.parametrize(
    ("ts", "ms"),
    [
        ("2027-03-04T09:00:00.9999Z", NINE // 1_000_000 + 999),
        ("2027-03-04T10:00:00+01:00", NINE // 1_000_000),
        ("2027-03-04T03:30:00.25-05:30", NINE // 1_000_000 + 250),
        ("2027-03-04T09:00:00+24:00", None),
        ("half past nine", None),
    ],
)
def test_time_as_shown(ts: str, ms: int | None) -> None:
    """E123: any RFC 3339 text, other offsets included, in milliseconds rounded down."""
    assert shown_ms(ts) == ms


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9999, 12, 31)))  # noqa: DTZ001
def test_times_agree_with_dates(moment: datetime) -> None:
    """E11: the number of nanoseconds since 1970."""
    whole = moment.replace(tzinfo=UTC)
    ns = int(whole.replace(microsecond=0).timestamp()) * 1_000_000_000 + whole.microsecond * 1_000
    assert read_ns(whole.strftime("%Y-%m-%dT%H:%M:%S.%fZ").zfill(27)) == ns


@given(st.integers(0, 253_402_300_799_999))
def test_a_time_that_is_written_is_read_as_the_same(ms: int) -> None:
    """O14: what a message tells can be given to `--as-of`."""
    assert shown_ms(rfc_3339(ms)) == ms
    assert len(rfc_3339(ms)) == len("2026-01-31T09:30:00.000Z")


@pytest.mark.parametrize(
    "ts",
    [
        "2026-01-31T09:30:00.000Z", "2026-01-31T09:30:00Z", "2026-01-31T09:30:00.0001Z", "2026-01-31t09:30:00.000z", "", "soon",
        "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2026-01-31T10:30:00+01:00", "2026-02-31T09:30:00.000Z",
    ],
)  # fmt: skip
def test_the_text_of_a_time_is_kept_where_it_says_more(ts: str) -> None:
    """E120: siblings sort by the text, so no text may be lost, and the usual form need not be kept."""
    kept = unusual_text(ts)
    assert usual_text(kept, shown_ms(ts) or 0) == ts
    assert (kept is None) == (ts == "2026-01-31T09:30:00.000Z")


@given(
    st.text("0123456789-:T.Z W,٣", min_size=24, max_size=24) | st.datetimes().map(lambda at: at.isoformat(timespec="milliseconds") + "Z")
)
def test_the_usual_form_says_what_any_other_does(ts: str) -> None:
    """E11: what is read fast is what is read slowly: the same time in a form that is longer."""
    assert read_ns(ts) == read_ns(f"{ts[:-1]}+00:00" if ts[-1] == "Z" else ts)


@given(st.integers(0, 28), st.integers(0, 61), st.integers(0, 61), st.integers(0, 32), st.integers(0, 13), st.integers(1_965, 1_975))
def test_days_and_hours_that_are_none_are_none(hour: int, minute: int, second: int, day: int, month: int, year: int) -> None:
    """E11: the same at the edges of what there is."""
    ts = f"{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.999"
    assert read_ns(f"{ts}Z") == read_ns(f"{ts}+00:00")
