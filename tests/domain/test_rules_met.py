"""Which rules the projector says that a log met."""

from __future__ import annotations

import pytest

from app.demo.fleet import fleet
from app.domain import keyframe
from app.domain.envelope import parse_object
from app.domain.history import Batch
from app.domain.projector import Projector
from tests.domain.logs import STEP


def met(log: list[dict[str, object]]) -> set[int]:
    projector = Projector()
    for place, event in enumerate(map(parse_object, log), start=1):
        if event.type == keyframe.TYPE:
            projector.skip_keyframe()
        else:
            projector.apply(event, place * STEP, Batch())
    return projector.met


@pytest.mark.parametrize("seed", [7, 8])
def test_a_demo_log_meets_all_rules_of_the_state(seed: int) -> None:
    """E17-E122."""
    assert set(range(17, 123)) - met(list(fleet(2_000, seed))) == set()
