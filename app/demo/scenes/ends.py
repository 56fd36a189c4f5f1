"""The end of a session: what it closes, whom it cancels, and the statuses that come too late."""

from app.demo.scenes.bounds import LATE_OVER, closed, opened
from app.demo.stage import Cast, Scene, at


def the_end(cast: Cast) -> Scene:
    """E52, E54–E57, E78, E99, E113: a session ends with agents at work, waits open, an approval asked and a plan begun."""
    s, other, started = (cast.session("claude-code", "curtain") for _ in range(3))
    yield from opened(cast, other)
    yield from opened(cast, s)
    yield at(200, "spawn.requested", s, call_id="toolu_aside", kind="session", agent_type="claude", purpose="Sweep the stage")
    yield at(600, "session.started", started, f"{s}/stagehand", source="startup")
    yield at(200, "spawn.requested", s, call_id="toolu_play", kind="agent", agent_type="writer", purpose="Write the last act")
    yield at(500, "agent.spawned", f"{s}/author", s, agent_type="writer", call_id="toolu_play")
    yield at(400, "spawn.requested", f"{s}/author", call_id="toolu_line", kind="agent", agent_type="Explore")
    yield at(500, "agent.spawned", f"{s}/prompter", f"{s}/author", agent_type="Explore", call_id="toolu_line")
    yield at(300, "agent.spawned", f"{s}/lights", s, agent_type="tester", background=True)
    yield at(300, "spawn.requested", f"{s}/lights", call_id="toolu_bulb", kind="agent", agent_type="tester")
    yield at(300, "agent.spawned", f"{s}/bulb", f"{s}/lights", agent_type="tester", call_id="toolu_bulb")
    yield at(300, "status", f"{s}/lights", state="input_required", summary="Dim or bright?")
    yield at(300, "agent.finished", f"{s}/stagehand", background=False)
    yield at(300, "task.upserted", s, id="1", text="Bow", status="in_progress")
    yield at(200, "spawn.requested", s, call_id="toolu_echo", kind="agent", background=True)
    yield at(200, "wait.started", s, wait_id="w_applause", on=other, reason="Waiting for applause")
    yield at(200, "wait.started", other, wait_id="w_end", on=s, reason="Waiting for the end")
    yield at(200, "wait.started", other, wait_id="w_lights", on=f"{s}/lights")
    yield at(200, "activity", s, tool="Plan mode")
    yield at(200, "activity", s, tool="Bash", label="drop curtain", may_ask=True)
    yield at(11_000, "session.ended", s, reason="prompt_input_exit")
    yield at(4_000, "session.ended", s, reason="other")
    yield at(3_000, "session.started", s, source="resume")
    yield at(LATE_OVER, "session.ended", s, reason="exit")
    yield at(900, "wait.ended", other, wait_id="w_lights", outcome="gone")
    yield from closed(started, other)


def failed_before_its_end(cast: Cast) -> Scene:
    """E52, E72: a session that already said how it ended keeps that; it can work again without a new start."""
    s = cast.session("codex", "torch")
    yield from opened(cast, s)
    yield at(1_500, "status", s, state="failed", summary="Out of tokens")
    yield at(3_000, "session.ended", s, reason="error")
    yield at(2_000, "status", s, state="working", summary="Trying once more")
    yield at(900, "status", s, state="canceled", summary="Given up")
    yield at(3_000, "session.ended", s, reason="error")


def late_statuses(cast: Cast) -> Scene:
    """E53, E68–E72, E77: what is said about a session's nodes within two seconds of its end."""
    s = cast.session("claude-code", "postscript")
    yield from opened(cast, s)
    yield at(800, "agent.spawned", f"{s}/scribe", s, agent_type="writer", background=True)
    yield at(3_000, "activity", f"{s}/scribe", tool="Plan mode")
    yield at(300, "activity", f"{s}/scribe", tool="Bash", label="seal", may_ask=True)
    yield at(500, "session.ended", s, reason="prompt_input_exit")
    yield at(300, "status", f"{s}/scribe", state="working", title="One more line")
    yield at(200, "status", f"{s}/scribe", state="idle", summary="Written", title=cast.word("Write the postscript"))
    yield at(200, "status", f"{s}/memory", state="working", title=cast.word("Remember"))
    yield at(100, "spawn.requested", f"{s}/echo", call_id="toolu_hum", kind="agent", agent_type="Explore")
    yield at(100, "agent.spawned", f"{s}/echo/hum", f"{s}/echo", call_id="toolu_hum")
    yield at(200, "status", f"{s}/echo", state="idle")
    yield at(300, "status", f"{s}/blot", state="failed", summary="Ink ran out")
    yield at(600, "status", f"{s}/pen", state="working")
    yield at(900, "status", s, state="idle", summary="Back after two seconds")
    yield at(500, "agent.finished", f"{s}/pen", summary="Cap is on")
    yield from closed(s)


def quick_end(cast: Cast) -> Scene:
    """E53, E70, E72: an end right after a start may be the last run's, so only an idle status is late."""
    s = cast.session("claude-code", "doorbell")
    yield at(0, "session.started", s, source="startup")
    yield at(900, "session.ended", s, reason="other")
    yield at(300, "status", s, state="idle", summary="Not heard")
    yield at(300, "status", s, state="working", summary="Someone is at the door")
    yield at(5_000, "session.ended", s, reason="exit")
    yield at(900, "session.started", s, source="resume")
    yield at(300, "status", s, state="working")
    yield from closed(s)


def agent_ends_like_a_session(cast: Cast) -> Scene:
    """E54, E66: `session.ended` about an agent's ref closes the spawn wait on it too."""
    s = cast.session("cursor", "annex")
    yield from opened(cast, s)
    yield at(300, "spawn.requested", s, call_id="call_1", kind="agent", agent_type="reviewer", purpose="Read the annex")
    yield at(400, "agent.spawned", f"{s}/reader", s, agent_type="reviewer")
    yield at(300, "agent.spawned", f"{s}/reader/aide", f"{s}/reader", agent_type="reviewer")
    yield at(LATE_OVER, "session.ended", f"{s}/reader", reason="exit")
    yield at(900, "status", f"{s}/reader", state="idle")
    yield at(200, "spawn.returned", s, call_id="call_1")
    yield from closed(s)


SCENES = (the_end, failed_before_its_end, late_statuses, quick_end, agent_ends_like_a_session)
