"""The rate limit (R13, R14): every bucket is what a plain count of its tokens says."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from hypothesis import given
from hypothesis import strategies as st

from app.services.rates import Rate, RateLimits
from tests.served import SetClock

STEPS = st.lists(st.tuples(st.integers(0, 3_000), st.sampled_from(["a", "b"]), st.booleans()), max_size=80)


@given(st.sampled_from([1, 4, 25, 200]), st.integers(1, 12), STEPS)
def test_a_bucket_is_what_a_count_says(rate: int, burst: int, steps: list[tuple[int, str, bool]]) -> None:
    """R13, R14: full at first, refilled all the time, one token a request, given back at most to the brim; each key has its own."""
    clock = SetClock(0)
    limits = RateLimits(rate, burst, clock)
    tokens: dict[str, tuple[Fraction, int]] = {}
    for wait, name, back in steps:
        clock.ms += wait
        held, since = tokens.get(name, (Fraction(burst), clock.ms))
        held = min(Fraction(burst), held + Fraction((clock.ms - since) * rate, 1_000))
        found = limits.take(name)
        assert found is not None
        if held < 1:
            assert found == Rate(rate, 0, ceil((burst - held) / rate), max(1, ceil((1 - held) / rate)))
        else:
            held -= 1
            assert found == Rate(rate, floor(held), ceil((burst - held) / rate), 0)
            if back:
                held += 1
                assert limits.give_back(name) == Rate(rate, floor(held), ceil((burst - held) / rate), 0)
        tokens[name] = held, clock.ms


def test_nothing_is_limited_at_a_rate_of_0() -> None:
    """O15: 0 is off."""
    limits = RateLimits(0, 1, SetClock())
    assert [limits.take("a") for _ in range(5)] == [None] * 5
    assert limits.give_back("a") is None
