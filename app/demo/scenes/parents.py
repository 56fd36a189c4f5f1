"""Nodes and their parents: placeholders, unannounced agents, moves, refused loops."""

from app.demo.scenes.bounds import closed, opened
from app.demo.stage import Cast, Scene, at


def placeholders(cast: Cast) -> Scene:
    """E17–E20, E23, E26, E33: nodes met first through others, every level made, each with its own provider and times."""
    s, other = cast.session("claude-code", "attic"), cast.session("codex", "cellar")
    yield at(0, "activity", f"{s}/lead/scout/reader", tool="Read", label="notes/attic.md")
    yield at(900, "activity", f"{s}/lead/scout/reader", tool="Grep", label="rafters")
    yield at(400, "session.started", s, cwd="/home/dev/attic", source="startup")
    yield at(300, "spawn.requested", s, call_id="toolu_far", kind="session", agent_type="codex", background=True, run=False)
    yield at(900, "spawn.returned", s, call_id="toolu_far", child=other, outcome="async_launched")
    yield at(5_000, "status", other, state="working", title="Sort the cellar")
    yield at(2_000, "agent.finished", f"{s}/lead/scout/reader", background=False, summary="Nothing in the rafters")
    yield from closed(other, s)


def unannounced(cast: Cast) -> Scene:
    """E22: agents that finish without ever having begun are counted on the node above, not shown."""
    s = cast.session("claude-code", "murmur")
    yield from opened(cast, s)
    yield at(800, "agent.finished", f"{s}/memory")
    yield at(700, "agent.finished", f"{s}/memory", background=True, summary="Memory extracted")
    yield at(600, "agent.finished", f"{s}/ghost/memory", status="failed")
    yield at(500, "agent.finished", f"{s}/told", background=False, summary="Announced only at its end")
    yield at(500, "agent.spawned", f"{s}/known", s, agent_type="Explore")
    yield at(900, "agent.finished", f"{s}/known", background=True)
    yield at(600, "agent.finished", f"{s}/ghost", background=False)
    yield from closed(s)


def moves(cast: Cast) -> Scene:
    """E7, E25, E31–E34: explicit parents with any type, moves between sessions, parents not met yet, refused loops."""
    a, b, c = (cast.session("claude-code", topic) for topic in ("harbour", "jetty", "buoy"))
    yield from opened(cast, a)
    yield from opened(cast, b)
    yield at(400, "agent.spawned", f"{a}/pilot", a, agent_type="Explore")
    yield at(600, "activity", f"{a}/pilot", b, tool="Read", label="charts/north.txt")
    yield at(300, "activity", f"{a}/pilot", b, tool="Read", label="charts/south.txt")
    yield at(300, "weather.changed", f"{a}/pilot", f"{b}/crew", wind=7)
    yield at(400, "unknown", b, f"{a}/pilot", hook_event_name="PreCompact")
    yield at(200, "unknown", b, b, hook_event_name="PreCompact")
    yield at(500, "status", c, cast.session("codex", "lighthouse"), state="working")
    yield at(500, "spawn.requested", f"{a}/pilot", call_id="toolu_mate", kind="agent", agent_type="tester", purpose="Sound the depth")
    yield at(400, "agent.spawned", f"{a}/mate", f"{a}/pilot", agent_type="tester")
    yield at(900, "agent.finished", f"{a}/mate", summary="Deep enough")
    yield at(200, "spawn.returned", f"{a}/pilot", call_id="toolu_mate", child=f"{a}/mate")
    yield at(300, "agent.finished", f"{a}/pilot", background=False)
    yield at(300, "agent.finished", f"{b}/crew", background=False)
    yield from closed(c, b, a)


def settled_parent(cast: Cast) -> Scene:
    """E25, E93: what is bound to a request ignores explicit parents."""
    a, b = cast.session("claude-code", "mortar"), cast.session("claude-code", "brick")
    yield from opened(cast, a)
    yield from opened(cast, b)
    yield at(300, "spawn.requested", a, call_id="toolu_wall", kind="agent", agent_type="writer", purpose="Draft the wall plan")
    yield at(500, "agent.spawned", f"{a}/mason", a, agent_type="writer", call_id="toolu_wall")
    yield at(800, "activity", f"{a}/mason", b, tool="Write", label="plan.md")
    yield at(800, "agent.finished", f"{a}/mason", b, summary="Plan drafted")
    yield at(200, "spawn.returned", a, call_id="toolu_wall", child=f"{a}/mason")
    yield from closed(b, a)


SCENES = (placeholders, unannounced, moves, settled_parent)
