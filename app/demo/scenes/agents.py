"""Agents: announced, guessed, named, finished, coming back."""

from app.demo.scenes.bounds import closed, opened
from app.demo.stage import Cast, Scene, at


def guesses(cast: Cast) -> Scene:
    """E58, E60, E61, E87, E89–E92: agents that do not say which call began them, guessed wrongly and put right."""
    s = cast.session("claude-code", "riddle")
    yield from opened(cast, s)
    yield at(100, "spawn.requested", s, call_id="toolu_a", kind="agent", agent_type="Explore", purpose="Find the first clue")
    yield at(60, "spawn.requested", s, call_id="toolu_b", kind="agent", agent_type="Plan", purpose="Find the second clue")
    yield at(60, "spawn.requested", s, call_id="toolu_c", kind="agent", purpose="Find the third clue")
    yield at(400, "agent.spawned", f"{s}/one", s, agent_type="Plan")
    yield at(200, "agent.spawned", f"{s}/two", s, agent_type="tester")
    yield at(200, "agent.spawned", f"{s}/three", s)
    yield at(900, "spawn.returned", s, call_id="toolu_a", child=f"{s}/one")
    yield at(300, "spawn.requested", s, call_id="toolu_d", kind="agent", agent_type="reviewer", purpose="Check the clues")
    yield at(60, "spawn.requested", s, call_id="toolu_e", kind="agent", agent_type="writer", background=True)
    yield at(300, "agent.spawned", f"{s}/four", s, agent_type="porter")
    yield at(600, "spawn.returned", s, call_id="toolu_e", child=f"{s}/five", outcome="async_launched")
    yield at(300, "agent.spawned", f"{s}/four", s)
    for name in ("one", "two", "three", "four", "five"):
        yield at(400, "agent.finished", f"{s}/{name}", summary=f"Clue {name} read")
    for call in ("toolu_b", "toolu_c", "toolu_d"):
        yield at(100, "spawn.returned", s, call_id=call)
    yield at(900, "agent.spawned", f"{s}/five", s, agent_type="pilot", purpose="Came late", background=False)
    yield from closed(s)


def named_calls(cast: Cast) -> Scene:
    """E58, E59, E89, E92: a call named by the agent is believed, even when it returned or another agent was taken for it."""
    s = cast.session("claude-code", "roster")
    yield from opened(cast, s)
    yield at(100, "spawn.requested", s, call_id="toolu_x", kind="agent", agent_type="tester", purpose="Take the morning")
    yield at(100, "spawn.requested", s, call_id="toolu_y", kind="agent", agent_type="tester", purpose="Take the evening", background=True)
    yield at(300, "agent.spawned", f"{s}/dawn", s, agent_type="tester")
    yield at(300, "spawn.returned", s, call_id="toolu_y", outcome="async_launched")
    yield at(300, "agent.spawned", f"{s}/dawn", s, call_id="toolu_y")
    yield at(300, "agent.spawned", f"{s}/dusk", s, agent_type="tester", call_id="toolu_nobody_made")
    yield at(300, "agent.spawned", f"{s}/noon", s, agent_type="critic", call_id="toolu_x", purpose="Take noon", background=False)
    yield at(900, "agent.finished", f"{s}/dawn", status="canceled")
    yield at(400, "agent.finished", f"{s}/noon")
    yield at(100, "spawn.returned", s, call_id="toolu_x", child=f"{s}/noon")
    yield at(400, "agent.finished", f"{s}/dusk", status="failed", summary="Overslept")
    yield from closed(s)


def refused_guess(cast: Cast) -> Scene:
    """E60, E89: an agent cannot have been started from below itself; no other request is tried."""
    s = cast.session("claude-code", "mobius")
    yield from opened(cast, s)
    yield at(300, "spawn.requested", f"{s}/strip/edge", call_id="toolu_twist", kind="agent", agent_type="Explore", background=True)
    yield at(300, "spawn.requested", s, call_id="toolu_twist", kind="agent", agent_type="Explore", background=True)
    yield at(500, "agent.spawned", f"{s}/strip", s, agent_type="Explore")
    yield at(700, "agent.finished", f"{s}/strip/edge", background=False)
    yield at(700, "agent.finished", f"{s}/strip", background=False)
    yield from closed(s)


def finishing(cast: Cast) -> Scene:
    """E62–E65, E78, E97, E99: what an agent's end closes and what it leaves; agents that come back."""
    s, other = cast.session("claude-code", "harvest"), cast.session("codex", "granary")
    yield from opened(cast, other)
    yield from opened(cast, s)
    yield at(200, "spawn.requested", s, call_id="toolu_mow", kind="agent", agent_type="general-purpose", purpose="Mow the field")
    yield at(400, "agent.spawned", f"{s}/mower", s, agent_type="general-purpose")
    yield at(300, "spawn.requested", f"{s}/mower", call_id="toolu_bale", kind="agent", purpose="Bale the hay")
    yield at(400, "agent.spawned", f"{s}/baler", f"{s}/mower", call_id="toolu_bale")
    yield at(100, "agent.spawned", f"{s}/mower/dog", f"{s}/mower", agent_type="pilot")
    yield at(200, "wait.started", other, wait_id="w_hay", on=f"{s}/mower", reason="Waiting for the hay")
    yield at(900, "agent.finished", f"{s}/mower", summary="Mown")
    yield at(2_500, "status", f"{s}/mower", state="working", summary="Mowing the edge")
    yield at(900, "agent.finished", f"{s}/mower", status="failed")
    yield at(500, "agent.finished", f"{s}/mower", status="completed", summary="Mown after all")
    yield at(300, "spawn.returned", s, call_id="toolu_mow", child=f"{s}/mower")
    yield at(900, "agent.finished", f"{s}/mower/dog", background=False)
    yield from closed(s, other)


SCENES = (guesses, named_calls, refused_guess, finishing)
