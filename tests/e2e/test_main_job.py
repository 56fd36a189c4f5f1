"""The main job on real input, and that it would notice what is wrong."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import pytest

from app.demo.fleet import fleet
from app.domain.key_form import new_secret
from app.settings import StoreAddress
from tests.e2e.main_job import difference, main_job
from tests.e2e.nested import expected
from tests.oracle import log_of, state_after


def test_a_user_s_whole_way_gives_the_naive_fold_at_every_moment(tmp_path: Path, engine: str, request: pytest.FixtureRequest) -> None:
    """O3, O5, E13, R24-R26, Q3: serve, import, three moments of four nested levels over HTTP, SIGTERM; on Neo4j by its address alone."""
    variables = {}
    if engine == "neo4j":
        to: StoreAddress = request.getfixturevalue("store_address")
        variables = {"NEO4J_URI": to.uri, "NEO4J_USERNAME": to.username, "NEO4J_PASSWORD": to.password, "NEO4J_DATABASE": to.database or ""}
        variables["AGW_ADMIN_KEY"] = new_secret()  # the database may know an operator already
    said = main_job(tmp_path, **variables)
    assert "3 moments" in said


@pytest.mark.parametrize(("place", "member", "value"), [(0, "state", "FAILED "), (5, "title", 5), (9, "stale", 0), (3, "tasks", None)])
def test_a_single_wrong_member_is_noticed(place: int, member: str, value: object) -> None:
    """The comparison tells what differs and where, also where Python takes 0 for False."""
    log = log_of(list(fleet(200)))
    right = expected(state_after(log, len(log.events)), "x", 1)
    wrong = deepcopy(right)
    wrong["graph"]["roots"]["nodes"][place][member] = value
    said = difference(wrong, right)
    assert said is not None
    assert said.startswith(f"data.graph.roots.nodes[{place}].{member} is ")
    assert difference(right, right) is None
