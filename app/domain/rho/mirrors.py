"""Which nodes of a Rho graph stand for which nodes of Agent Graph: by their exact names alone (M12)."""

from __future__ import annotations

from typing import Any

from app.domain.rho.names import agent_name, hashed_name, session_name

SESSION, AGENT = "rho/session/", "rho/runtime-task/"


def is_mirror(node: dict[str, Any]) -> bool:
    """Whether a node of a valid envelope stands for a session or an agent, if there is one of its name."""
    id: str = node["id"]
    return id.startswith(SESSION) or (id.startswith(AGENT) and node.get("attributes", {}).get("kind") == "agent")


def mirror_ids(ref: str) -> tuple[str, str]:
    """The ids of the Rho nodes that stand for a session or an agent, by its ref.

    The first is the usual one. The second names its session by the hash, as in an export where two sessions share a name (M21).
    """
    session, agent, _ = ref.partition("/")
    names = session_name(session), hashed_name(session)
    if not agent:
        return f"{SESSION}{names[0]}", f"{SESSION}{names[1]}"
    return f"{AGENT}{agent_name(ref, names[0])}", f"{AGENT}{agent_name(ref, names[1])}"
