"""Explicit waits and spawn waits: opened, closed, pointed elsewhere."""

from app.demo.scenes.bounds import LATE_OVER, closed, opened
from app.demo.stage import Cast, Scene, at


def waits(cast: Cast) -> Scene:
    """E96–E101, E109: waits repeated, used again, on nobody yet, on oneself, closed early, on one who comes back."""
    s, other, later = cast.session("claude-code", "platform"), cast.session("codex", "train"), cast.session("cursor", "tram")
    yield from opened(cast, s)
    yield from opened(cast, other)
    yield at(300, "wait.started", s, wait_id="w1", on=other, reason="Waiting for the train")
    yield at(300, "wait.started", s, wait_id="w1", on=later, reason="Said twice")
    yield at(300, "wait.started", s, wait_id="w2", on=later, reason="Waiting for the tram")
    yield at(300, "wait.started", s, wait_id="w3", on=s, reason="Waiting for oneself")
    yield at(900, "wait.ended", s, wait_id="w1")
    yield at(300, "wait.ended", s, wait_id="w1", outcome="already over")
    yield at(300, "wait.started", s, wait_id="w1", on=other, reason="Waiting for the next train")
    yield at(300, "spawn.requested", s, call_id="toolu_guard", kind="agent", agent_type="Explore", purpose="Ask the guard")
    yield at(300, "wait.started", s, wait_id="toolu_guard", on=other)
    yield at(300, "wait.ended", s, wait_id="toolu_guard", outcome="gave up")
    yield at(300, "agent.spawned", f"{s}/guard", s, agent_type="Explore")
    yield at(300, "wait.started", s, wait_id="w4", on=f"{s}/guard")
    yield at(500, "agent.finished", f"{s}/guard", summary="Ten minutes late")
    yield at(300, "spawn.returned", s, call_id="toolu_guard", child=f"{s}/guard")
    yield from opened(cast, later)
    yield at(900, "status", other, state="completed")
    yield at(900, "status", other, state="working")
    yield at(LATE_OVER, "session.ended", other, reason="exit")
    yield at(700, "session.started", other, source="resume")
    yield at(300, "wait.ended", s, wait_id="w2")
    yield from closed(later, s, other)


SCENES = (waits,)
