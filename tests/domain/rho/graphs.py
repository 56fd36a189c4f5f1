"""Agent Graph states as the Rho export takes them, from the projector's rows alone."""

from __future__ import annotations

import json
from typing import Any

from app.domain.history import Batch
from app.domain.log import read_log
from app.domain.projector import Projector
from app.domain.rho.agent_graph import NodeState, TaskState
from app.domain.times import shown_ms


def node_states(envelopes: list[dict[str, Any]]) -> dict[str, NodeState]:
    """Every node of a log's end, with its parts."""
    lines = [json.dumps(envelope).encode() for envelope in envelopes]
    events = read_log(lines, lambda base: Projector.from_keyframe(base, 1)).events
    projector, batch = Projector(), Batch()
    for seq, event in enumerate(events):
        projector.apply(event, seq, batch)
    began: dict[Any, int] = {}
    for ended in batch.ended:
        began[ended.cell] = min(ended.since, began.get(ended.cell, ended.since))
    found: dict[str, dict[str, Any]] = {}
    for cell, state in sorted(projector.history.now.items(), key=lambda item: item[0].position):
        parts = found.setdefault(cell.ref, {"tasks": [], "spawns": [], "waits": [], "messages": []})
        if cell.kind == "node":
            parts["row"] = state.row
        elif cell.kind == "task":
            created, changed = (shown_ms(events[seq].ts) or 0 for seq in (began.get(cell, state.since), state.since))
            parts["tasks"].append(TaskState(state.row, created, max(created, changed)))  # type: ignore[arg-type]
        elif cell.kind in ("spawn", "wait", "message"):
            parts[f"{cell.kind}s"].append(state.row)
    return {ref: NodeState(**parts) for ref, parts in found.items()}
