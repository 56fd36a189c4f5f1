"""The demo log exercises every rule of the state, by the oracle's witness."""

import pytest

from app.demo.fleet import ALL_RULES_FROM, fleet
from tests.demo.logs import read
from tests.oracle import fold_with_rules


@pytest.mark.parametrize("seed", [7, 8])
def test_every_rule_from_e17_to_e122_is_met(seed: int) -> None:
    """E17–E122, in the shortest log that promises them all."""
    assert set(range(17, 123)) - fold_with_rules(read(fleet(ALL_RULES_FROM, seed))) == set()


def test_without_the_keyframe_only_its_rule_is_missing() -> None:
    """E21 needs a keyframe line; nothing else depends on it (E131)."""
    assert set(range(17, 123)) - fold_with_rules(read(fleet(ALL_RULES_FROM, keyframe=False))) == {21}
