"""Generated requests of schemathesis over `openapi.json`: every check it has, and never a fault of ours (R1-R6, R18-R23)."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.clients.conftest import Gateway, run

DOCUMENT = Path(__file__).parents[2] / "openapi.json"
OPERATIONS = 7
EXAMPLES = 504
LONG_EXAMPLES = 20_006
SECONDS_OF_ONE = 0.6
"""Far more than one takes."""

SETTINGS = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "304", "400", "401", "403", "404", "410"]
"""
"""What a document cannot say is refused with 400: two cursors, one of another list, `max_depth` alone."""

EXPANDED = ("parent", "root", "session", "requested_by", "blocked.on", "tasks", "spawns", "waits", "messages", "parent.parent.tasks")
SEARCHES = (
    'state:"working"', "depth>=1 AND -stale:true", 'title~"a" OR ended:null', "blocked_open_tasks>0", '-agent_type:"Explore"', "created<0",
)  # fmt: skip


def pointed(gateway: Gateway) -> dict[str, Any]:
    """The document, with values that lead to what is there: beside any others that fit, so that most requests get somewhere."""
    document = json.loads(DOCUMENT.read_text())
    nodes = [gateway.facts["changed"]["id"], "node_Yg"]
    events = [*gateway.facts["ids"][:3], gateway.facts["late"]["event"]]
    there = {
        "graph_id": [gateway.graph, gateway.graph.removeprefix("gph_")],
        **dict.fromkeys(("node_id", "parent_id", "ancestor_id", "root_id", "session_id"), nodes),
        "event_id": events,
        "as_of": events,
        "query": list(SEARCHES),
        "Agent-Graph-Version": [document["info"]["version"]],
    }
    for path, item in document["paths"].items():
        for parameter in item["get"]["parameters"]:
            name, schema = parameter["name"], parameter["schema"]
            if name in there:
                parameter["schema"] = {"anyOf": [{"enum": there[name]}, schema]} if name != "Agent-Graph-Version" else {"enum": there[name]}
            elif name == "expand[]":
                start = "" if path.endswith("_id}") else "data."
                of_node = "node." if "/events" in path else ""
                schema["items"] = {"enum": [f"{start}{of_node}{step}" for step in EXPANDED]}
    return document


@pytest.mark.only("embedded")
async def test_generated_requests(gateway: Gateway, long: bool, tmp_path: Path) -> None:
    """All checks: no 5xx; answers as the document says; what does not fit it is refused; no way in without a key.

    A short run is the generated requests alone, a long one also those at every boundary and whole journeys.
    """
    (tmp_path / "openapi.json").write_text(json.dumps(pointed(gateway)))
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)
    examples = LONG_EXAMPLES if long else EXAMPLES
    with capture_logs() as lines:
        await run(
            Path(sys.executable).with_name("st"), "run", "openapi.json", "--url", f"{gateway.url}/api/v1",
            "--header", f"Authorization: Bearer {gateway.key}", "--checks", "all", "--seed", "1", "--continue-on-failure", "--no-shrink",
            "--max-examples", str(examples // OPERATIONS), "--phases", "examples,coverage,fuzzing,stateful" if long else "fuzzing",
            facts={}, folder=tmp_path, seconds=SECONDS_OF_ONE * examples,
        )  # fmt: skip
    statuses = Counter(line["status"] for line in lines if line.get("door") == "rest")
    assert sum(statuses.values()) >= examples
    assert max(statuses) < 500
    assert statuses[200] > examples / 5, statuses
