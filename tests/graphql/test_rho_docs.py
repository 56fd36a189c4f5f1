"""docs/rho.md says what is so: its GraphQL runs, in order."""

from __future__ import annotations

import json
import re
from pathlib import Path

from app.domain.rho.normalize import prepare
from app.store.connection import Store
from tests.domain.rho.test_agent_graph import fleet
from tests.graphql.rho import rho_door

TEXT = (Path(__file__).parents[2] / "docs/rho.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```graphql\n(.*?)```", TEXT, re.DOTALL)
(ORCHARD,) = re.findall(r"<!-- file: orchard.json -->\n```json\n(.*?)```", TEXT, re.DOTALL)


async def test_examples_run(store: Store) -> None:
    """What is shown works as it is, and finds something."""
    async with rho_door(store) as rho:
        graph_id = await rho.door.graph(rho.key, fleet())
        (export,) = [each for ref, each in (await rho.exports(graph_id)).items() if ref == "claude-code:s"]
        await rho.imported(json.loads(export["snapshotJson"]))
        envelope = json.loads(ORCHARD)
        known = {"envelope": envelope, "graph": graph_id, "snapshot": await rho.imported(envelope)}
        found = {}
        for example in EXAMPLES:
            given = {**known, "graph": prepare(envelope).document} if "mutation Upload" in example else known
            found |= await rho.ask(example, **{name: value for name, value in given.items() if f"${name}:" in example})
    assert len(EXAMPLES) >= 6
    assert found["rhoSync"]["status"] == 202
    (task,) = found["rhoSnapshot"]["nodes"]["nodes"]
    assert task["dependsOn"] == [{"id": "rho/task/task_1", "status": "completed"}]
    assert found["rhoGraphs"]["nodes"]
    titles = {
        below["agentGraphNode"]["title"]
        for node in found["graph"]["roots"]["nodes"]
        if node["rho"]
        for below in node["rho"]["contains"]["nodes"]
        if below["agentGraphNode"]
    }
    assert titles
