"""Requests and the children bound to them."""

from app.demo.scenes.bounds import closed, opened
from app.demo.stage import Cast, Scene, at


def requests(cast: Cast) -> Scene:
    """E85–E88, E94, E96: one call made twice, one call id on two nodes, calls nobody made, waits that share a call's id."""
    s, other = cast.session("claude-code", "switchboard"), cast.session("codex", "switchboard")
    yield from opened(cast, s)
    yield from opened(cast, other)
    yield at(200, "wait.started", s, wait_id="call_1", on=other, reason="Waiting on line one")
    yield at(200, "spawn.requested", s, call_id="call_1", kind="agent", agent_type="Explore", purpose="Answer line one")
    yield at(200, "spawn.requested", s, call_id="call_1", kind="agent", agent_type="Plan", purpose="Said twice")
    yield at(200, "spawn.requested", other, call_id="call_1", kind="agent", agent_type="Explore")
    yield at(900, "spawn.returned", s, call_id="call_1", child=f"{s}/line-1")
    yield at(300, "spawn.returned", s, call_id="call_unknown", child=f"{s}/line-2/deep")
    yield at(300, "spawn.returned", s, call_id="call_unknown_2")
    yield at(300, "status", f"{s}/line-1", state="idle")
    yield at(300, "spawn.requested", s, call_id="call_2", kind="agent")
    yield at(300, "spawn.returned", s, call_id="call_2", child=f"{s}/line-1")
    yield at(300, "agent.finished", f"{s}/line-2/deep", background=False)
    yield at(300, "agent.finished", f"{s}/line-2", background=False)
    yield at(300, "agent.finished", f"{s}/line-1", background=False)
    yield at(300, "spawn.returned", other, call_id="call_1")
    yield from closed(other, s)


def impossible_children(cast: Cast) -> Scene:
    """E88, E89, E95: a node is not its own child, nor the child of one below it."""
    s = cast.session("claude-code", "ouroboros")
    yield from opened(cast, s)
    yield at(200, "spawn.requested", f"{s}/head", call_id="toolu_tail", kind="agent", agent_type="Explore")
    yield at(300, "spawn.returned", f"{s}/head", call_id="toolu_tail", child=f"{s}/head")
    yield at(300, "spawn.returned", f"{s}/head", call_id="toolu_tail", child=s)
    yield at(300, "spawn.returned", f"{s}/head", call_id="toolu_unknown", child=s)
    yield at(300, "spawn.requested", f"{s}/head", call_id="toolu_next", kind="agent", agent_type="Plan", background=True)
    yield at(300, "spawn.returned", f"{s}/head", call_id="toolu_tail", child=f"{s}/head/coil")
    yield at(300, "spawn.returned", f"{s}/head", call_id="toolu_next", child=f"{s}/head/coil")
    yield at(300, "agent.finished", f"{s}/head/coil")
    yield at(300, "agent.finished", f"{s}/head")
    yield from closed(s)


def wrong_guess_across_sessions(cast: Cast) -> Scene:
    """E61, E89–E91, E97: the right child takes the request, waits follow, the displaced one is paired with what is left."""
    s, t = cast.session("claude-code", "cloakroom"), cast.session("cursor", "cloakroom")
    yield from opened(cast, s)
    yield from opened(cast, t)
    yield at(200, "spawn.requested", s, call_id="toolu_hat", kind="agent", agent_type="Explore", purpose="Fetch the hat")
    yield at(100, "spawn.requested", s, call_id="toolu_coat", kind="agent", agent_type="Explore")
    yield at(100, "spawn.requested", t, call_id="toolu_hat", kind="agent", agent_type="Explore", purpose="Fetch the other hat")
    yield at(500, "agent.spawned", f"{s}/left", s, agent_type="Explore")
    yield at(100, "agent.spawned", f"{s}/right", s, agent_type="Explore")
    yield at(900, "spawn.returned", s, call_id="toolu_hat", child=f"{s}/right")
    yield at(600, "spawn.returned", t, call_id="toolu_hat", child=f"{s}/right")
    yield at(600, "spawn.returned", s, call_id="toolu_coat", child=f"{s}/left")
    yield at(200, "agent.finished", f"{s}/left", background=False)
    yield at(200, "agent.finished", f"{s}/right", background=False)
    yield from closed(t, s)


SCENES = (requests, impossible_children, wrong_guess_across_sessions)
