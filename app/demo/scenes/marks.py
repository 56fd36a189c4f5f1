"""Plan mode and approvals: what is remembered between events and shown as a question."""

from app.demo.scenes.bounds import closed, opened
from app.demo.stage import Cast, Scene, at


def plan_mode(cast: Cast) -> Scene:
    """E28, E67, E68, E74: an idle report after planning is a plan that is ready for review."""
    s = cast.session("claude-code", "atlas")
    yield from opened(cast, s)
    yield at(400, "activity", s, tool="Plan mode")
    yield at(5_000, "status", s, state="idle", summary="Planned", title=cast.word("Plan the atlas"))
    yield at(900, "status", s, state="idle", summary="Still asking")
    yield at(8_000, "status", s, state="working", summary="Drawing the atlas")
    yield at(400, "activity", s, tool="Plan mode", label="approved")
    yield at(700, "status", s, state="working", turn_end=True)
    yield at(4_000, "status", s, state="idle", summary="Drawn")
    yield at(900, "activity", s, tool="Plan mode")
    yield from closed(s)


def approvals(cast: Cast) -> Scene:
    """E27, E68, E113, E122: approvals asked with and without a label, answered, forgotten at the end of a turn."""
    s = cast.session("cursor", "gatehouse")
    yield from opened(cast, s)
    yield at(400, "activity", s, tool="Bash", label="raise gate", may_ask=True)
    yield at(14_000, "activity", s, tool="Bash", label="raise gate")
    yield at(400, "activity", s, tool="Bash", may_ask=True)
    yield at(12_000, "task.upserted", s, id="1", text="Grease the hinge")
    yield at(400, "activity", s, tool="Edit", may_ask=True)
    yield at(400, "activity", s, tool="Edit")
    yield at(400, "activity", s, tool="Bash", label="lower bridge", may_ask=True)
    yield at(400, "activity", s, tool="Bash", label="ring bell", may_ask=True)
    yield at(400, "activity", s, tool="Bash", label="ring bell")
    yield at(11_000, "message.sent", s, message_id="m1", to="nobody", summary="Is the bridge down?")
    yield at(400, "status", s, state="idle", summary="Gate is up")
    yield at(900, "activity", s, tool="Bash", label="lower bridge", may_ask=True)
    yield at(400, "status", s, state="working")
    yield from closed(s)


SCENES = (plan_mode, approvals)
