"""How a log ends: with everything there is to see, so that its last moment is worth a look."""

from app.demo.stage import Cast, Scene, at


def ending(cast: Cast) -> Scene:
    """E109–E121: the last scenes of a log, one after another; what they leave is still so at the end."""
    lead = cast.session("claude-code", "expedition")
    yield from _failure(cast)
    yield from _nested(cast, lead)
    yield from _loops(cast)
    yield from _odd_waits(cast, lead)
    yield from _questions(cast)
    yield at(12_000, "activity", f"{lead}/guide/porter/scout", tool="Read", label="maps/pass.md")


def _failure(cast: Cast) -> Scene:
    """A session that failed, with a task and a wait left open: neither blocked nor stale (E112, E116)."""
    failed = cast.session("codex", "landslide")
    yield at(2_000, "session.started", failed, cwd="/home/dev/anvil-build", source="startup", title="Build the release")
    yield at(600, "task.upserted", failed, id="1", text="Link the release", active_text="Linking the release", status="in_progress")
    yield at(600, "wait.started", failed, wait_id="w_disk", on="codex:build-disk", reason="Waiting for the build disk")
    yield at(900, "status", failed, state="failed", summary="The disk is full")
    yield at(2_500, "session.ended", failed, reason="error")


def _nested(cast: Cast, lead: str) -> Scene:
    """Agents three levels deep at work, twins of one millisecond, and one in the background that waits (E110, E111, E117–E120)."""
    guide, porter, scout = f"{lead}/guide", f"{lead}/guide/porter", f"{lead}/guide/porter/scout"
    twins = f"{lead}/castor", f"{lead}/pollux"
    yield at(900, "session.started", lead, cwd="/home/dev/north-docs", source="startup", title="Chart the northern pass")
    yield at(700, "status", lead, state="working")
    names = ("Find the pass", "Mark the huts", "Draw the map")
    items = [{"id": str(n), "text": text, "status": "in_progress" if n == 1 else "pending"} for n, text in enumerate(names, 1)]
    yield at(500, "tasks.updated", lead, items=items)
    for parent, agent, kind, purpose in (
        (lead, guide, "general-purpose", "Lead the way"),
        (guide, porter, "Explore", "Carry the gear"),
        (porter, scout, "Explore", "Look ahead"),
    ):
        yield at(300, "spawn.requested", parent, call_id="call_1", kind="agent", agent_type=kind, purpose=purpose)
        yield at(500, "agent.spawned", agent, parent, agent_type=kind, call_id="call_1")
    yield at(400, "task.upserted", scout, id="1", text="Climb the ridge", active_text="Climbing the ridge", status="in_progress")
    for n, twin in enumerate(twins):
        yield at(300, "spawn.requested", lead, call_id=f"call_{n + 2}", kind="agent", agent_type="writer", background=True)
        yield at(0, "agent.spawned", twin, lead, agent_type="writer", call_id=f"call_{n + 2}")
    yield at(300, "wait.started", twins[0], wait_id="w_map", on=scout, reason="Waiting for the ridge")


def _loops(cast: Cast) -> Scene:
    """Two that wait on each other, the one through its agent, and three in a ring (E118, E119)."""
    a, b = cast.session("claude-code", "gate"), cast.session("codex", "bridge")
    for session in (a, b):
        yield at(600, "session.started", session, cwd="/home/dev/pebble-auth", source="startup")
        yield at(0, "status", session, state="working")
    yield at(400, "agent.spawned", f"{b}/keeper", b, agent_type="tester")
    yield at(300, "wait.started", a, wait_id="w_bridge", on=b, reason="Waiting for the bridge")
    yield at(300, "wait.started", f"{b}/keeper", wait_id="w_gate", on=a, reason="Waiting for the gate")
    ring = [cast.session(provider, "ring") for provider in ("claude-code", "cursor", "codex")]
    for session in ring:
        yield at(300, "session.started", session, cwd="/home/dev/ferry-billing", source="startup")
        yield at(0, "status", session, state="working")
    for session, following in zip(ring, ring[1:] + ring[:1], strict=True):
        yield at(300, "wait.started", session, wait_id="w_next", on=following, reason="Waiting for the next in the ring")


def _odd_waits(cast: Cast, lead: str) -> Scene:
    """Waits on one who is done, on one not begun, on nobody known, twice on the same; an idle node that is blocked (E109, E115–E117)."""
    s = cast.session("claude-code", "crossroads")
    yield at(600, "session.started", s, cwd="/home/dev/drift-search", source="startup", title="Join the branches")
    yield at(300, "agent.spawned", f"{s}/north", s, agent_type="Explore")
    yield at(100, "wait.started", s, wait_id="w_1", on=f"{s}/north")
    yield at(900, "status", f"{s}/north", state="completed", summary="North is merged")
    yield at(100, "wait.started", s, wait_id="w_2", on=lead, reason="Waiting for the map")
    yield at(100, "wait.started", s, wait_id="w_3", on=lead, reason="Waiting for the legend")
    yield at(100, "wait.started", s, wait_id="w_4", on="codex:not-yet-there", reason="Waiting for somebody to come")
    yield at(100, "spawn.requested", s, call_id="call_1", kind="session", agent_type="codex", purpose="Merge the south", run=False)
    yield at(100, "task.upserted", s, id="1", text="Merge the east")


def _questions(cast: Cast) -> Scene:
    """A question to answer, and an approval pending (E113); roots of one millisecond (E121)."""
    question, approval = cast.session("cursor", "compass"), cast.session("claude-code", "drawbridge")
    yield at(600, "session.started", question, cwd="/home/dev/saffron-mail", source="startup", title="Choose the mail provider")
    yield at(0, "session.started", approval, cwd="/home/dev/quarry-index", source="startup", title="Rebuild the index")
    yield at(600, "status", approval, state="working")
    yield at(900, "status", question, state="input_required", turn_end=True, summary="Keep the old templates?")
    yield at(0, "activity", approval, tool="Bash", label="terraform apply", may_ask=True)
