"""What `python -m bench` prints and writes (O32)."""

from __future__ import annotations

import pytest

from bench.cli import ON_STORE, PURE, main
from bench.results import Result

NAMED_BY_THE_RULE = {"tree-1000x12", "flat-1000x12", "flat-1000x30", "asof-200000", "append-100"}


def test_a_result_has_the_members_of_the_contract() -> None:
    """O32: name, engine, ours, floor, unit, ratio, goal, met; the note is for people."""
    found = Result("append-100", "embedded", 15.0, 10.0, "ms", 1.5, "390 rows").as_json()
    assert found == {
        "name": "append-100", "engine": "embedded", "ours": 15.0, "floor": 10.0, "unit": "ms", "ratio": 1.5, "goal": 1.5, "met": True
    }  # fmt: skip


@pytest.mark.parametrize(
    ("ours", "floor", "goal", "met"), [(15.0, 10.0, 1.5, True), (15.1, 10.0, 1.5, False), (0, 0, 0, True), (1, 0, 0, False)]
)
def test_a_goal_is_the_most_that_the_ratio_may_be(ours: float, floor: float, goal: float, met: bool) -> None:
    """A limit of none is met by none alone."""
    assert Result("any", "embedded", ours, floor, "ms", goal).met is met


def test_a_line_says_when_a_goal_is_missed() -> None:
    """Whoever reads the table sees it without working it out."""
    assert "MISSED" in Result("any", "embedded", 2.0, 1.0, "ms", 1.5).as_line()


def test_the_names_of_the_rule_are_there() -> None:
    """O32: people script against these names."""
    assert {*PURE, *ON_STORE} >= NAMED_BY_THE_RULE


def test_an_unknown_name_is_refused_with_the_ones_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong usage: exit code 2, before anything is started."""
    with pytest.raises(SystemExit) as stopped:
        main(["tree-of-life"])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert "tree-of-life" in said
    assert "append-100" in said


def test_a_neo4j_that_is_nowhere_is_told_in_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """O14: what to do, and no traceback."""
    monkeypatch.delenv("NEO4J_URI", raising=False)
    assert main(["--engine", "neo4j", "loop"]) == 1
    assert capsys.readouterr().err == "No Neo4j: set NEO4J_URI (and NEO4J_USERNAME, NEO4J_PASSWORD).\n"
