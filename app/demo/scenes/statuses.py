"""Statuses: questions that stand and how they are answered, finished states, calls that are over."""

from app.demo.scenes.bounds import closed, opened
from app.demo.stage import Cast, Scene, at


def standing_question(cast: Cast) -> Scene:
    """E29, E30, E69, E73–E75, E77: an end-of-turn report does not hide the question that closed the turn."""
    s = cast.session("claude-code", "oracle")
    yield from opened(cast, s)
    yield at(300, "spawn.requested", s, call_id="toolu_ask", kind="agent", agent_type="Explore", purpose="Look into the bowl")
    yield at(500, "agent.spawned", f"{s}/seer", s, agent_type="Explore")
    yield at(900, "status", s, state="input_required", turn_end=True, summary="Smoke or water?")
    yield at(700, "task.upserted", s, id="1", text="Read the omens", status="pending")
    yield at(600, "status", s, state="idle", summary="Not shown", title=cast.word("Not taken"))
    yield at(9_000, "task.upserted", s, id="1", status="in_progress")
    yield at(900, "status", s, state="input_required", turn_end=True, summary="Now or later?")
    yield at(900, "spawn.requested", s, call_id="toolu_again", kind="agent")
    yield at(400, "status", s, state="input_required", turn_end=True)
    yield at(3_000, "status", s, state="idle", summary="Answered by waiting")
    yield from closed(s)


def answers(cast: Cast) -> Scene:
    """E6, E7, E29: what answers a question and what does not."""
    s = cast.session("codex", "sphinx")
    yield from opened(cast, s)
    yield at(800, "status", s, state="input_required", summary="What walks on four legs?")
    yield at(3_000, "activity", s, tool="Bash", label="ls riddles", may_ask=True)
    yield at(400, "activity", s, tool="Plan mode")
    yield at(400, "activity", s, tool="Turn stopped", label="by hand")
    yield at(400, "status", s, state="input_required", summary="And on two?")
    yield at(400, "status", s, state="puzzled")
    yield at(800, "status", s, state="input_required", summary="And on three?")
    yield at(900, "tool.heartbeat", s, beats=3)
    yield at(800, "status", s, state="input_required", summary="Who asks?")
    yield at(900, "activity", s, tool="Read", label="riddles/3.md")
    yield at(800, "status", s, state="input_required", summary="Which riddle first?")
    yield at(900, "tasks.updated", s, items=[{"id": "1", "text": "Answer the riddle", "status": "completed"}])
    yield from closed(s)


def finished_by_status(cast: Cast) -> Scene:
    """E65, E75, E76, E101: a finished state by status ends no wait and no agent; the node may come back."""
    s, other = cast.session("claude-code", "lantern"), cast.session("codex", "lantern")
    yield from opened(cast, s)
    yield from opened(cast, other)
    yield at(300, "agent.spawned", f"{s}/wick", s, agent_type="tester")
    yield at(300, "agent.spawned", f"{s}/wick/flame", f"{s}/wick", agent_type="tester")
    yield at(300, "wait.started", other, wait_id="w_light", on=f"{s}/wick", reason="Waiting for light")
    yield at(300, "wait.started", other, wait_id="w_lantern", on=s, reason="Waiting for the lantern")
    yield at(900, "status", f"{s}/wick", state="completed", summary="Burnt down")
    yield at(600, "status", f"{s}/wick", state="working", summary="New wick")
    yield at(900, "status", s, state="canceled", summary="Blown out")
    yield at(400, "status", s, state="working", turn_end=False, title="Lit again")
    yield at(400, "wait.ended", other, wait_id="w_light")
    yield at(400, "agent.finished", f"{s}/wick/flame", background=False)
    yield at(400, "agent.finished", f"{s}/wick", background=False)
    yield from closed(s, other)


def calls_over(cast: Cast) -> Scene:
    """E28, E77–E80: the end of a turn returns foreground calls; a stopped turn cancels their agents."""
    s, child, helper = cast.session("claude-code", "whistle"), cast.session("codex", "whistle"), cast.session("codex", "whistle")
    yield from opened(cast, s)
    yield at(200, "spawn.requested", s, call_id="toolu_run", kind="agent", agent_type="general-purpose", purpose="Run a lap")
    yield at(300, "agent.spawned", f"{s}/runner", s, call_id="toolu_run")
    yield at(200, "spawn.requested", f"{s}/runner", call_id="toolu_pace", kind="agent", agent_type="tester")
    yield at(300, "agent.spawned", f"{s}/runner/pacer", f"{s}/runner", call_id="toolu_pace")
    yield at(200, "spawn.requested", s, call_id="toolu_time", kind="agent", agent_type="tester", background=True)
    yield at(300, "agent.spawned", f"{s}/timer", s, call_id="toolu_time", agent_type="tester")
    yield at(200, "spawn.requested", s, call_id="toolu_codex", kind="session", agent_type="codex", run=False)
    yield at(300, "session.started", child, s, source="startup")
    yield at(200, "spawn.requested", s, call_id="toolu_hint", kind="session", title=cast.word("Hold the flag"))
    yield at(300, "activity", s, tool="Turn stopped")
    yield at(300, "status", s, state="idle", summary="Stopped")
    yield at(4_000, "status", s, state="working")
    yield at(200, "spawn.requested", s, call_id="toolu_rest", kind="agent", agent_type="general-purpose")
    yield at(300, "agent.spawned", f"{s}/rester", s, call_id="toolu_rest")
    yield at(900, "activity", s, tool="Turn stopped", label="by the referee")
    yield at(300, "status", s, state="idle", summary="Half time")
    yield at(300, "wait.ended", s, wait_id="toolu_hint", outcome="dropped")
    yield at(300, "session.started", helper, source="startup")
    yield at(300, "spawn.returned", s, call_id="toolu_hint", child=helper)
    yield at(300, "agent.finished", f"{s}/runner/pacer", background=False)
    yield at(300, "agent.finished", f"{s}/timer", background=False)
    yield from closed(child, helper, s)


SCENES = (standing_question, answers, finished_by_status, calls_over)
